package kernel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"

	"eddy/runtime/engine/native"
)

// compile makes a plan's code for inputs of these kinds. The version has none where it does not fit.
func compile(p *plan, kinds []kind) *version {
	known := &facts{variables: map[variableKey]*variable{}, contexts: map[meetingKey]int{},
		meetings: map[meetingKey]*meeting{}}
	for range maxRounds {
		grown := known.grown
		l := &lowerer{plan: p, facts: known, kinds: kinds, env: map[*variable]bound{},
			fixed: map[*variable]bound{}, inputs: map[*input]*variable{},
			consts: map[*variable]bool{}, slots: map[localKey]int{}}
		v, err := l.whole(kinds)
		if err != nil && known.grown == grown {
			// as long as facts grow, it may be that too little was known
			explainUnfit(p, l.at, err)
			return &version{why: err, narrow: l.version != nil && l.version.narrow}
		}
		if err == nil && !l.again {
			return v.compiled(l)
		}
	}
	return &version{why: errLimit}
}

func (v *version) compiled(l *lowerer) *version {
	code, err := native.Compile(v.module(l))
	if err != nil {
		return &version{why: err}
	}
	v.code = code
	return v
}

// parts of the signature
func (v *version) module(l *lowerer) []byte {
	params, results := l.signature[0], l.signature[1]
	v.slots = max(len(params), len(results))
	return module(params, results, l.locals, l.out, native.MemoryPages)
}

// whole lowers everything once.
func (l *lowerer) whole(kinds []kind) (v *version, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unfit:
			err = errors.New("kernel: " + x.reason)
		default:
			panic(x)
		}
	}()
	f := &frame{names: []map[string]*variable{{}}}
	l.frames = []*frame{f}
	var params []rep
	param := func(r rep) int {
		params = append(params, r)
		return len(params) - 1
	}
	moving := l.moving(kinds)
	for n, in := range l.plan.inputs {
		name := in.name
		if in.prop != "" {
			name += "." + in.prop
		}
		if kinds[n].sort == sortAlias {
			l.inputs[in] = l.inputs[l.plan.inputs[kinds[n].fixed]]
			continue
		}
		if kinds[n].sort == sortSkipped {
			continue
		}
		v := l.facts.variable(0, in, name)
		l.inputs[in] = v
		env := l.fixed
		if moving[in] {
			env = l.env
		}
		scalar := func(n number) {
			l.slots[localKey{v, n.rep()}] = param(n.rep())
			env[v] = bound{number: n}
		}
		switch k := kinds[n]; k.sort {
		case sortUnread:
		case sortUndefined:
			env[v] = bound{number: undefined}
		case sortBoolean:
			if k.exact {
				env[v] = bound{number: truth(k.fixed != 0).number}
				continue
			}
			scalar(anyBoolean)
		case sortIndex:
			if k.exact {
				env[v] = bound{number: exactly(float64(k.fixed))}
				continue
			}
			scalar(within(0, maxInt32))
		case sortInt:
			scalar(anyInt)
		case sortWhole:
			scalar(anyWhole)
		case sortNumber:
			scalar(anyNumber)
		case sortArray:
			a := &array{element: k.element, list: k.list, odd: k.odd, fixed: k.fixed, input: n}
			a.at, a.len = param(repI32), param(repI32)
			env[v] = bound{array: l.facts.array(n, a)}
		case sortTable:
			a := &array{element: k.element, list: true, fixed: k.fixed, input: n, table: true, width: k.width}
			if k.columns != "" {
				a.columns = strings.Split(k.columns, ",")
			}
			a.at, a.len = param(repI32), param(repI32)
			env[v] = bound{array: l.facts.array(n, a)}
		case sortObject:
			env[v] = bound{object: in}
		case sortNull:
			env[v] = bound{null: true}
		default:
			env[v] = bound{bad: true}
		}
	}
	if l.plan.this != nil {
		f.this = l.read(l.inputs[l.plan.this], "this")
	}
	l.params = len(params)
	for n, in := range l.plan.inputs { // these have no parameters
		v := l.inputs[in]
		switch k := kinds[n]; {
		case k.sort == sortSkipped || k.sort == sortAlias:
		case k.sort == sortUndefined:
			l.emit(constI64(oddValue), set(l.slot(v, repI64)))
		case k.exact:
			l.emit(constI32(int32(k.fixed)), set(l.slot(v, repI32)))
		}
	}
	l.fuel = l.local(repI32)
	l.emit(constI32(pollEvery), set(l.fuel))
	v = &version{}
	l.version = v
	l.status, l.offset = l.local(repI32), l.local(repI64)
	f.result = l.facts.variable(0, "result", "result")
	more := []*variable{f.result}
	for _, in := range l.plan.inputs {
		if in.declared && l.inputs[in] != nil {
			more = append(more, l.inputs[in])
		}
	}
	l.end = l.meet("end", 9, more...)
	l.open(opBlock, typeVoid)
	l.end.depth = l.depth
	f.returns = l.end
	l.statements(l.plan.list)
	if l.env != nil {
		l.leave(0)
	}
	l.close()
	l.land(l.end)
	l.unreachable()
	return v, l.results(v, params)
}

// moving are the inputs whose variables get other values on the way.
func (l *lowerer) moving(kinds []kind) map[*input]bool {
	out := map[*input]bool{}
	for n, in := range l.plan.inputs {
		if !in.assigned && !in.declared {
			continue
		}
		if kinds[n].sort == sortAlias {
			in = l.plan.inputs[kinds[n].fixed]
		}
		out[in] = true
	}
	return out
}

// leave goes to the end with a status: 0 behind the kernel, 1 out of the function, 2 and above by an exception.
func (l *lowerer) leave(status int32) {
	if l.env == nil {
		return
	}
	for _, v := range l.end.vars {
		if _, there := l.env[v]; there {
			continue
		}
		// What the status makes nobody read takes what fits to the others.
		held, known := l.end.held[v]
		switch {
		case !known: // another way may tell in what form
		case !held.scalar() || v.ofExit():
			l.env[v] = held
		case held.boolean:
			l.assign(v, truth(false))
		case held.empty():
			l.assign(v, value{number: undefined, code: constI64(oddValue)})
		default:
			l.assign(v, constant(0))
		}
	}
	if status <= 1 && l.plan.tables {
		l.emit(get(l.fuel), op(opExtendU), set(l.offset)) // which tells how many rounds there were
	}
	l.emit(constI32(status), set(l.status))
	l.jump(l.end)
}

// ofExit tells whether a variable stands for a name around an exit.
func (v *variable) ofExit() bool {
	in, is := v.key.node.(*input)
	return is && in.exit > 0
}

// results puts the results on the stack.
func (l *lowerer) results(v *version, params []rep) error {
	results := []rep{repI32, repI64}
	if l.env == nil { // it never ends
		l.signature = [2][]rep{params, results}
		return nil
	}
	l.emit(get(l.status), get(l.offset))
	add := func(name string, x *variable) (*output, error) {
		b := l.env[x]
		switch {
		case b.array != nil:
			return &output{array: b.array.input}, nil
		case b.object != nil:
			return &output{array: b.object.index}, nil
		case b.null:
			return &output{array: -1, null: true}, nil
		case b.mixed:
			results = append(results, repF64, repI32)
			l.emit(get(l.slot(x, repF64)), get(l.tag(x)))
			n := anyNumber
			n.odd = true
			return &output{number: n, array: -1, mixed: true}, nil
		case !b.scalar():
			return nil, fmt.Errorf("kernel: %s has no value that can be told", name)
		}
		results = append(results, b.rep())
		l.emit(get(l.slot(x, b.rep())))
		return &output{number: b.number, array: -1}, nil
	}
	if l.plan.returns {
		o, err := add("the result", l.frames[0].result)
		if err != nil {
			return err
		}
		v.result = o
	}
	assigned, at := map[*variable]bool{}, 0
	for n, in := range l.plan.inputs {
		if in.assigned && l.kinds[n].sort != sortSkipped {
			assigned[l.inputs[in]] = true
		}
	}
	for n, in := range l.plan.inputs {
		if s := l.kinds[n].sort; s == sortAlias || s == sortSkipped || !assigned[l.inputs[in]] {
			continue
		}
		o, err := add(in.name, l.inputs[in])
		if err != nil {
			return err
		}
		o.input, o.at = in, at
		at += o.width()
		v.outputs = append(v.outputs, *o)
		if !in.unseen && in.exit == 0 {
			v.seen = append(v.seen, *o)
		}
	}
	l.signature = [2][]rep{params, results}
	return nil
}

// throws is the end of a kernel whose DataView or typed array has no such offset; the condition is on the stack. source
// is the input whose elements do not fit, -1 for a DataView.
func (l *lowerer) throws(v *ast.CallExpression, view *array, offset, source int, little bool) fragment {
	d := v.Callee.(*ast.DotExpression)
	at := int(v.LeftParenthesis) - 1
	if len(l.frames) > 1 {
		at = l.frames[1].call
	}
	l.version.throws = append(l.version.throws, Throw{View: view.input, Method: d.Identifier.Name.String(), At: at,
		Little: little, Source: source})
	status := int32(len(l.version.throws) + 1)
	env := l.copyEnv()
	code := l.apart(func() {
		l.open(opIf, typeVoid)
		l.emit(get(offset), set(l.offset))
		l.leave(status)
		l.close()
	})
	l.env = env
	return code
}

// array is the same in all rounds.
func (f *facts) array(n int, a *array) *array {
	if f.arrays == nil {
		f.arrays = map[int]*array{}
	}
	if f.arrays[n] == nil {
		f.arrays[n] = a
	}
	return f.arrays[n]
}

package ecma

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// goja has no async generators. The bundler lowers them to functions whose body is one call,
// `return __asyncGenerator(this, arguments, function* () {…})`, and brings the helpers of that call along. The walker puts
// the engine's helpers (async_generator.go) in place of the bundler's, and the functions come out of the compiled
// program as async generator functions: the instruction that makes one is given a method table of ours.

// hiddenAsync names the function that answers with a helper, as hiddenRegExp does.
const hiddenAsync = "%async%"

// asyncHelpers are the bundler's helpers, each with the engine's name for it and the parameters it is known by, so that
// one of the same name that a library brings along is left alone.
var asyncHelpers = map[string]struct {
	name   string
	params []string
}{
	"__asyncGenerator": {"generator", []string{"__this", "__arguments", "generator"}},
	"__await":          {"await", []string{"promise", "isYieldStar"}},
	"__yieldStar":      {"yieldStar", []string{"value"}},
	"__forAwait":       {"forAwait", []string{"obj", "it", "method"}},
}

// asyncHelper returns the call that gives the engine's helper if this is the declaration of one of the bundler's.
func (w *walker) asyncHelper(name string, value ast.Expression) (ast.Expression, bool) {
	if !strings.HasPrefix(name, "__") {
		return nil, false
	}
	helper, ok := asyncHelpers[strings.TrimRight(name, "0123456789")]
	if !ok {
		return nil, false
	}
	var params *ast.ParameterList
	switch f := value.(type) {
	case *ast.ArrowFunctionLiteral:
		params = f.ParameterList
	case *ast.FunctionLiteral:
		params = f.ParameterList
	}
	if params == nil || len(params.List) != len(helper.params) {
		return nil, false
	}
	for i, p := range params.List {
		// The bundler puts a number behind a name that the program has too.
		if id, ok := p.Target.(*ast.Identifier); !ok || strings.TrimRight(id.Name.String(), "0123456789") != helper.params[i] {
			return nil, false
		}
	}
	switch helper.name {
	case "generator":
		w.asyncGenerator = name
	case "yieldStar":
		w.yieldStar = name
	}
	return callAsync(helper.name, value.Idx0()), true
}

// callAsync is the call that gives a helper.
func callAsync(name string, at file.Idx) ast.Expression {
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: hiddenAsync, Idx: at},
		LeftParenthesis:  at,
		RightParenthesis: at,
		ArgumentList:     []ast.Expression{&ast.StringLiteral{Idx: at, Literal: `"` + name + `"`, Value: unistring.NewFromString(name)}},
	}
}

// awaited is `await value` as it stands in a lowered body. The bundler leaves the value of a return to its helper, which
// has it when the body is over: too late for a catch clause around the return.
func awaited(value ast.Expression) ast.Expression {
	at := value.Idx0()
	return &ast.YieldExpression{Yield: at, Argument: &ast.NewExpression{
		New: at, Callee: callAsync("await", at), LeftParenthesis: at, RightParenthesis: at, ArgumentList: []ast.Expression{value},
	}}
}

// loweredInVain returns the operand of a yield* in a generator that is not async: the bundler lowers that too.
func (w *walker) loweredInVain(y *ast.YieldExpression) (ast.Expression, bool) {
	if w.inBody || !y.Delegate || w.yieldStar == "" {
		return nil, false
	}
	call, ok := y.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 1 {
		return nil, false
	}
	id, ok := call.Callee.(*ast.Identifier)
	return call.ArgumentList[0], ok && id.Name.String() == w.yieldStar
}

// noteLowered records a function that is a lowered async generator function, and returns the generator in it.
func (w *walker) noteLowered(f *ast.FunctionLiteral) *ast.FunctionLiteral {
	if w.asyncGenerator == "" || f.Body == nil || len(f.Body.List) != 1 {
		return nil
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStatement)
	if !ok {
		return nil
	}
	call, ok := ret.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 3 {
		return nil
	}
	if id, ok := call.Callee.(*ast.Identifier); !ok || id.Name.String() != w.asyncGenerator {
		return nil
	}
	if w.lowered == nil {
		w.lowered = map[*byte]bool{}
	}
	w.lowered[unsafe.StringData(f.Source)] = true
	body, _ := call.ArgumentList[2].(*ast.FunctionLiteral)
	return body
}

// asyncLayout is what marking needs of goja's instructions. Filled once per process.
type asyncLayout struct {
	programCode uintptr
	instruction reflect.Type
	function    *functionMaker
	method      *functionMaker

	mu    sync.Mutex
	kinds map[unsafe.Pointer][]uintptr // by instruction's method table: where it keeps programs
}

// functionMaker is an instruction that makes a function.
type functionMaker struct {
	table  unsafe.Pointer // goja's method table
	source uintptr
	exec   uintptr // goja's method, by its code
	ours   []uintptr
}

var asyncInternals = sync.OnceValues(readAsyncLayout)

func readAsyncLayout() (*asyncLayout, error) {
	r := &layoutReader{}
	l := &asyncLayout{kinds: map[unsafe.Pointer][]uintptr{}}
	var code, vmT reflect.Type
	l.programCode, code = r.field(reflect.TypeOf(goja.Program{}), "code", nil)
	_, vmT = r.field(reflect.TypeOf(goja.Runtime{}), "vm", nil)
	if r.err != nil {
		return nil, r.err
	}
	asyncMakers.vmRuntime, _ = r.field(vmT.Elem(), "r", reflect.TypeOf((*goja.Runtime)(nil)))
	if r.err != nil {
		return nil, r.err
	}
	l.instruction = code.Elem()
	probe := func(source, instruction string, ours func(n, vm unsafe.Pointer)) *functionMaker {
		p, err := goja.Compile("probe.js", source, true)
		if err != nil {
			r.err = fmt.Errorf("ecma: probe of %s: %w", source, err)
			return nil
		}
		for i, v := range l.code(p) {
			t := l.typeOf(p, i)
			if t.Kind() != reflect.Pointer || t.Elem().Name() != instruction {
				continue
			}
			m := &functionMaker{table: v[0]}
			m.source, _ = r.field(t.Elem(), "source", reflect.TypeOf(""))
			if r.err == nil {
				m.ours, r.err = methodTable(l.instruction, t, m.table, map[string]any{"exec": ours})
			}
			m.exec = *(*uintptr)(unsafe.Add(m.table, methodTableHead*unsafe.Sizeof(uintptr(0))))
			return m
		}
		r.err = fmt.Errorf("ecma: goja has no instruction %s", instruction)
		return nil
	}
	l.function = probe("(function () {})", "newFunc", execFunction)
	if r.err == nil {
		l.method = probe("({ m() {} })", "newMethod", execMethod)
	}
	if r.err != nil {
		return nil, r.err
	}
	asyncMakers.function, asyncMakers.method = l.function, l.method
	return l, nil
}

// code is a program's instructions, as pairs of method table and data.
func (l *asyncLayout) code(p *goja.Program) [][2]unsafe.Pointer {
	return *(*[][2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(p), l.programCode))
}

func (l *asyncLayout) typeOf(p *goja.Program, i int) reflect.Type {
	return reflect.ValueOf(p).Elem().FieldByName("code").Index(i).Elem().Type()
}

// mark gives the instructions that make the functions of those sources the method table of ours. The program has not
// run yet.
func (l *asyncLayout) mark(p *goja.Program, lowered map[*byte]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.markLocked(p, lowered)
}

func (l *asyncLayout) markLocked(p *goja.Program, lowered map[*byte]bool) {
	code := l.code(p)
	for i := range code {
		at := &code[i]
		offsets, known := l.kinds[at[0]]
		if !known {
			offsets = programFields(l.typeOf(p, i))
			l.kinds[at[0]] = offsets
		}
		for _, o := range offsets {
			if inner := *(**goja.Program)(unsafe.Add(at[1], o)); inner != nil {
				l.markLocked(inner, lowered)
			}
		}
		for _, m := range []*functionMaker{l.function, l.method} {
			if at[0] == m.table && lowered[unsafe.StringData(*(*string)(unsafe.Add(at[1], m.source)))] {
				at[0] = unsafe.Pointer(&m.ours[0])
				break
			}
		}
	}
}

// programFields returns where an instruction keeps compiled functions and initialisers.
func programFields(t reflect.Type) []uintptr {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	var out []uintptr
	var visit func(t reflect.Type, base uintptr)
	visit = func(t reflect.Type, base uintptr) {
		for i := range t.NumField() {
			switch f := t.Field(i); {
			case f.Type == reflect.TypeOf((*goja.Program)(nil)):
				out = append(out, base+f.Offset)
			case f.Type.Kind() == reflect.Struct:
				visit(f.Type, base+f.Offset)
			}
		}
	}
	visit(t.Elem(), 0)
	return out
}

// asyncMakers are the two of the layout; the instructions' own method has no other way to them.
var asyncMakers struct {
	function, method *functionMaker
	vmRuntime        uintptr
}

func execFunction(n, vm unsafe.Pointer) { asyncMakers.function.make(n, vm) }
func execMethod(n, vm unsafe.Pointer)   { asyncMakers.method.make(n, vm) }

// make runs goja's instruction and turns the function that it left on the stack into an async generator function.
func (m *functionMaker) make(n, vm unsafe.Pointer) {
	code := &m.exec
	(*(*func(n, vm unsafe.Pointer))(unsafe.Pointer(&code)))(n, vm)
	rt := *(**goja.Runtime)(unsafe.Add(vm, asyncMakers.vmRuntime))
	if e := engineOf(rt); e != nil {
		if o, ok := e.in.operand(rt, 0).(*goja.Object); ok {
			e.becomeAsyncGenerator(o)
		}
	}
}

package gojainternals

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// goja calls a constructor of a script through Go: a second run of its machine, with a list of the arguments and what
// stops a panic. Ours calls it as any other function, with the new object as this. Behind the caller's frame lies a
// mark: the constructor, whose steps out are ours too, finds it there when it returns, and gives the new object in the
// place of what is none. Where goja enters its machine again it has a frame there, too, that no stack shows; so depths
// and stacks are the same. What super calls is goja's, and so are constructors of classes with
// fields.

// callMirror is what goja keeps of the caller of a function.
type callMirror struct {
	prg            *goja.Program
	stash, privEnv unsafe.Pointer
	newTarget      goja.Value
	result         goja.Value
	pc, sb, args   int
}

// classMirror is the constructor of a class.
type classMirror struct {
	functionMirror
	initFields     *goja.Program
	computedKeys   []goja.Value
	privateEnvType unsafe.Pointer
	privateMethods []goja.Value
	derived        bool
}

// constructorPC is where a mark says that its caller was, derivedPC where that of a derived class does. goja has no
// such places.
const (
	constructorPC = -3
	derivedPC     = -4
)

// constructorFields are what a call of a constructor needs besides what other calls do.
type constructorFields struct {
	class  unsafe.Pointer // the kind of classes
	result uintptr        // of the machine
}

func (l *Layout) readConstructors(r *reader) {
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	class := r.object("(class {})")
	if r.err != nil {
		return
	}
	concrete, _ := self(class)
	r.alike(reflect.TypeFor[classMirror](), concrete.Elem())
	l.constructors.class = l.kind(class)
	l.constructors.result, _ = r.field(vm.Elem(), "result", reflect.TypeFor[goja.Value]())
	_, calls := r.field(vm.Elem(), "callStack", nil)
	if r.err == nil {
		r.alike(reflect.TypeFor[callMirror](), calls.Elem())
	}
}

// returned is a step out of what may be a constructor.
type returned struct {
	goja   instruction
	layout *Layout
	this   *operand // where a derived class keeps it, if in a scope
}

func (r *returned) wrapped() instruction { return r.goja }

func (r *returned) exec(vm unsafe.Pointer) {
	l := r.layout
	if r.this != nil {
		stash := *(*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
		for range r.this.level {
			stash = *(*unsafe.Pointer)(unsafe.Add(stash, l.regions.outer))
		}
		this := (*(*[]goja.Value)(unsafe.Add(stash, l.regions.values)))[r.this.n]
		stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
		stack[*(*int)(unsafe.Add(vm, l.machine.sb))] = this
	}
	l.leave(vm)
}

// leave is a step out of a function, with the value on top of the stack.
func (l *Layout) leave(vm unsafe.Pointer) {
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp, sb := (*int)(unsafe.Add(vm, l.machine.sp)), (*int)(unsafe.Add(vm, l.machine.sb))
	calls := (*[]callMirror)(unsafe.Add(vm, l.machine.calls))
	last := len(*calls) - 1
	v := stack[*sp-1]
	var refused func(vm unsafe.Pointer)
	if mark := &(*calls)[last]; mark.pc <= constructorPC {
		if kindOf(v) != l.quick.object {
			this := stack[*sb]
			if mark.pc == derivedPC {
				if kindOf(v) != l.quick.undefined {
					refused = l.refuseResult
				} else if this == nil {
					refused = l.refuseThis
				}
			}
			v = this
		}
		mark.pc = 0
		last--
	}
	stack[*sb-1] = v
	*sp = *sb
	c := &(*calls)[last]
	*(**goja.Program)(unsafe.Add(vm, l.machine.program)) = c.prg
	*(*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash)) = c.stash
	*(*unsafe.Pointer)(unsafe.Add(vm, l.making.private)) = c.privEnv
	*(*goja.Value)(unsafe.Add(vm, l.making.target)) = c.newTarget
	*(*goja.Value)(unsafe.Add(vm, l.constructors.result)) = c.result
	*sb = c.sb
	*(*int)(unsafe.Add(vm, l.shortcut.args)) = c.args
	*(*int)(unsafe.Add(vm, l.quick.pc)) = c.pc + 1
	if c.prg != nil {
		*c = callMirror{}
	}
	*calls = (*calls)[:last]
	if refused != nil {
		*(*int)(unsafe.Add(vm, l.quick.pc))-- // the caller is where it was
		stack[*sp-1] = goja.Undefined()
		refused(vm)
	}
}

// refuseResult throws what the constructor of a derived class throws that returns neither an object nor undefined.
func (l *Layout) refuseResult(vm unsafe.Pointer) {
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	panic(rt.NewTypeError("Derived constructors may only return object or undefined"))
}

// neverSuper is a class whose constructor throws what each does that has not called super. Only goja can make that
// error. The class needs no global, which a script may have replaced.
var neverSuper = goja.MustCompile("", "(class extends null { constructor() {} })", true)

// refuseThis throws what the constructor of a derived class throws that has not called super.
func (l *Layout) refuseThis(vm unsafe.Pointer) {
	rt := *(**goja.Runtime)(unsafe.Add(vm, l.machine.runtime))
	class, err := rt.RunProgram(neverSuper)
	if err == nil {
		if construct, ok := goja.AssertConstructor(class); ok {
			_, err = construct(nil)
		}
	}
	if e, ok := errors.AsType[*goja.Exception](err); ok {
		panic(e.Value())
	}
	panic(err)
}

// leaves puts ours in the place of the steps out of what an instruction makes a constructor of.
func (l *Layout) leaves(in instruction) {
	switch traitsOf(in).pointee {
	case "newFunc", "newClass", "newDerivedClass":
	default:
		return
	}
	for _, body := range l.programsOf(in) {
		code := l.code(body)
		for i := range code {
			switch in := unwrapped(code[i]); {
			case tableOf(in) == tableOf(l.shortcut.ret):
				code[i] = &returned{goja: code[i], layout: l}
			case traitsOf(in).name == "cret":
				n := reflect.ValueOf(in).Uint()
				code[i] = &returned{goja: code[i], layout: l, this: &operand{n: int(n & 0xffffff), level: int(n >> 24)}}
			}
		}
	}
}

// constructed is new with a number of arguments.
type constructed struct {
	goja   instruction
	layout *Layout
	n      int
}

func (c *constructed) wrapped() instruction { return c.goja }

func (c *constructed) exec(vm unsafe.Pointer) {
	l := c.layout
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.machine.stack))
	sp := *(*int)(unsafe.Add(vm, l.machine.sp))
	if p := pair(&stack[sp-c.n-1]); p[0] == l.quick.object {
		o := (*goja.Object)(p[1])
		switch kind := l.kind(o); kind {
		case lightFunctions[lightFunction].native, unsafe.Pointer(&lightFunctions[lightFunction].table[0]):
			if l.construct(vm, o, (*functionMirror)(l.data(o)), c.n, false) {
				return
			}
		case l.constructors.class:
			f := (*classMirror)(l.data(o))
			if f.prg != nil && (f.derived || f.initFields == nil && f.privateEnvType == nil) &&
				l.construct(vm, o, &f.functionMirror, c.n, f.derived) {
				return
			}
		default:
			if _, js := l.regions.function(kind); !js {
				l.settle(stack[sp-c.n : sp])
			}
		}
	}
	c.goja.exec(vm)
}

// construct calls a constructor with the arguments on the stack. It does nothing if goja must do it.
func (l *Layout) construct(vm unsafe.Pointer, o *goja.Object, f *functionMirror, n int, derived bool) bool {
	code := l.code(f.prg)
	if len(code) == 0 {
		return false
	}
	if _, ours := code[len(code)-1].(*returned); !ours { // and so are all others
		return false
	}
	var this goja.Value
	if !derived {
		instance := l.instanceFor(l.runtimeOf(o), f)
		if instance == nil {
			return false
		}
		this = instance
	}
	sp := (*int)(unsafe.Add(vm, l.machine.sp))
	bottom := *sp - n
	stack := l.room(vm, *sp)
	copy(stack[bottom+1:*sp+1], stack[bottom:*sp])
	stack[bottom] = this
	*sp++

	calls := (*[]callMirror)(unsafe.Add(vm, l.machine.calls))
	mark := constructorPC
	if derived {
		mark = derivedPC
	}
	program := (**goja.Program)(unsafe.Add(vm, l.machine.program))
	target := (*goja.Value)(unsafe.Add(vm, l.making.target))
	stash := (*unsafe.Pointer)(unsafe.Add(vm, l.regions.stash))
	private := (*unsafe.Pointer)(unsafe.Add(vm, l.making.private))
	pc, args := (*int)(unsafe.Add(vm, l.quick.pc)), (*int)(unsafe.Add(vm, l.shortcut.args))
	*calls = append(*calls, callMirror{prg: *program, stash: *stash, privEnv: *private, newTarget: *target,
		result: *(*goja.Value)(unsafe.Add(vm, l.constructors.result)), pc: *pc,
		sb: *(*int)(unsafe.Add(vm, l.machine.sb)), args: *args}, callMirror{pc: mark})
	*program, *stash, *private, *target = f.prg, f.stash, f.privEnv, o
	*args, *pc = n, 0
	return true
}

// instanceFor is a new object of a function's prototype, nil if goja must make it.
func (l *Layout) instanceFor(rt *goja.Runtime, f *functionMirror) *goja.Object {
	prototype := l.objectIn(f.baseObject.values["prototype"])
	if prototype == nil { // not made yet, perhaps
		return nil
	}
	return l.madeObject(rt, (*goja.Object)(prototype))
}

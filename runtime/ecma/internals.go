package ecma

import (
	"fmt"
	"reflect"
	"sort"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
)

// layout holds the offsets of the unexported goja fields that hooks need. It is filled once per process from goja's own
// type information, never from assumed numbers.
type layout struct {
	objectSelf uintptr

	natives map[reflect.Type]nativeOffsets // read-only after readLayout

	errorType       reflect.Type
	errorStack      uintptr
	errorStackAdded uintptr

	regexpType     reflect.Type
	regexpSource   uintptr
	regexpStandard uintptr

	runtimeVM uintptr
	vmStack   uintptr
	vmSP      uintptr
	vmIntr    uintptr
	vmPrg     uintptr
	vmPC      uintptr
	vmSB      uintptr

	framePrg  uintptr
	frameFunc uintptr
	framePC   uintptr
	prgSrc    uintptr
	prgSrcMap uintptr
	jsFuncSrc map[reflect.Type]uintptr // read-only after readLayout
	jsFuncPrg map[reflect.Type]uintptr

	vmCallStack uintptr
	vmAsync     uintptr
	contextPrg  uintptr
	contextSB   uintptr
	contextSize uintptr
}

// srcMapEntry mirrors goja's srcMapItem: the instruction from which a source offset holds.
type srcMapEntry struct {
	pc     int
	srcPos int
}

// nativeOffsets says where a type of native function keeps its Go functions.
type nativeOffsets struct{ call, construct uintptr }

var internals = sync.OnceValues(readLayout)

type layoutReader struct{ err error }

func (r *layoutReader) field(t reflect.Type, name string, want reflect.Type) (uintptr, reflect.Type) {
	if r.err != nil {
		return 0, nil
	}
	f, ok := t.FieldByName(name)
	if !ok {
		r.err = fmt.Errorf("ecma: goja's %s has no field %s", t, name)
		return 0, nil
	}
	if want != nil && f.Type != want {
		r.err = fmt.Errorf("ecma: goja's %s.%s is a %s, expected %s", t, name, f.Type, want)
		return 0, nil
	}
	// Offset is relative to the innermost struct for promoted fields; add the path to it.
	off := uintptr(0)
	cur := t
	for _, i := range f.Index {
		sf := cur.Field(i)
		off += sf.Offset
		cur = sf.Type
	}
	return off, f.Type
}

// selfType returns the type and address of the implementation behind an object.
func selfOf(o *goja.Object) (reflect.Type, unsafe.Pointer) {
	v := reflect.ValueOf(o).Elem().FieldByName("self").Elem()
	return v.Type(), v.UnsafePointer()
}

func readLayout() (*layout, error) {
	r := &layoutReader{}
	l := &layout{jsFuncSrc: map[reflect.Type]uintptr{}, jsFuncPrg: map[reflect.Type]uintptr{}, natives: map[reflect.Type]nativeOffsets{}}
	objT := reflect.TypeOf(goja.Object{})
	l.objectSelf, _ = r.field(objT, "self", nil)
	if r.err != nil {
		return nil, r.err
	}
	rt := goja.New()

	boolT, intT, stringT := reflect.TypeOf(true), reflect.TypeOf(0), reflect.TypeOf("")
	callT := reflect.TypeOf((func(goja.FunctionCall) goja.Value)(nil))
	constrT := reflect.TypeOf((func([]goja.Value, *goja.Object) *goja.Object)(nil))

	errCtor, _ := rt.Get("TypeError").(*goja.Object)
	ft, _ := selfOf(errCtor)
	dateCtor, _ := rt.Get("Date").(*goja.Object)
	dt, _ := selfOf(dateCtor)
	for _, t := range []reflect.Type{ft, dt} {
		var o nativeOffsets
		o.call, _ = r.field(t.Elem(), "f", callT)
		o.construct, _ = r.field(t.Elem(), "construct", constrT)
		l.natives[t] = o
	}

	et, _ := selfOf(rt.NewTypeError("x"))
	l.errorType = et
	l.errorStack, _ = r.field(et.Elem(), "stack", reflect.TypeOf([]goja.StackFrame(nil)))
	l.errorStackAdded, _ = r.field(et.Elem(), "stackPropAdded", boolT)

	re, err := rt.RunString("/x/")
	if err != nil {
		return nil, fmt.Errorf("ecma: probe of a regular expression: %w", err)
	}
	ret, _ := selfOf(re.(*goja.Object))
	l.regexpType = ret
	l.regexpSource, _ = r.field(ret.Elem(), "source", reflect.TypeOf((*goja.String)(nil)).Elem())
	l.regexpStandard, _ = r.field(ret.Elem(), "standard", boolT)

	var vmT reflect.Type
	l.runtimeVM, vmT = r.field(reflect.TypeOf(goja.Runtime{}), "vm", nil)
	if r.err != nil {
		return nil, r.err
	}
	vmT = vmT.Elem()
	var stackT, prgT reflect.Type
	l.vmStack, stackT = r.field(vmT, "stack", nil)
	if r.err == nil && (stackT.Kind() != reflect.Slice || stackT.Elem() != reflect.TypeOf((*goja.Value)(nil)).Elem()) {
		return nil, fmt.Errorf("ecma: goja's vm.stack is a %s", stackT)
	}
	l.vmSP, _ = r.field(vmT, "sp", intT)
	l.vmIntr, _ = r.field(vmT, "interrupted", reflect.TypeOf(uint32(0)))
	l.vmPC, _ = r.field(vmT, "pc", intT)
	l.vmSB, _ = r.field(vmT, "sb", intT)
	l.vmPrg, prgT = r.field(vmT, "prg", reflect.TypeOf((*goja.Program)(nil)))
	if r.err != nil {
		return nil, r.err
	}
	prgT = prgT.Elem()
	var callT2 reflect.Type
	l.vmCallStack, callT2 = r.field(vmT, "callStack", nil)
	l.vmAsync, _ = r.field(vmT, "curAsyncRunner", nil)
	if r.err != nil {
		return nil, r.err
	}
	ctxT := callT2.Elem()
	l.contextSize = ctxT.Size()
	l.contextPrg, _ = r.field(ctxT, "prg", reflect.TypeOf((*goja.Program)(nil)))
	l.contextSB, _ = r.field(ctxT, "sb", intT)
	frameT := reflect.TypeOf(goja.StackFrame{})
	l.framePrg, _ = r.field(frameT, "prg", reflect.TypeOf((*goja.Program)(nil)))
	var nameT, mapT reflect.Type
	l.frameFunc, nameT = r.field(frameT, "funcName", nil)
	if r.err == nil && nameT.Kind() != reflect.String {
		return nil, fmt.Errorf("ecma: goja's StackFrame.funcName is a %s", nameT)
	}
	l.framePC, _ = r.field(frameT, "pc", intT)
	l.prgSrc, _ = r.field(prgT, "src", reflect.TypeOf((*file.File)(nil)))
	l.prgSrcMap, mapT = r.field(prgT, "srcMap", nil)
	if r.err != nil {
		return nil, r.err
	}
	item := mapT.Elem()
	if item.NumField() != 2 || item.Field(0).Name != "pc" || item.Field(1).Name != "srcPos" || item.Size() != unsafe.Sizeof(srcMapEntry{}) {
		return nil, fmt.Errorf("ecma: goja's source map item is %s", item)
	}

	for _, src := range []string{"(function(){})", "(()=>{})", "({m(){}}).m", "(class{})", "(async function(){})", "(async()=>{})", "({async m(){}}).m", "(function*(){})", "({*m(){}}).m"} {
		v, err := rt.RunString(src)
		if err != nil {
			return nil, fmt.Errorf("ecma: probe of %s: %w", src, err)
		}
		t, _ := selfOf(v.(*goja.Object))
		l.jsFuncSrc[t], _ = r.field(t.Elem(), "src", stringT)
		l.jsFuncPrg[t], _ = r.field(t.Elem(), "prg", reflect.TypeOf((*goja.Program)(nil)))
	}
	return l, r.err
}

func (l *layout) data(o *goja.Object) unsafe.Pointer {
	// An interface value is a pair (type, data); objects are always pointers to structs, so data is that pointer.
	iface := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	return iface[1]
}

// kind identifies the implementation type without allocating: the first word of the interface pair.
func (l *layout) kind(o *goja.Object) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))[0]
}

// native is the pair of Go functions behind a native JavaScript function.
type native struct {
	call      *func(goja.FunctionCall) goja.Value
	construct *func([]goja.Value, *goja.Object) *goja.Object
}

// native returns the live functions of o; ok is false when o is not a plain native function.
func (l *layout) native(o *goja.Object) (n native, ok bool) {
	if o == nil {
		return native{}, false
	}
	t, p := selfOf(o)
	off, ok := l.natives[t]
	if !ok {
		return native{}, false
	}
	return native{
		call:      (*func(goja.FunctionCall) goja.Value)(unsafe.Add(p, off.call)),
		construct: (*func([]goja.Value, *goja.Object) *goja.Object)(unsafe.Add(p, off.construct)),
	}, true
}

// errorFrames points at the stack of an error object that goja made.
func (l *layout) errorFrames(o *goja.Object) *[]goja.StackFrame {
	return (*[]goja.StackFrame)(unsafe.Add(l.data(o), l.errorStack))
}

// takeStackProperty tells goja that the error's "stack" property is already there, so that it never formats its own.
func (l *layout) takeStackProperty(o *goja.Object) {
	*(*bool)(unsafe.Add(l.data(o), l.errorStackAdded)) = true
}

func (l *layout) regexpSourceOf(o *goja.Object) *goja.String {
	return (*goja.String)(unsafe.Add(l.data(o), l.regexpSource))
}

func (l *layout) regexpIsStandard(o *goja.Object) *bool {
	return (*bool)(unsafe.Add(l.data(o), l.regexpStandard))
}

func (l *layout) vm(rt *goja.Runtime) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(rt), l.runtimeVM))
}

// operand returns the value n below the top of the virtual machine's stack (0 is the top), or nil.
func (l *layout) operand(rt *goja.Runtime, n int) goja.Value {
	vm := l.vm(rt)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.vmStack))
	sp := *(*int)(unsafe.Add(vm, l.vmSP))
	if i := sp - 1 - n; i >= 0 && i < len(stack) {
		return stack[i]
	}
	return nil
}

// argument returns argument n of the native function that runs now; -2 is its this value. nil if there is none.
func (l *layout) argument(rt *goja.Runtime, n int) goja.Value {
	vm := l.vm(rt)
	stack := *(*[]goja.Value)(unsafe.Add(vm, l.vmStack))
	sp, sb := *(*int)(unsafe.Add(vm, l.vmSP)), *(*int)(unsafe.Add(vm, l.vmSB))
	if i := sb + n; i >= 0 && i < len(stack) && (n < 0 || i < sp) {
		return stack[i]
	}
	return nil
}

// interruptFlag is the word that Runtime.Interrupt sets; read it atomically.
func (l *layout) interruptFlag(rt *goja.Runtime) *uint32 {
	return (*uint32)(unsafe.Add(l.vm(rt), l.vmIntr))
}

// inScript tells whether the running frame is JavaScript (not a native function called by it).
func (l *layout) inScript(rt *goja.Runtime) bool {
	return *(*unsafe.Pointer)(unsafe.Add(l.vm(rt), l.vmPrg)) != nil
}

// frameParts returns a frame's file, byte offset in it and raw function name; file is nil for a native frame.
func (l *layout) frameParts(f *goja.StackFrame) (src *file.File, offset int, name string) {
	p := unsafe.Pointer(f)
	name = f.FuncName()
	prg := *(*unsafe.Pointer)(unsafe.Add(p, l.framePrg))
	if prg == nil {
		return nil, 0, name
	}
	src = *(**file.File)(unsafe.Add(prg, l.prgSrc))
	entries := *(*[]srcMapEntry)(unsafe.Add(prg, l.prgSrcMap))
	pc := *(*int)(unsafe.Add(p, l.framePC))
	if i := sort.Search(len(entries), func(i int) bool { return entries[i].pc > pc }) - 1; i >= 0 {
		offset = entries[i].srcPos
	} else if len(entries) > 0 {
		offset = entries[0].srcPos
	}
	return src, offset, name
}

// setSource replaces the text that Function.prototype.toString shows for a JavaScript function.
func (l *layout) setSource(o *goja.Object, text string) bool {
	t, p := selfOf(o)
	off, ok := l.jsFuncSrc[t]
	if ok {
		*(*string)(unsafe.Add(p, off)) = text
	}
	return ok
}

// programOf returns the compiled body of a JavaScript function, or nil.
func (l *layout) programOf(o *goja.Object) *goja.Program {
	t, p := selfOf(o)
	if off, ok := l.jsFuncPrg[t]; ok {
		return *(**goja.Program)(unsafe.Add(p, off))
	}
	return nil
}

func (l *layout) frameProgram(f *goja.StackFrame) *goja.Program {
	return *(**goja.Program)(unsafe.Add(unsafe.Pointer(f), l.framePrg))
}

// syncFrames is how many frames of a stack captured now are real calls; the rest are callers that await the running
// async function.
func (l *layout) syncFrames(rt *goja.Runtime, total int) int {
	vm := l.vm(rt)
	if *(*unsafe.Pointer)(unsafe.Add(vm, l.vmAsync)) == nil {
		return total
	}
	n := 1
	header := (*struct {
		data     unsafe.Pointer
		len, cap int
	})(unsafe.Add(vm, l.vmCallStack))
	for i := 0; i < header.len; i++ {
		ctx := unsafe.Add(header.data, uintptr(i)*l.contextSize)
		if *(*unsafe.Pointer)(unsafe.Add(ctx, l.contextPrg)) != nil || *(*int)(unsafe.Add(ctx, l.contextSB)) > 0 {
			n++
		}
	}
	return min(n, total)
}

// note is what a stack carries behind its last frame: one more frame, beyond the slice's length and within its capacity,
// so that it lives exactly as long as the stack and nothing that ranges over the frames sees it.
type note struct {
	text   string // the stack's text once done
	async  int    // frames from this index on are awaiting callers
	done   bool
	exists bool
}

const noteDone = 1 << 40

// annotate returns a copy of frames that carries n.
func (l *layout) annotate(frames []goja.StackFrame, n note) []goja.StackFrame {
	out := make([]goja.StackFrame, len(frames), len(frames)+1)
	copy(out, frames)
	l.writeNote(out, n)
	return out
}

func (l *layout) writeNote(frames []goja.StackFrame, n note) {
	slot := &frames[:len(frames)+1][len(frames)]
	pc := n.async + 1
	if n.done {
		pc |= noteDone
	}
	*(*string)(unsafe.Add(unsafe.Pointer(slot), l.frameFunc)) = n.text
	*(*int)(unsafe.Add(unsafe.Pointer(slot), l.framePC)) = pc
}

func (l *layout) readNote(frames []goja.StackFrame) note {
	if cap(frames) != len(frames)+1 {
		return note{}
	}
	slot := &frames[:len(frames)+1][len(frames)]
	pc := *(*int)(unsafe.Add(unsafe.Pointer(slot), l.framePC))
	if pc == 0 {
		return note{}
	}
	return note{
		text:   *(*string)(unsafe.Add(unsafe.Pointer(slot), l.frameFunc)),
		async:  pc&^noteDone - 1,
		done:   pc&noteDone != 0,
		exists: true,
	}
}

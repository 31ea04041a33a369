package gojainternals

import (
	"reflect"
	"sort"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
)

// frameFields says where a frame of a captured stack and a compiled program keep what tells the place in the source.
type frameFields struct {
	program, function, pc uintptr
	source, positions     uintptr // of the program
}

// position mirrors goja's srcMapItem: the instruction from which on a source offset holds.
type position struct {
	pc     int
	srcPos int
}

func (l *Layout) readFrames(r *reader) {
	f := &l.frame
	t := reflect.TypeFor[goja.StackFrame]()
	f.program, _ = r.field(t, "prg", reflect.TypeFor[*goja.Program]())
	f.pc, _ = r.field(t, "pc", reflect.TypeFor[int]())
	var name, positions reflect.Type
	f.function, name = r.field(t, "funcName", nil)
	program := reflect.TypeFor[goja.Program]()
	f.source, _ = r.field(program, "src", reflect.TypeFor[*file.File]())
	f.positions, positions = r.field(program, "srcMap", nil)
	if r.err != nil {
		return
	}
	if name.Kind() != reflect.String {
		r.fail("StackFrame.funcName is a %s", name)
		return
	}
	item, want := positions.Elem(), reflect.TypeFor[position]()
	if item.Kind() != reflect.Struct || item.NumField() != want.NumField() || item.Size() != want.Size() {
		r.fail("source map item is a %s", item)
		return
	}
	for i := range want.NumField() {
		if a, b := item.Field(i), want.Field(i); a.Name != b.Name || a.Type != b.Type {
			r.fail("source map item has a field %s %s, expected %s %s", a.Name, a.Type, b.Name, b.Type)
		}
	}
}

// FrameProgram is the program that a frame runs, nil for a native function.
func (l *Layout) FrameProgram(f *goja.StackFrame) *goja.Program {
	return *(**goja.Program)(unsafe.Add(unsafe.Pointer(f), l.frame.program))
}

// FrameParts returns a frame's file, byte offset in it and the name of its function; the file is nil for a native
// function.
func (l *Layout) FrameParts(f *goja.StackFrame) (src *file.File, offset int, name string) {
	name = f.FuncName()
	p := l.FrameProgram(f)
	if p == nil {
		return nil, 0, name
	}
	src, offset = l.Place(p, *(*int)(unsafe.Add(unsafe.Pointer(f), l.frame.pc)))
	return src, offset, name
}

// FrameAt is the program that a frame runs and the number of the instruction there: what two frames of one place have
// in common. The program is nil for a native function.
func (l *Layout) FrameAt(f *goja.StackFrame) (p *goja.Program, pc int) {
	return l.FrameProgram(f), *(*int)(unsafe.Add(unsafe.Pointer(f), l.frame.pc))
}

// FrameInstruction is the name of goja's type of the instruction that a frame is at, "" for a native function.
func (l *Layout) FrameInstruction(f *goja.StackFrame) string {
	p := l.FrameProgram(f)
	if p == nil {
		return ""
	}
	code, pc := l.code(p), *(*int)(unsafe.Add(unsafe.Pointer(f), l.frame.pc))
	if pc < 0 || pc >= len(code) {
		return ""
	}
	t := reflect.TypeOf(unwrapped(code[pc]))
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// AwaitedAt is the byte offset of the last thing that a waiting frame has done.
func (l *Layout) AwaitedAt(f *goja.StackFrame) (offset int) {
	if p := l.FrameProgram(f); p != nil {
		_, offset = l.Place(p, *(*int)(unsafe.Add(unsafe.Pointer(f), l.frame.pc))-1)
	}
	return offset
}

// Place is the file and the byte offset in it that an instruction of a program was compiled from.
func (l *Layout) Place(p *goja.Program, pc int) (src *file.File, offset int) {
	src = *(**file.File)(unsafe.Add(unsafe.Pointer(p), l.frame.source))
	list := *(*[]position)(unsafe.Add(unsafe.Pointer(p), l.frame.positions))
	if len(list) == 0 {
		return src, 0
	}
	i := sort.Search(len(list), func(i int) bool { return list[i].pc > pc }) - 1
	return src, list[max(i, 0)].srcPos
}

// Note is what a stack carries behind its last frame: one more frame, beyond the slice's length and within its
// capacity. It lives exactly as long as the stack, and nothing that ranges over the frames sees it.
type Note struct {
	Text   string // the stack's text, once Done
	Async  int    // the frames from this index on are callers that await
	Done   bool
	Exists bool
}

const noteDone = 1 << 40

// Annotate returns a copy of frames that carries n.
func (l *Layout) Annotate(frames []goja.StackFrame, n Note) []goja.StackFrame {
	out := make([]goja.StackFrame, len(frames), len(frames)+1)
	copy(out, frames)
	l.WriteNote(out, n)
	return out
}

// WriteNote replaces the note of frames, which Annotate has returned.
func (l *Layout) WriteNote(frames []goja.StackFrame, n Note) {
	slot := unsafe.Pointer(&frames[:len(frames)+1][len(frames)])
	pc := n.Async + 1
	if n.Done {
		pc |= noteDone
	}
	*(*string)(unsafe.Add(slot, l.frame.function)) = n.Text
	*(*int)(unsafe.Add(slot, l.frame.pc)) = pc
}

// ReadNote returns the note of frames. Its Exists is false if they carry none.
func (l *Layout) ReadNote(frames []goja.StackFrame) Note {
	if cap(frames) != len(frames)+1 {
		return Note{}
	}
	slot := unsafe.Pointer(&frames[:len(frames)+1][len(frames)])
	pc := *(*int)(unsafe.Add(slot, l.frame.pc))
	if pc == 0 {
		return Note{}
	}
	return Note{
		Text:   *(*string)(unsafe.Add(slot, l.frame.function)),
		Async:  pc&^noteDone - 1,
		Done:   pc&noteDone != 0,
		Exists: true,
	}
}

package worker

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/v8text"
)

// Place is the line of the user's source where something was asked for, "" if there is none: the file, relative to dir,
// the number of the line and its text. m is the map of the Worker's script; nil is none.
func Place(m *bundle.SourceMap, dir string, from clock.Origin) string {
	frames, _ := from.Stack.([]goja.StackFrame)
	if len(frames) == 0 || m == nil {
		return ""
	}
	for _, f := range frames {
		if f.SrcName() != bundle.ScriptName {
			continue
		}
		at := f.Position()
		p, ok := m.Lookup(at.Line, at.Column)
		if !ok || strings.Contains(p.File, "/node_modules/") {
			continue
		}
		file := p.File
		if rel, err := filepath.Rel(dir, file); err == nil {
			file = filepath.ToSlash(rel)
		}
		text, _ := m.SourceLine(p.File, p.Line)
		return fmt.Sprintf("%s:%d  %s", file, p.Line, strings.TrimSpace(text))
	}
	return ""
}

// FramePlace tells where a frame of the isolate's stacks is, in the user's files. ok is false for code that the user
// has not written. Any goroutine, once the isolate has started.
func (iso *Isolate) FramePlace(f *goja.StackFrame) (p v8text.PlacedFrame, ok bool) {
	return iso.engine().Place(f)
}

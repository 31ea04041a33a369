package testrun

import (
	"strings"
	"sync/atomic"

	"eddy/runtime/bundle"
)

// Frames shows the source around places of a run, as it was when the program was built.
type Frames struct{ of atomic.Pointer[bundle.Map] }

// Show is the source around a place, "" if it is not known.
func (s *Frames) Show(f Frame) string {
	m := s.of.Load()
	if m == nil {
		return ""
	}
	return m.Excerpt(bundle.Position{File: strings.TrimPrefix(f.File, "file://"), Line: f.Line, Column: f.Column})
}

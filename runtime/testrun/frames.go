package testrun

import (
	"strings"
	"sync"

	"eddy/runtime/bundle"
)

// Frames shows the source around places of a run, as it was when the programs were built.
type Frames struct {
	mu sync.Mutex
	of map[string]*bundle.SourceMap // guarded by mu, by project
}

func (s *Frames) store(project string, m *bundle.SourceMap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]*bundle.SourceMap{}
	}
	s.of[project] = m
}

// Show is the source around a place, "" if it is not known.
func (s *Frames) Show(f StackFrame) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.of {
		at := bundle.Position{File: strings.TrimPrefix(f.File, "file://"), Line: f.Line, Column: f.Column}
		if text := m.Excerpt(at); text != "" {
			return text
		}
	}
	return ""
}

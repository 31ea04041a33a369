package testrun

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/bundle"
)

// covering is what a project counts for coverage.
type covering struct {
	counted map[string]*bundle.Counted // by id
}

// cover makes a program count. Files that options include are part of it although nobody imports them.
func (r *run) cover(m *bundle.Modules) {
	o := r.o.Coverage
	if o == nil {
		return
	}
	m.Count = func(file string) bool {
		return o.Covers(file) && !strings.Contains(filepath.ToSlash(file), "/node_modules/") &&
			!slices.Contains(r.all, file) && !slices.Contains(r.o.Setup, file)
	}
}

// covered takes what the program counts.
func (r *run) covered(m *bundle.Modules) {
	r.counted = m.Counted
	if r.o.Coverage != nil && len(r.o.Coverage.Include) > 0 {
		for _, c := range m.Counted {
			r.coverage.Declare(c)
		}
	}
}

// uncovered are the files that coverage includes, whether somebody imports them or not.
func (r *run) uncovered() ([]string, error) {
	o := r.o.Coverage
	if o == nil || len(o.Include) == 0 {
		return nil, nil
	}
	files, err := Find(o.Root, o.Include, append(slices.Clone(DefaultExclude), o.Exclude...))
	return slices.DeleteFunc(files, func(file string) bool {
		return !slices.Contains(scripts, filepath.Ext(file)) || strings.HasSuffix(file, ".d.ts") ||
			slices.Contains(r.all, file)
	}), err
}

// scripts are the extensions of files that have something to count.
var scripts = []string{".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs"}

// takeCounts adds what an isolate counted. Loop goroutine.
func (f *fileRun) takeCounts() error {
	if f.run.o.Coverage == nil {
		return nil
	}
	var counts map[string][]int
	if err := json.Unmarshal([]byte(f.modules(f.iso, "counts").String()), &counts); err != nil {
		return fmt.Errorf("coverage: %w", err)
	}
	for id, list := range counts {
		if c := f.run.counted[id]; c != nil {
			f.run.coverage.Declare(c)
			f.run.coverage.Add(c.File, list)
		}
	}
	return nil
}

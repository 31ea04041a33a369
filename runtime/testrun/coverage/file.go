package coverage

import (
	"maps"
	"slices"
	"sync"

	"eddy/runtime/bundle"
)

// Place is a position as istanbul has it: lines count from 1, columns from 0. Nil means that there is none.
type Place struct {
	Line   *int `json:"line,omitempty"`
	Column *int `json:"column,omitempty"`
}

// Location is a piece of a file.
type Location struct {
	Start Place `json:"start"`
	End   Place `json:"end"`
}

// Function is one function of a file.
type Function struct {
	Name string   `json:"name"`
	Decl Location `json:"decl"`
	Loc  Location `json:"loc"`
	Line int      `json:"line"`
}

// Branch is a place from which the program goes on in one of several ways.
type Branch struct {
	Loc       Location   `json:"loc"`
	Type      string     `json:"type"`
	Locations []Location `json:"locations"`
	Line      int        `json:"line"`
}

// FileCoverage is istanbul's coverage of one file; the counts of a statement, function or branch are at its index.
type FileCoverage struct {
	Path            string
	Statements      []Location
	Functions       []Function
	Branches        []Branch
	StatementCounts []int
	FunctionCounts  []int
	BranchCounts    [][]int
}

// Map is the coverage of a run.
type Map struct {
	mu    sync.Mutex
	files map[string]*FileCoverage // guarded by mu; by path
}

// Files are the files, sorted by path.
func (m *Map) Files() []*FileCoverage {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*FileCoverage
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		out = append(out, m.files[path])
	}
	return out
}

// Declare makes a file known, with nothing run yet. A file that is known already stays as it is.
func (m *Map) Declare(c *bundle.Counted) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]*FileCoverage{}
	}
	if m.files[c.File] == nil {
		m.files[c.File] = newFile(c)
	}
}

// Add adds the counts of one isolate to a file that was declared with as many counters.
func (m *Map) Add(path string, counts []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[path]
	if f == nil {
		return
	}
	take := func(into []int) {
		for i := range into {
			if len(counts) > 0 {
				into[i] += counts[0]
				counts = counts[1:]
			}
		}
	}
	take(f.StatementCounts)
	take(f.FunctionCounts)
	for _, ways := range f.BranchCounts {
		take(ways)
	}
}

func newFile(c *bundle.Counted) *FileCoverage {
	f := &FileCoverage{
		Path: c.File, StatementCounts: make([]int, len(c.Statements)), FunctionCounts: make([]int, len(c.Functions)),
	}
	for _, s := range c.Statements {
		f.Statements = append(f.Statements, location(s))
	}
	for _, fn := range c.Functions {
		f.Functions = append(f.Functions, Function{fn.Name, location(fn.Declared), location(fn.Body),
			fn.Declared.Start.Line})
	}
	for _, b := range c.Branches {
		branch := Branch{Loc: location(b.Span), Type: b.Kind, Line: b.Span.Start.Line}
		for _, way := range b.Ways {
			branch.Locations = append(branch.Locations, location(way))
		}
		f.Branches = append(f.Branches, branch)
		f.BranchCounts = append(f.BranchCounts, make([]int, len(b.Ways)))
	}
	return f
}

func location(s bundle.Span) Location { return Location{place(s.Start), place(s.End)} }

func place(p bundle.Position) Place {
	if p.Line == 0 {
		return Place{}
	}
	line, column := p.Line, p.Column-1
	return Place{&line, &column}
}

// Lines are the counts of the lines on which statements begin.
func (f *FileCoverage) Lines() map[int]int {
	lines := map[int]int{}
	for i, s := range f.Statements {
		line, count := *s.Start.Line, f.StatementCounts[i]
		if before, ok := lines[line]; !ok || before < count {
			lines[line] = count
		}
	}
	return lines
}

package profile

import (
	"slices"
	"strings"
	"time"

	"eddy/runtime/engine/v8text"
)

// Kind is what a profile says.
type Kind string

// The kinds of profiles.
const (
	CPU  Kind = "cpu"
	Heap Kind = "heap"
)

// Profile is what a recording has seen.
type Profile struct {
	Kind     Kind
	Began    time.Time
	Took     time.Duration
	Interval time.Duration // of a CPU profile
	Samples  []Sample
}

// Sample is a stack with what was spent there.
type Sample struct {
	Worker string
	// Stack is innermost first; empty while the isolate waited.
	Stack []Frame
	// At is the time since the begin, Took how long it computed: CPU.
	At, Took time.Duration
	// Objects and Bytes were allocated there, LiveObjects and Live are those that were alive at the end: Heap.
	Objects, Bytes, LiveObjects, Live int64
}

// Frame is a call of a function.
type Frame struct {
	// Function is "" for one without a name.
	Function string
	// URL is the file as stacks show it, "" for what has none: built-ins.
	URL string
	// Line is where the call is, BeginLine and BeginColumn where the function begins; all from 1, 0 for built-ins.
	Line, BeginLine, BeginColumn int
}

// Frames that stand for what is no function of a script.
var (
	nativeFrame  = Frame{Function: "(native)"}
	runtimeFrame = Frame{Function: "(runtime)"}
)

// frameOf is false for what only a debugger has put there.
func frameOf(p v8text.PlacedFrame) (f Frame, ok bool) {
	if p.Native {
		return Frame{Function: p.Function}, p.Function != "" && !strings.Contains(p.Function, "__eddy_")
	}
	return Frame{p.Function, p.File, p.Line, p.BeginLine, p.BeginColumn}, true
}

// Path is the file in the file system, "" for built-ins.
func (f Frame) Path() string { return strings.TrimPrefix(f.URL, "file://") }

// function is the frame without the place of the call.
func (f Frame) function() Frame { f.Line = 0; return f }

func (p *Profile) add(worker string, at, took time.Duration, stack []Frame) {
	p.Samples = append(p.Samples, Sample{Worker: worker, At: at, Took: took, Stack: stack})
}

// idle says that the isolate has waited.
func (p *Profile) idle(worker string, at, took time.Duration) {
	if n := len(p.Samples); n > 0 && p.Samples[n-1].Stack == nil {
		p.Samples[n-1].Took += took
		return
	}
	p.add(worker, at, took, nil)
}

// take adds the samples of another profile, in the order of time.
func (p *Profile) take(other *Profile) {
	p.Samples = append(p.Samples, other.Samples...)
	slices.SortStableFunc(p.Samples, func(a, b Sample) int { return int(a.At - b.At) })
}

// Of is the part of one Worker and of those that it has made from code.
func (p *Profile) Of(worker string) *Profile {
	out := *p
	out.Samples = nil
	for _, s := range p.Samples {
		if s.Worker == worker || strings.HasPrefix(s.Worker, worker+"/") {
			out.Samples = append(out.Samples, s)
		}
	}
	return &out
}

// Total is what all samples have together: nanoseconds of computing, or bytes that were allocated.
func (p *Profile) Total() (sum int64) {
	for i := range p.Samples {
		sum += p.weight(&p.Samples[i])
	}
	return sum
}

func (p *Profile) weight(s *Sample) int64 {
	switch {
	case p.Kind == Heap:
		return s.Bytes
	case s.Stack == nil:
		return 0
	}
	return int64(s.Took)
}

// Spent is a function with what was spent in it.
type Spent struct {
	Frame
	// Self is what it has spent itself, All with what it has called: nanoseconds, or bytes that were allocated.
	Self, All int64
}

// Top are the functions that have spent the most themselves.
func (p *Profile) Top(n int) []Spent {
	by := map[Frame]*Spent{}
	for i := range p.Samples {
		s := &p.Samples[i]
		weight := p.weight(s)
		seen := map[Frame]bool{}
		for depth, f := range s.Stack {
			f = f.function()
			if by[f] == nil {
				by[f] = &Spent{Frame: f}
			}
			if depth == 0 {
				by[f].Self += weight
			}
			if !seen[f] {
				by[f].All += weight
			}
			seen[f] = true
		}
	}
	var list []Spent
	for _, s := range by {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Spent) int {
		switch {
		case a.Self != b.Self:
			return int(b.Self - a.Self)
		case a.All != b.All:
			return int(b.All - a.All)
		case a.URL != b.URL:
			return strings.Compare(a.URL, b.URL)
		case a.BeginLine != b.BeginLine:
			return a.BeginLine - b.BeginLine
		}
		return strings.Compare(a.Function, b.Function)
	})
	return list[:min(n, len(list))]
}

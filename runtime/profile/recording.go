package profile

import (
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/v8text"
)

// DefaultInterval is how often isolates are looked at, as often as V8's profiler looks.
const DefaultInterval = time.Millisecond

// leastInterval is that of a client who wants all: a look takes a tenth of a millisecond.
const leastInterval = 200 * time.Microsecond

// Source is an isolate.
type Source struct {
	Worker string
	Loop   *eventloop.Loop
	// Place tells where a frame is. ok is false for code that no user has written.
	Place func(*goja.StackFrame) (p v8text.PlacedFrame, ok bool)
}

// Recording looks at isolates. Make one with [Record].
type Recording struct {
	interval time.Duration
	began    time.Time
	stop     chan struct{}
	tasks    sync.WaitGroup

	mu       sync.Mutex
	watched  map[*eventloop.Loop]bool // guarded by mu
	profiles []*Profile               // guarded by mu, one for each source
}

// lookForSources is how often a recording looks whether there are new isolates.
const lookForSources = 100 * time.Millisecond

// Record begins to look at the isolates that sources gives, now and later, every interval; 0 is [DefaultInterval].
func Record(interval time.Duration, sources func() []Source) *Recording {
	if interval <= 0 {
		interval = DefaultInterval
	}
	r := &Recording{interval: max(interval, leastInterval), began: time.Now(), stop: make(chan struct{}),
		watched: map[*eventloop.Loop]bool{}}
	r.add(sources())
	r.tasks.Go(func() {
		tick := time.NewTicker(lookForSources)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.add(sources())
			case <-r.stop:
				return
			}
		}
	})
	return r
}

// Stop ends the recording. It is called once.
func (r *Recording) Stop() *Profile {
	close(r.stop)
	r.tasks.Wait()
	whole := &Profile{Kind: CPU, Began: r.began, Took: time.Since(r.began), Interval: r.interval}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.profiles {
		whole.take(p)
	}
	return whole
}

func (r *Recording) add(sources []Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range sources {
		if r.watched[s.Loop] {
			continue
		}
		r.watched[s.Loop] = true
		p := &Profile{Kind: CPU}
		r.profiles = append(r.profiles, p)
		r.tasks.Go(func() { r.look(s, p) })
	}
}

// maxSamples bounds what a recording keeps of one isolate: an hour of computing.
const maxSamples = 3_600_000

// look takes samples of an isolate until the recording or the isolate ends.
func (r *Recording) look(s Source, into *Profile) {
	layout, err := gojainternals.Read()
	if err != nil {
		return // a defect of the build, which fails every start
	}
	m := &mapper{source: s, layout: layout, known: map[place]frameNumber{}, into: into}
	sampler := s.Loop.Sampler()
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	last := time.Now()
	var owed struct { // to the turn that did not answer
		turn uint64
		time time.Duration
	}
	for len(into.Samples) < maxSamples {
		select {
		case <-tick.C:
		case <-r.stop:
			return
		case <-s.Loop.Stopped():
			return
		}
		now := time.Now()
		passed := now.Sub(last)
		began := last.Sub(r.began)
		last = now
		sample := sampler.Look()
		if owed.time > 0 && owed.turn != sample.Turn {
			into.add(s.Worker, began-owed.time, owed.time, []Frame{nativeFrame})
			owed.time = 0
		}
		switch {
		case sample.Turn == 0:
			into.idle(s.Worker, began, passed)
		case sample.Stack == nil:
			owed.turn = sample.Turn
			owed.time += passed
		default:
			into.add(s.Worker, began-owed.time, passed+owed.time, m.frames(sample.Stack))
			owed.time = 0
		}
	}
}

// place is where a frame is, as the engine knows it.
type place struct {
	program *goja.Program
	pc      int
	native  string
}

type frameNumber struct {
	frame Frame
	ok    bool
}

// mapper finds the user's places of an isolate's frames, each once.
type mapper struct {
	source Source
	layout *gojainternals.Layout
	known  map[place]frameNumber
	into   *Profile
}

// frames are the places of a stack, innermost first.
func (m *mapper) frames(stack []goja.StackFrame) (list []Frame) {
	for i := range stack {
		var at place
		if at.program, at.pc = m.layout.FrameAt(&stack[i]); at.program == nil {
			at.pc, at.native = 0, stack[i].FuncName()
		}
		n, known := m.known[at]
		if !known {
			var p v8text.PlacedFrame
			if p, n.ok = m.source.Place(&stack[i]); n.ok {
				n.frame, n.ok = frameOf(p)
			}
			m.known[at] = n
		}
		if n.ok {
			list = append(list, n.frame)
		}
	}
	if len(list) == 0 {
		list = []Frame{runtimeFrame}
	}
	return list
}

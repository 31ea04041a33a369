package profile

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/google/pprof/profile"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/gojainternals"
)

// The engine keeps no account of what a script allocates, and Go's runtime keeps one: of a sample of the allocations it
// has the stack of Go's own calls, and knows whether they are still alive. So while a heap is recorded, each call of a
// function of a script runs through functions whose names in Go's stack say a number, which is that of the function of
// the script.

// HeapRecording notes which functions allocate. Make one with [RecordHeap].
type HeapRecording struct {
	began  time.Time
	layout *gojainternals.Layout
	stop   chan struct{}
	tasks  sync.WaitGroup

	mu        sync.Mutex
	functions map[int]allocating         // guarded by mu, by their numbers
	sources   map[*eventloop.Loop]Source // guarded by mu
	ends      []func()                   // guarded by mu
}

// allocating is a function of a script.
type allocating struct {
	worker string
	frame  Frame
}

// numbers are given once in the life of the process: what was allocated under one stays in the profile of the heap.
var numbers struct {
	sync.Mutex
	given int // guarded by the mutex
}

// maxNumber is how many numbers there are. A function that finds none counts for its caller.
const maxNumber = 1 << (digitBits * places)

const (
	digitBits = 4
	places    = 4
)

// RecordHeap begins to note what the isolates allocate that sources gives, now and later.
func RecordHeap(sources func() []Source) (*HeapRecording, error) {
	if runtime.MemProfileRate <= 0 {
		return nil, fmt.Errorf("Go's profile of the heap is switched off: GODEBUG has memprofilerate=0")
	}
	layout, err := gojainternals.Read()
	if err != nil {
		return nil, err
	}
	r := &HeapRecording{began: time.Now(), layout: layout, stop: make(chan struct{}), functions: map[int]allocating{},
		sources: map[*eventloop.Loop]Source{}}
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
	return r, nil
}

func (r *HeapRecording) add(sources []Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range sources {
		if _, known := r.sources[s.Loop]; known {
			continue
		}
		numbered := map[*goja.Program]int{}
		end, ok := s.Loop.Nest(func(p *goja.Program, run func()) {
			n, known := numbered[p]
			if !known {
				n = r.number(s, p)
				numbered[p] = n
			}
			if n == 0 {
				run()
				return
			}
			(&walk{number: n, left: places, run: run}).next()
		})
		if ok { // else another recording has the isolate
			r.sources[s.Loop] = s
			r.ends = append(r.ends, end)
		}
	}
}

// number gives a function of a script its number; 0 is none, for one that no user has written.
func (r *HeapRecording) number(s Source, p *goja.Program) int {
	raw := r.layout.FrameOf(p)
	at, ok := s.Place(&raw)
	if !ok {
		return 0
	}
	numbers.Lock()
	if numbers.given >= maxNumber-1 {
		numbers.Unlock()
		return 0
	}
	numbers.given++
	n := numbers.given
	numbers.Unlock()
	f := Frame{at.Function, at.File, at.BeginLine, at.BeginLine, at.BeginColumn}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.functions[n] = allocating{s.Worker, f}
	return n
}

// Profile is what was allocated so far, after a collection.
func (r *HeapRecording) Profile() (*Profile, error) {
	runtime.GC()
	runtime.GC() // the profile of the heap is as of the collection before the last one
	var text bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&text, 0); err != nil {
		return nil, fmt.Errorf("read the heap's profile: %w", err)
	}
	p, err := profile.ParseData(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("read the heap's profile: %w", err)
	}
	value := map[string]int{}
	for i, kind := range p.SampleType {
		value[kind.Type] = i
	}
	out := &Profile{Kind: Heap, Began: r.began, Took: time.Since(r.began)}
	r.mu.Lock()
	defer r.mu.Unlock()
	live := map[string]int64{}
	for _, sample := range p.Sample {
		worker, stack := r.stack(sample.Location)
		if stack == nil {
			continue
		}
		of := func(kind string) int64 { return sample.Value[value[kind]] }
		s := Sample{Worker: worker, Stack: stack, Objects: of("alloc_objects"), Bytes: of("alloc_space"),
			LiveObjects: of("inuse_objects"), Live: of("inuse_space")}
		live[worker] += s.Live
		out.Samples = append(out.Samples, s)
	}
	for loop, s := range r.sources {
		if bytes, known := loop.Weight(); known && int64(bytes) > live[s.Worker] {
			rest := int64(bytes) - live[s.Worker]
			out.Samples = append(out.Samples, Sample{Worker: s.Worker, Stack: []Frame{earlierFrame}, Live: rest})
		}
	}
	return out, nil
}

// earlierFrame stands for what an isolate holds that no function has allocated while the heap was recorded.
var earlierFrame = Frame{Function: "(before, and not by functions)"}

// stack are the functions of a script in a stack of Go's, innermost first; nil if there are none of this recording.
func (r *HeapRecording) stack(locations []*profile.Location) (worker string, stack []Frame) {
	number, found := 0, 0
	for _, l := range locations {
		for _, line := range l.Line {
			digit, ok := strings.CutPrefix(line.Function.Name, digitPrefix)
			if !ok || len(digit) != 1 {
				continue
			}
			number |= strings.Index("0123456789ABCDEF", digit) << (digitBits * found)
			if found++; found < places {
				continue
			}
			if f, ok := r.functions[number]; ok {
				worker, stack = f.worker, append(stack, f.frame)
			}
			number, found = 0, 0
		}
	}
	return worker, stack
}

// Stop ends the recording. Either it or End is called, once.
func (r *HeapRecording) Stop() (*Profile, error) {
	r.End()
	return r.Profile()
}

// End is Stop for those who do not want to know.
func (r *HeapRecording) End() {
	close(r.stop)
	r.tasks.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.ends {
		end()
	}
}

// walk calls as many functions as a number has digits, the highest first, and then run.
type walk struct {
	number, left int
	run          func()
}

func (w *walk) next() {
	if w.left == 0 {
		w.run()
		return
	}
	w.left--
	digits[w.number>>(w.left*digitBits)%(1<<digitBits)](w)
}

const digitPrefix = "eddy/runtime/profile.digit"

var digits [1 << digitBits]func(*walk)

func init() { // digits calls itself through next
	digits = [...]func(*walk){digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7,
		digit8, digit9, digitA, digitB, digitC, digitD, digitE, digitF}
}

//go:noinline
func digit0(w *walk) { w.next() }

//go:noinline
func digit1(w *walk) { w.next() }

//go:noinline
func digit2(w *walk) { w.next() }

//go:noinline
func digit3(w *walk) { w.next() }

//go:noinline
func digit4(w *walk) { w.next() }

//go:noinline
func digit5(w *walk) { w.next() }

//go:noinline
func digit6(w *walk) { w.next() }

//go:noinline
func digit7(w *walk) { w.next() }

//go:noinline
func digit8(w *walk) { w.next() }

//go:noinline
func digit9(w *walk) { w.next() }

//go:noinline
func digitA(w *walk) { w.next() }

//go:noinline
func digitB(w *walk) { w.next() }

//go:noinline
func digitC(w *walk) { w.next() }

//go:noinline
func digitD(w *walk) { w.next() }

//go:noinline
func digitE(w *walk) { w.next() }

//go:noinline
func digitF(w *walk) { w.next() }

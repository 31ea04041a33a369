package eventloop

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/heapwatch"
)

// Sampler looks at what a loop computes, again and again, for a profile. One goroutine uses it; nothing is in the loop
// while nobody looks. It sees the turns of scopes with a CPU limit. Make one with [Loop.Sampler].
type Sampler struct{ loop *Loop }

// Sampler makes a sampler of the loop. One at a time looks at a loop.
func (l *Loop) Sampler() *Sampler { return &Sampler{l} }

// Glance is what one look at a loop has seen.
type Glance struct {
	// Turn is the number of the turn that runs, 0 if the loop computes nothing: it waits, or a person holds it up.
	Turn uint64
	// Stack is what runs, innermost first, nil if that could not be told in time: a native function does not say where
	// it is. A later look at the same turn finds what has called it.
	Stack []goja.StackFrame
}

// Look looks at the loop once; it takes a moment. Not on the loop goroutine.
func (s *Sampler) Look() (out Glance) {
	w := &s.loop.watch
	w.mu.Lock()
	if w.mu.scope == nil || w.mu.held || w.mu.computing.look != nil || w.mu.sampled {
		w.mu.Unlock()
		return Glance{}
	}
	w.mu.sampled = true
	out.Turn = w.mu.memory.turn
	look := s.loop.machine.Look()
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		look.End()
		w.mu.sampled = false
		w.mu.Unlock()
	}()
	for range looksForSample {
		look.Ask()
		if stack, ok := look.Stack(); ok {
			out.Stack = stack
			return out
		}
		w.mu.Lock()
		over := w.mu.scope == nil || w.mu.memory.turn != out.Turn
		w.mu.Unlock()
		if over {
			return out
		}
	}
	return out
}

// looksForSample is how often an answer is asked for: each time a script that runs has longer to give it.
const looksForSample = 4

// Nest is [gojainternals.Machine.Nest] for the scripts of the loop.
func (l *Loop) Nest(through gojainternals.Through) (end func(), ok bool) {
	return l.machine.Nest(through)
}

// Weight is how many bytes of the last collection are alive that the isolate has made. known is false if that cannot
// be told.
func (l *Loop) Weight() (bytes uint64, known bool) {
	weights, err := heapwatch.Weigh()
	if err != nil {
		return 0, false
	}
	return weights.Of(l.share)
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// flowBook is what became of instances of workflows: what clients have asked for and were told, what attempts of their
// steps were given, and what their scripts were told of it.
type flowBook struct {
	skew  time.Duration
	mu    sync.Mutex
	runs  map[string]*flowRun // guarded by mu, as is all below; by id
	wrong []string            // what contradicts itself
	again int                 // attempts whose step had another one that was given something
}

// flowRun is one instance. Its client alone asks for it, until all clients have stopped.
type flowRun struct {
	workflow, id string
	nap          time.Duration

	tried, made  bool // a create was sent, acknowledged
	sent         int  // events sent, of which one was acknowledged if heard
	heard        bool
	paused       bool // it may be paused
	ending       bool // a terminate was sent
	ended        bool // and acknowledged, while it was not complete
	final        string
	given        map[string]int    // attempts that were given something, by step
	told         map[string]string // what the script was told, by step
	slept        time.Time         // since when, at the earliest
	failed, woke bool              // the first attempt of a step was refused; the second step has begun
}

// newFlowBook is of nodes whose clocks differ by skew: a sleep that goes on at another node ends as much early.
func newFlowBook(skew time.Duration) *flowBook {
	return &flowBook{skew: skew, runs: map[string]*flowRun{}}
}

func (b *flowBook) bad(format string, args ...any) {
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// ServeHTTP hears of an attempt of a step, which it gives something that no other one gets, and of what a script was
// told. Of every third instance the first attempt is refused.
func (b *flowBook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, code, late := b.answer(r.URL.Path, r.URL.Query())
	<-time.After(late)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

func (b *flowBook) answer(path string, q url.Values) (text string, code int, late time.Duration) {
	id, step := q.Get("i"), q.Get("s")
	b.mu.Lock()
	defer b.mu.Unlock()
	in := b.runs[id]
	switch {
	case in == nil:
		b.bad("%s runs, and nobody has asked for it", id)
		return "nobody has asked for it", http.StatusNotFound, 0
	case path == "/told":
		b.heardOf(in, step, q.Get("v"))
		return "noted", http.StatusOK, 0
	case len(id)%3 == 0 && !in.failed:
		in.failed = true
		return "not yet", http.StatusServiceUnavailable, 0
	case step == "second": // it takes so long that nodes are lost meanwhile
		late = in.nap / 4
	}
	return b.give(in, step), http.StatusOK, late
}

// give answers an attempt. It is called with mu held.
func (b *flowBook) give(in *flowRun, step string) string {
	if step == "second" && !in.woke {
		in.woke = true
		if slept := time.Since(in.slept); slept < in.nap-b.skew-50*time.Millisecond { // they end milliseconds
			b.bad("%s has slept %s of %s", in.id, slept, in.nap)
		}
	}
	if in.given[step]++; in.given[step] > 1 {
		b.again++
	}
	return fmt.Sprint(step, in.given[step])
}

// heardOf notes what a script was told, each time that it runs from the top. It is called with mu held.
func (b *flowBook) heardOf(in *flowRun, step, value string) {
	was, before := in.told[step]
	in.told[step] = value
	switch {
	case before && was != value:
		b.bad("%s was told %s of %s, and then %s", in.id, was, step, value)
	case before:
	case step == "event":
		if n := 0; !scan(value, "%d", &n) || n < 1 || n > in.sent {
			b.bad("%s has got the event %q, of %d that were sent", in.id, value, in.sent)
		}
	default:
		if n := 0; !scan(value, step+"%d", &n) || n < 1 || n > in.given[step] {
			b.bad("%s was told %q of %s, whose attempts were given %d", in.id, value, step, in.given[step])
		}
	}
	if step == "first" && !before {
		in.slept = time.Now()
	}
}

func scan(text, format string, into *int) bool {
	_, err := fmt.Sscanf(text, format, into)
	return err == nil
}

// output is what the instance must end with.
func (in *flowRun) output() string {
	return strings.Join([]string{in.told["first"], in.told["second"], in.told["event"], in.told["third"]}, ",")
}

// status notes what somebody was told of an instance, and tells whether it has ended.
func (b *flowBook) status(in *flowRun, text string) (final bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	status, rest, _ := strings.Cut(text, " ")
	switch status {
	case "complete":
		final = true
		if rest != in.output() || len(in.told) != 4 {
			b.bad("%s has ended with %s, and was told %v", in.id, rest, in.told)
		}
		if in.ended {
			b.bad("%s was terminated, and is complete", in.id)
		}
	case "terminated":
		final = true
		if !in.ending {
			b.bad("%s is terminated, and nobody has asked for that", in.id)
		}
	case "queued", "running", "waiting":
	case "paused", "waitingForPause":
		if !in.paused {
			b.bad("%s is %s, and nobody has asked for that", in.id, status)
		}
	default: // errored, or instance.not_found
		final = true
		b.bad("%s is %s", in.id, text)
	}
	if in.final != "" && in.final != text {
		b.bad("%s was %s, and is %s", in.id, in.final, text)
	}
	if final {
		in.final = text
	}
	return final
}

// all are the instances that were asked for.
func (b *flowBook) all() (list []*flowRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, in := range b.runs {
		list = append(list, in)
	}
	return list
}

// add makes an instance known before it is asked for.
func (b *flowBook) add(workflow, id string, nap time.Duration) *flowRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	in := &flowRun{workflow: workflow, id: id, nap: nap, given: map[string]int{}, told: map[string]string{}}
	b.runs[id] = in
	return in
}

// contradictions are what was wrong so far.
func (b *flowBook) contradictions() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.wrong)
}

// sum counts what became of the instances.
func (b *flowBook) sum() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ends := map[string]int{}
	steps := 0
	for _, in := range b.runs {
		status, _, _ := strings.Cut(in.final, " ")
		ends[status]++
		steps += len(in.told)
	}
	return fmt.Sprintf("%d instances, %d of them complete, %d terminated; %d results told, %d attempts made again",
		len(b.runs), ends["complete"], ends["terminated"], steps, b.again)
}

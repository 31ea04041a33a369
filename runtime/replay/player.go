package replay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/queues/queuejs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/cause"
	"eddy/runtime/clock"
	"eddy/runtime/inspector"
	"eddy/runtime/journal"
	"eddy/runtime/report"
	"eddy/runtime/session"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Project names the Workers that run. Its fields are those of a session.
type Project struct {
	Configs []string
	// Dir is the working directory, absolute.
	Dir, Env                string
	Vars, EnvFiles, Environ []string
	Given                   []session.Given
	Elsewhere               func(service string) servicebinding.DistantWorker
}

// Options are the conditions under which a plan runs.
type Options struct {
	Project
	// State is a state directory. The session begins with a copy of it; without one it begins empty.
	State string
	// Live lets outgoing requests through to the network.
	Live bool
	// Logs compares log lines, too.
	Logs bool
	// Seed decides what the file does not: random numbers and ids.
	Seed uint64
	// Inspector, if set, lets debuggers into the Workers.
	Inspector *inspector.Inspector
	// Lines takes the console output of the Workers. If it is nil, the output is dropped.
	Lines *report.Reporter
}

// Replayed is what became of a step.
type Replayed struct {
	*Rerun
	// Got is the event as it ran now. It is nil if the event did not end; Failed says why.
	Got    *journal.Line
	Failed string
	// Children are the events of objects and other Workers that this one caused.
	Children []*Replayed
	// Unanswered describes the outgoing requests for which the file has no answer.
	Unanswered []string
	// Differences lists the differences from the file. It is empty if the file has no result of the event.
	Differences []Difference
}

// Differs tells whether the replay differs from the file.
func (e *Replayed) Differs() bool {
	if len(e.Differences)+len(e.Unanswered) > 0 || e.Failed != "" {
		return true
	}
	for _, c := range e.Children {
		if c.Differs() {
			return true
		}
	}
	return false
}

// player runs one plan.
type player struct {
	o      Options
	list   []*Recorded
	clock  *clock.Virtual
	random *random
	// answers is nil if requests go to the network.
	answers *answers
	up      *session.Session

	mu sync.Mutex
	// entries are those that have ended, by the span that caused them. Guarded by mu, as is all below.
	entries map[[8]byte][]*journal.Line
	spans   map[*journal.Line][8]byte
	// open are the steps that have not ended, by the span with which they began.
	open map[[8]byte]bool
	// origins are the lines that entries under way run again, by the spans of the entries; steps those of the steps, by
	// the spans that cause them; calls the lines that a line has caused, those that have no entry yet.
	origins map[[8]byte]*journal.Line
	steps   map[[8]byte]*journal.Line
	calls   map[*journal.Line][]*Recorded
	below   map[string][]*Recorded // what a line has caused, by its span
	changed chan struct{}          // closed and renewed at each entry
	reading int                    // responses that are still being read
	clients []func()               // end the WebSockets with which requests were answered
}

// Run runs a plan. list has all events of the files, which tell what steps caused and how outgoing requests were
// answered. An error comes from the project or from the context.
func Run(ctx context.Context, o Options, list []*Recorded, plan []*Rerun) (_ []*Replayed, err error) {
	if len(plan) == 0 {
		return nil, nil
	}
	p := &player{o: o, list: list, clock: clock.NewVirtual(plan[0].Start, o.Seed), random: newRandom(o.Seed),
		entries: map[[8]byte][]*journal.Line{}, spans: map[*journal.Line][8]byte{}, open: map[[8]byte]bool{},
		changed: make(chan struct{}), origins: map[[8]byte]*journal.Line{}, steps: map[[8]byte]*journal.Line{},
		calls: map[*journal.Line][]*Recorded{}, below: caused(list)}
	p.clock.Pause()
	so, tidy, err := p.session()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	if p.up, err = session.Start(ctx, so); err != nil {
		return nil, err
	}
	defer func() {
		p.up.GiveUp()
		err = errors.Join(err, p.up.Stop())
	}()
	if p.o.State == "" {
		if err := p.up.MigrateDatabases(); err != nil {
			return nil, err
		}
	}
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, step := range plan {
		if d := step.Start.Sub(p.clock.Now()); d > 0 {
			if err := p.clock.Advance(ctx, d); err != nil {
				return nil, err
			}
		}
		if p.answers != nil {
			p.answers.begin(i, step.Line)
		}
		p.random.begin(fmt.Sprint(step.Line.Span, " ", step.Line.At, " ", step.Again))
		if err := p.dispatch(inside, step, spanOf(i)); err != nil {
			return nil, &LineError{step.File, step.Number, err}
		}
		if err := p.clock.Advance(ctx, 0); err != nil {
			return nil, err
		}
	}
	if err := p.finish(ctx); err != nil {
		return nil, err
	}
	return p.results(plan), nil
}

// session makes the options of the session. tidy removes the files that were made for it.
func (p *player) session() (so session.Options, tidy func() error, err error) {
	so = session.Options{Configs: p.o.Configs, Dir: p.o.Dir, Env: p.o.Env, Vars: p.o.Vars, EnvFiles: p.o.EnvFiles,
		Environ: p.o.Environ, Given: p.o.Given, Elsewhere: p.o.Elsewhere, Inspector: p.o.Inspector}
	so.Ephemeral, so.Relaxed, so.Unattended, so.Driven, so.Warned = true, true, true, true, true
	so.NoContainers = true // what they answer is not recorded
	so.Scratch, so.Alarms = statedir.Memory(), objectjs.AlarmsFire
	so.Clock, so.Random, so.Today, so.ObjectHistory = p.clock, p.random, time.Now(), -1
	so.Journal = session.JournalOptions{On: true, Seen: p.seen, Chances: p.chances, Full: full(p.list)}
	if so.Report = p.o.Lines; so.Report == nil {
		so.Report = report.New(report.Options{Level: report.None})
	}
	if !p.o.Live {
		p.answers = newAnswers(p.list, caused(p.list))
		so.Outbound = p.answers.of
	}
	tidy = func() error { return nil }
	if p.o.State != "" {
		if so.State, err = copyState(p.o.State); err != nil {
			return so, tidy, err
		}
		dir := string(so.State)
		so.Ephemeral, tidy = false, func() error { return os.RemoveAll(filepath.Dir(dir)) }
	}
	return so, tidy, nil
}

// copyState copies a state directory into a new folder.
func copyState(from string) (statedir.Dir, error) {
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no state directory %s\n  eddy state shows where state is", from)
	}
	to, err := os.MkdirTemp(statedir.Memory(), "eddy-replay-")
	if err != nil {
		return "", fmt.Errorf("copy the state: %w", err)
	}
	dir := filepath.Join(to, "state")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return "", errors.Join(fmt.Errorf("copy the state: %w", err), os.RemoveAll(to))
	}
	return statedir.Dir(dir), nil
}

// spanOf is the span that causes step i.
func spanOf(i int) (s [8]byte) {
	binary.BigEndian.PutUint64(s[:], uint64(i)+1)
	return s
}

// traceOf is the trace of everything in a replay.
var traceOf = [16]byte{15: 1}

// target returns the Worker for an event: the one that handled it, if the session has it; otherwise the consumer of its
// queue; otherwise the first Worker.
func (p *player) target(l *journal.Line) *worker.Worker {
	if l.Worker != "" {
		if w := p.up.Worker(l.Worker); w != nil {
			return w
		}
	}
	for _, name := range p.up.Workers() {
		if l.Queue != "" && consumes(p.up.Config(name), l.Queue) {
			return p.up.Worker(name)
		}
	}
	return p.up.Worker("")
}

func consumes(c *wrangler.Config, queue string) bool {
	for i := range c.Queues.Consumers {
		if c.Queues.Consumers[i].Queue == queue {
			return true
		}
	}
	return false
}

// dispatch starts a step.
func (p *player) dispatch(ctx context.Context, step *Rerun, span [8]byte) error {
	l := step.Line
	from := cause.Cause{Trace: traceOf, Span: span}
	w := p.target(l)
	if w == nil {
		return errors.New("the Worker does not run")
	}
	p.mu.Lock()
	p.open[span] = true
	p.steps[span] = step.Line
	p.mu.Unlock()
	o := worker.DispatchOptions{Entrypoint: l.Exported}
	o.Hops.Cause = from
	switch l.Kind {
	case journal.Queue:
		b, err := batch(l, from.String())
		if err != nil {
			return err
		}
		queuejs.Consumer{Isolate: w.Isolate}.Deliver(ctx, b, func(queues.Outcome) {})
	case journal.Lane:
		b, err := batch(l, from.String())
		if err != nil {
			return err
		}
		lane := &queues.LaneBatch{Queue: l.Queue, Key: l.Lane, Messages: b.Messages}
		return p.up.DeliverLane(ctx, lane, func(queues.Outcome) {})
	case journal.Dead:
		dead, err := deadLetter(l, from.String())
		if err != nil {
			return err
		}
		return p.up.DeadLetterLane(ctx, dead, func(error) {})
	case journal.Email:
		return p.mail(ctx, w, l, o)
	case journal.Socket:
		return p.socket(ctx, l, from)
	case journal.Alarm:
		at, err := time.Parse(time.RFC3339Nano, l.Scheduled)
		if err != nil {
			return err
		}
		return p.up.RunAlarm(ctx, l.Object.Namespace, l.Object.ID, l.Object.Name, at, l.Retries, from)
	case journal.Scheduled:
		at, err := time.Parse(time.RFC3339Nano, l.Scheduled)
		if err != nil {
			return err
		}
		w.Dispatch(ctx, &worker.Scheduled{Cron: l.Cron, Time: at, Ended: func(*worker.Exception, error) {}}, o)
	case journal.Fetch:
		req, err := request(l)
		if err != nil {
			return err
		}
		cf := worker.PlaceholderCF(req.Header.Get("Accept-Encoding"))
		p.fetch(step, w.FetchAsync(ctx, req, worker.FetchOptions{DispatchOptions: o, CF: cf}))
	}
	return nil
}

// fetch reads a response to its end, as a client does.
func (p *player) fetch(step *Rerun, from <-chan worker.FetchResult) {
	p.mu.Lock()
	p.reading++
	p.mu.Unlock()
	go func() {
		a := <-from
		if a.Err == nil && !a.Response.Waits {
			defer p.clock.Hold("a response that is read")()
		}
		if a.Err == nil && a.Response.WebSocket != nil {
			p.connect(step, a.Response)
		}
		a.Taken()
		if a.Err == nil {
			_, _ = io.Copy(io.Discard, a.Response.Body) // a failure of the body is told as the event's
			_ = a.Response.Body.Close()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reading--
		p.wakeLocked()
	}()
}

// seen takes an entry of the session's journal.
func (p *player) seen(e *journal.Entry) {
	line := e.Line()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.originLocked(e, line)
	at := from(e)
	delete(p.open, at)
	p.entries[at] = append(p.entries[at], line)
	p.spans[line] = e.Span
	p.wakeLocked()
}

// from returns the span that caused an entry.
func from(e *journal.Entry) [8]byte {
	for _, c := range e.Links {
		if c.Trace == traceOf {
			return c.Span
		}
	}
	return e.Parent
}

// chances returns the random bytes and clock values that the original event saw.
func (p *player) chances(e *journal.Entry) *journal.Chances {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.originLocked(e, e.Line())
	if l == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return nil // Read has looked at it
	}
	c := &journal.Chances{Random: l.Random}
	for _, ms := range l.Clock {
		c.Clock = append(c.Clock, at.UnixMilli()+ms)
	}
	return c
}

// originLocked returns the line of the file that an entry runs again, nil if there is none. line is the entry's own.
// The caller holds mu.
func (p *player) originLocked(e *journal.Entry, line *journal.Line) *journal.Line {
	if l, known := p.origins[e.Span]; known {
		return l
	}
	cause := from(e)
	l := p.steps[cause]
	if parent := p.origins[cause]; l == nil && parent != nil && parent.Span != "" {
		left, begun := p.calls[parent]
		if !begun {
			left = slices.Clone(p.below[parent.Span])
		}
		if i := slices.IndexFunc(left, func(r *Recorded) bool { return sameCall(r.Line, line) }); i >= 0 {
			l = left[i].Line
			left = slices.Delete(left, i, i+1)
		}
		p.calls[parent] = left
	}
	p.origins[e.Span] = l
	return l
}

// caused groups the events of files by the span of the event that caused them.
func caused(list []*Recorded) map[string][]*Recorded {
	below, spans := map[string][]*Recorded{}, bySpan(list)
	for _, r := range sorted(list) {
		kind := r.Line.Kind
		apart := r.Line.Delivers() || kind == journal.Dead || kind == journal.Socket && first(r.Line, spans)
		if r.Line.Parent != "" && !apart {
			below[r.Line.Parent] = append(below[r.Line.Parent], r)
		}
	}
	return below
}

// full tells whether the files record what was read and written.
func full(list []*Recorded) bool {
	return slices.ContainsFunc(list, func(r *Recorded) bool { return len(r.Line.Accesses) > 0 })
}

func (p *player) wakeLocked() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// horizon is how far time goes on for events that have not ended. No event may last longer.
const horizon = time.Hour

// finish moves time on until all steps and all alarms of the file have ended.
func (p *player) finish(ctx context.Context) error {
	end := p.clock.Now()
	for _, r := range p.list {
		if r.Line.Kind == journal.Alarm && r.At.After(end) {
			end = r.At
		}
		end = latest(end, lastFrame(r))
	}
	hungUp := false
	for {
		p.mu.Lock()
		open, reading, changed := len(p.open), p.reading, p.changed
		p.mu.Unlock()
		at, due := p.clock.Next()
		switch {
		case !hungUp && (!due || at.After(end)):
			hungUp = true
			if err := p.hangUp(ctx); err != nil {
				return err
			}
		case due && !at.After(end), due && open > 0 && at.Sub(end) < horizon:
			if err := p.clock.Advance(ctx, at.Sub(p.clock.Now())); err != nil {
				return err
			}
		case open > 0 && reading > 0:
			select {
			case <-changed:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := p.clock.Advance(ctx, 0); err != nil {
				return err
			}
		default:
			return ctx.Err()
		}
	}
}

// results compares the replay with the file.
func (p *player) results(plan []*Rerun) []*Replayed {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := comparison{p: p, children: p.below, logs: p.o.Logs, full: full(p.list)}
	list := make([]*Replayed, len(plan))
	for i, step := range plan {
		e := &Replayed{Rerun: step}
		if got := p.entries[spanOf(i)]; len(got) > 0 {
			e.Got = got[0]
			c.compare(e)
		} else {
			e.Failed = "it did not end"
		}
		if p.answers != nil {
			e.Unanswered = p.answers.missed[i]
		}
		list[i] = e
	}
	return list
}

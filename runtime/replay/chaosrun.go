package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/journal"
	"eddy/runtime/session"
)

// faultKind is a kind of fault.
type faultKind string

// These are the things that a queue, or the machine, may do to a consumer.
const (
	// again: a batch that was acknowledged comes once more, after the delivery to.
	again faultKind = "again"
	// twice: a batch comes twice at once.
	twice faultKind = "twice"
	// later: a batch comes only after the delivery to, as if its first delivery had been lost.
	later faultKind = "later"
	// apart: the message n of a batch comes alone, after the others; in a lane, those from it on do.
	apart faultKind = "apart"
	// crash: the process ends after n side effects. What the consumer has acknowledged by then counts.
	crash faultKind = "crash"
	// limit: the Worker exceeds a limit after n side effects. What it has acknowledged one by one counts.
	limit faultKind = "limit"
	// reset: after n side effects objects lose what they have in memory, and calls that wait for them fail.
	reset faultKind = "reset"
	// lost: the outgoing request n fails.
	lost faultKind = "lost"
	// refused: the call n of KV, D1, R2, a queue or another binding fails, and does nothing.
	refused faultKind = "refused"
	// gone: the process ends when the batch has been settled. Work that the consumer has begun and does not await is
	// lost.
	gone faultKind = "gone"
	// fails: the call n of an object fails before the object is told of it.
	fails faultKind = "fails"
)

// fault is one fault, in the first delivery of the batch at. to is at unless the kind needs another delivery.
type fault struct {
	kind      faultKind
	at, to, n int
}

// errCrash is the reason with which a crash ends events.
var errCrash = errors.New("The Worker crashed.")

// chaosRun is one run of the deliveries.
type chaosRun struct {
	c      *checker
	base   []*delivery
	faults []fault
	clock  *clock.Virtual
	up     *session.Session
	player *player

	waiting []*pending
	serial  int
	// number counts the deliveries of each message.
	number map[string]int
	failed map[string]int
	acked  map[string]bool
	dead   map[string]any // bodies of dead letters, by id

	// order and what follows belong to the delivery that runs. Choose and Faults use them while nothing else runs.
	order chaosOrder

	// Counts of each delivery: side effects, outgoing requests, calls of objects, calls of bindings.
	calls, sends, asked, used []int
	steps                     []ChaosStep
	state                     map[string]any
	missed                    []string
	err                       error
}

// pending is a batch that is to be delivered.
type pending struct {
	due      time.Time
	serial   int
	base     int // index of the delivery that it comes from
	messages []journal.FileMessage
	// first says that the messages are delivered for the first time. why tells why they come again.
	first bool
	why   string
	// event is set for a request or a cron, which happens as it was captured.
	event *Rerun
	// dead is set for a message that is handed to deadLetter; tries counts the calls.
	dead  *queues.LaneDeadLetter
	tries int
}

// run runs the deliveries. An error comes from the project or from the context.
func (c *checker) run(ctx context.Context, base []*delivery, faults []fault) (_ *chaosRun, err error) {
	r := &chaosRun{c: c, base: base, number: map[string]int{}, failed: map[string]int{}, acked: map[string]bool{},
		dead: map[string]any{}, calls: make([]int, len(base)),
		sends: make([]int, len(base)), asked: make([]int, len(base)), used: make([]int, len(base))}
	for _, f := range faults {
		if f.kind != again && f.kind != later {
			f.to = f.at
		}
		r.faults = append(r.faults, f)
	}
	start := base[0].At
	for _, step := range c.events {
		if step.Start.Before(start) {
			start = step.Start
		}
	}
	r.clock = clock.NewVirtual(start, 1)
	r.clock.Pause()
	r.player = &player{o: c.o.Options, list: c.list, clock: r.clock, random: newRandom(c.o.Seed),
		open: map[[8]byte]bool{}, steps: map[[8]byte]*journal.Line{}, changed: make(chan struct{})}
	so, tidy, err := r.player.session()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	so.Journal, so.Program = session.JournalOptions{}, c.script
	if a := r.player.answers; a != nil {
		a.reuse = true
	}
	if r.up, err = session.Start(ctx, so); err != nil {
		return nil, err
	}
	r.player.up = r.up
	defer func() {
		r.up.GiveUp()
		err = errors.Join(err, r.up.Stop())
	}()
	if c.o.State == "" {
		if err := r.up.MigrateDatabases(); err != nil {
			return nil, err
		}
	}
	r.order.r = r
	r.explore(true)
	err = r.deliveries(ctx)
	r.explore(false)
	if err != nil {
		return nil, err
	}
	if r.state, err = r.up.Stored(ctx); err != nil {
		return nil, err
	}
	if len(r.dead) > 0 {
		r.state["dead"] = r.dead
	}
	if a := r.player.answers; a != nil {
		r.missed = a.missed[0]
		if calls := a.end(); len(calls) > 0 {
			r.state["outgoing"] = calls
		}
	}
	return r, nil
}

// explore turns on or off that the run decides which step is next.
func (r *chaosRun) explore(on bool) {
	if on {
		clock.Away(r.clock) // the run itself does not come back by itself, and waits now and then
		r.clock.Explore(&r.order)
		return
	}
	r.clock.Explore(nil)
	clock.Await(r.clock)
}

// advance moves time by d. It returns when all that fell due on the way has been done.
func (r *chaosRun) advance(ctx context.Context, d time.Duration) error {
	arrived := r.clock.Move(d)
	defer clock.Await(r.clock)()
	return arrived(ctx)
}

// settling is how long time goes on after the last delivery, for the sake of alarms.
const settling = time.Hour

// deliveries delivers all batches, the repeated ones included.
func (r *chaosRun) deliveries(ctx context.Context) error {
	for i, d := range r.base {
		r.wait(&pending{due: d.At, base: i, messages: d.Line.Messages, first: true})
	}
	for _, step := range r.c.events {
		r.wait(&pending{due: step.Start, event: step})
	}
	for len(r.waiting) > 0 {
		may := slices.DeleteFunc(slices.Clone(r.waiting), r.early)
		p := slices.MinFunc(may, func(a, b *pending) int {
			return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.serial, b.serial))
		})
		r.waiting = slices.DeleteFunc(r.waiting, func(o *pending) bool { return o == p })
		if d := p.due.Sub(r.clock.Now()); d > 0 {
			if err := r.advance(ctx, d); err != nil {
				return err
			}
		}
		var err error
		switch {
		case p.event != nil:
			err = r.happen(ctx, p.event)
		case p.dead != nil:
			err = r.die(ctx, p)
		default:
			err = r.next(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	end := r.base[len(r.base)-1].At.Add(settling)
	for range 1000 {
		at, ok := r.clock.Next()
		if !ok || at.After(end) {
			break
		}
		if err := r.advance(ctx, at.Sub(r.clock.Now())); err != nil {
			return err
		}
	}
	return nil
}

// early tells whether a batch must wait for one that has led to it.
func (r *chaosRun) early(p *pending) bool {
	if p.event != nil {
		return false
	}
	lane := laneOf(r.base[p.base].Line)
	return slices.ContainsFunc(r.waiting, func(o *pending) bool {
		switch {
		case o.event != nil || o == p:
			return false
		case lane != "" && laneOf(r.base[o.base].Line) == lane:
			return o.base < p.base || o.base == p.base && r.place(o) < r.place(p)
		}
		return o.base < p.base && r.base[p.base].after[r.base[o.base].Line.Span]
	})
}

// happen dispatches an event that is no delivery.
func (r *chaosRun) happen(ctx context.Context, step *Rerun) error {
	r.order = chaosOrder{r: r}
	r.player.random.begin(fmt.Sprint(step.Line.Kind, " ", step.File, " ", step.Number))
	r.serial++
	if err := r.player.dispatch(ctx, step, spanOf(r.serial)); err != nil {
		return &LineError{step.File, step.Number, err}
	}
	return r.advance(ctx, 0)
}

func (r *chaosRun) wait(p *pending) {
	r.serial++
	p.serial = r.serial
	r.waiting = append(r.waiting, p)
}

// soon is the time of a repeated delivery, which must be another instant.
func (r *chaosRun) soon() time.Time { return r.clock.Now().Add(time.Second) }

// next delivers a batch, with the faults that belong to it.
func (r *chaosRun) next(ctx context.Context, p *pending) error {
	var here []fault
	if p.first {
		for _, f := range r.faults {
			if f.at == p.base {
				here = append(here, f)
			}
		}
	}
	copies := 1
	r.order = chaosOrder{r: r}
	for _, f := range here {
		switch f.kind {
		case later:
			if f.to > p.base {
				p.first, p.why = false, "comes only now: its first delivery was lost"
				p.due = r.base[f.to].At.Add(time.Millisecond)
				r.wait(p)
				for i := range p.messages {
					r.number[p.messages[i].ID]++
				}
				return nil
			}
		case twice:
			copies = 2
		case apart:
			if laneOf(r.base[p.base].Line) != "" {
				if f.n > 0 && f.n < len(p.messages) {
					r.wait(&pending{due: r.soon(), base: p.base, messages: p.messages[f.n:],
						why: "comes after the others"})
					p.messages = slices.Clone(p.messages[:f.n])
				}
			} else if len(p.messages) > f.n && len(p.messages) > 1 {
				r.wait(&pending{due: r.soon(), base: p.base, messages: p.messages[f.n : f.n+1],
					why: "comes after the others"})
				p.messages = slices.Delete(slices.Clone(p.messages), f.n, f.n+1)
			}
		case crash, limit, reset, gone, fails, refused:
			r.order.fault, r.order.armed = f, true
		case lost:
			if r.player.answers != nil {
				r.player.answers.fail(f.n)
				r.order.happened = fmt.Sprintf("its outgoing request %d fails", f.n)
			}
		}
	}
	outcome, err := r.deliver(ctx, p, copies)
	if err != nil {
		return err
	}
	r.settle(p, outcome)
	if r.order.crashed {
		if err := r.restart(ctx); err != nil {
			return err
		}
	}
	if !p.first {
		return nil
	}
	for _, f := range r.faults {
		if f.kind == again && f.to == p.base {
			var done []journal.FileMessage
			for _, m := range r.base[f.at].Line.Messages {
				if r.acked[m.ID] {
					done = append(done, m)
				}
			}
			if len(done) > 0 {
				r.wait(&pending{due: r.soon(), base: f.at, messages: done,
					why: "comes again, although it was acknowledged"})
			}
		}
	}
	return nil
}

// deliver hands copies of a batch to its Worker at once, waits for the end of all, and returns the outcome of the
// first.
func (r *chaosRun) deliver(ctx context.Context, p *pending, copies int) (outcome queues.Outcome, err error) {
	line := *r.base[p.base].Line
	line.Messages = slices.Clone(p.messages)
	var names []string
	for i := range line.Messages {
		m := &line.Messages[i]
		r.number[m.ID]++
		m.Attempts = r.number[m.ID]
		names = append(names, m.ID, fmt.Sprint(m.Attempts))
	}
	b, err := batch(&line, "")
	if err != nil {
		return outcome, err
	}
	consumer, err := r.consumer(&line, b)
	if err != nil {
		return outcome, err
	}
	r.player.random.begin(strings.Join(names, " "))
	sent := r.player.answers.count()
	step := len(r.steps)
	r.steps = append(r.steps, ChaosStep{Text: r.title(p, copies)})
	var mu sync.Mutex
	outcomes := make([]*queues.Outcome, copies) // guarded by mu
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range outcomes {
		if err := consumer(inside, func(o queues.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			outcomes[i] = &o
		}); err != nil {
			return outcome, err
		}
	}
	if err := r.until(ctx, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return !slices.Contains(outcomes, nil)
	}); err != nil {
		return outcome, err
	}
	mu.Lock()
	defer mu.Unlock()
	if p.first {
		r.calls[p.base], r.sends[p.base] = r.order.calls, r.player.answers.count()-sent
	}
	if p.first {
		r.asked[p.base], r.used[p.base] = r.order.asked, r.order.used
	}
	r.steps[step].Lines = r.order.lines
	if text := r.order.told(); text != "" {
		r.steps = append(r.steps, ChaosStep{Text: text})
	}
	if outcomes[0] == nil {
		return queues.Outcome{Abandoned: true}, nil
	}
	return *outcomes[0], nil
}

// until moves time on until something has happened, or until nothing can happen any more.
func (r *chaosRun) until(ctx context.Context, happened func() bool) error {
	began := r.clock.Now()
	for {
		if err := r.advance(ctx, 0); err != nil {
			return err
		}
		at, due := r.clock.Next()
		if happened() || !due || at.Sub(began) > horizon {
			return nil
		}
		if err := r.advance(ctx, at.Sub(r.clock.Now())); err != nil {
			return err
		}
	}
}

// title describes a delivery.
func (r *chaosRun) title(p *pending, copies int) string {
	d := r.base[p.base]
	from := "QUEUE " + d.Line.Queue
	if d.Line.Kind == journal.Lane {
		from = "LANE " + d.Line.Lane
	}
	text := fmt.Sprintf("%s %s (%s:%d)", from, counted(len(p.messages), "message"), d.File, d.Number)
	switch {
	case p.why != "":
		text += " " + p.why
	case copies > 1:
		text += " is delivered twice at once"
	default:
		text += " is delivered"
	}
	return text
}

// settle acts on an outcome as a queue does.
func (r *chaosRun) settle(p *pending, o queues.Outcome) {
	settings := r.base[p.base].Line.Settings
	if settings == nil {
		settings = &journal.FileSettings{MaxRetries: r.maxRetries(r.base[p.base].Line)}
	}
	var back []journal.FileMessage
	due := r.soon()
	for _, m := range p.messages {
		full, err := message(&m)
		if err != nil {
			continue // batch has read it
		}
		retry, delay := o.Of(full.ID)
		if !o.Abandoned && !retry {
			r.acked[m.ID] = true
			continue
		}
		if !o.Abandoned && !r.order.crashed {
			if r.failed[m.ID]++; r.failed[m.ID] > settings.MaxRetries {
				r.dead[m.ID] = body(&m.Body)
				r.deadLetter(p, full, o.Failure)
				continue
			}
		}
		if n, given := delay.Seconds(); given {
			due = latest(due, r.clock.Now().Add(time.Duration(n)*time.Second))
		} else {
			due = latest(due, r.clock.Now().Add(time.Duration(settings.RetryDelay)*time.Second))
		}
		back = append(back, m)
	}
	if len(back) > 0 {
		r.wait(&pending{due: due, base: p.base, messages: back, why: "is delivered again"})
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// restart starts the Workers anew after a crash, so that their modules lose what they had in memory.
func (r *chaosRun) restart(ctx context.Context) error {
	r.explore(false)
	defer r.explore(true)
	return r.up.Crash(ctx)
}

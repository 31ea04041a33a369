package workflows

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"eddy/runtime/clock"
)

// Options of a [Workflow].
type Options struct {
	Name string
	// Path is the path of the file, which the first instance creates.
	Path string
	// Clock gives the time; nil means the machine's clock.
	Clock clock.Clock
	// Relaxed leaves to the operating system when acknowledged changes reach the disk.
	Relaxed bool
	// Retention is the time that an instance stays after its end; 0 means 7 days (FLOW-163).
	Retention Retention
	// Observe, if set, is called with each event of an instance when the event is durable. It is called on the
	// workflow's goroutine and must not block.
	Observe func(InstanceEvent)
	// Home, if set, is where a cluster keeps the file; the one at Path is then a copy.
	Home Home
	// Failed is called once, with the reason, if nothing can be done any more. It is called on the workflow's goroutine
	// and must not block. Nil drops the reason.
	Failed func(error)
}

// Retention is the time that instances stay after their end, by how they ended.
type Retention struct{ Success, Error time.Duration }

// defaultRetention is production's (FLOW-163).
const defaultRetention = 7 * 24 * time.Hour

// maxRunning is how many lives run at once; further instances are queued. maxWaiting is how many waiting lives are kept
// in memory, and keepWaiting for how long.
const (
	maxRunning  = 1000
	maxWaiting  = 256
	keepWaiting = time.Minute
)

// Workflow is one workflow: its file and its goroutine. The package documentation describes both.
type Workflow struct {
	o     Options
	turns clock.Participant
	wake  chan struct{} // capacity 1
	over  chan struct{} // closed when the goroutine has ended

	mu struct {
		sync.Mutex
		inbox    []request
		awake    bool
		refusing error // why commands are refused, nil while they are not
		closed   bool
	}

	// The goroutine owns the fields from here on.
	store   *store
	runner  Runner
	limit   int             // how many lives may run at once, 0 for maxRunning
	lives   map[int64]*Life // by the instance's seq
	waiting []*Life         // lives that wait, the longest waiting first
	asked   int             // lives that were asked to end because they wait
	due     clock.Deadlines[*wait]
	timer   clock.Timer
	timerAt int64
	chore   clock.Timer
	choreAt int64
	stopped bool
	opened  bool // recover has looked at the file
	// rollingBack holds, by the instance's seq, who waits for the end of a rollback.
	rollingBack map[int64][]func(error)
	// retired, if set, is called when no life is left: none begins any more. quiet says that it was called.
	retired func()
	quiet   bool
	// watching holds, by the instance's seq, the subscribers that have been told everything so far.
	watching map[int64][]watcher
}

// Open makes a workflow. It opens the file if there is one; otherwise the first instance creates it.
func Open(o Options) *Workflow {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.Retention.Success == 0 {
		o.Retention.Success = defaultRetention
	}
	if o.Retention.Error == 0 {
		o.Retention.Error = defaultRetention
	}
	w := &Workflow{o: o, wake: make(chan struct{}, 1), over: make(chan struct{}), lives: map[int64]*Life{},
		rollingBack: map[int64][]func(error){}, watching: map[int64][]watcher{}}
	w.turns = o.Clock.Participant("workflow " + o.Name)
	go w.run()
	return w
}

// Name is the workflow's name.
func (w *Workflow) Name() string { return w.o.Name }

// request is a command in the inbox. Exactly one of its two functions is called, once.
type request struct {
	run    func(*turn)
	refuse func(error)
}

// post gives a command to the workflow. It never blocks.
func (w *Workflow) post(c request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.refusing != nil {
		return w.mu.refusing
	}
	w.mu.inbox = append(w.mu.inbox, c)
	w.wakeLocked()
	return nil
}

func (w *Workflow) wakeLocked() {
	if !w.mu.awake {
		w.mu.awake = true
		w.turns.Ready()
		w.wake <- struct{}{}
	}
}

// command runs f in a turn, and calls done with its result when the changes are durable.
func command[T any](w *Workflow, f func(*turn) (T, error), done func(T, error)) {
	var none T
	c := request{refuse: func(err error) { done(none, err) }, run: func(t *turn) {
		v, err := f(t)
		t.after = append(t.after, func(failed error) {
			if failed != nil {
				err = failed
			}
			done(v, err)
		})
	}}
	if err := w.post(c); err != nil {
		done(none, err)
	}
}

// Await implements [Commands].
func (w *Workflow) Await() (answered func()) { return clock.Await(w.o.Clock) }

// Call runs a command and waits for its result. A goroutine that a callback of the workflow waits for must not use it.
func Call[T any](w Commands, ask func(done func(T, error))) (T, error) {
	type answer struct {
		v   T
		err error
	}
	answered := w.Await()
	c := make(chan answer, 1)
	ask(func(v T, err error) {
		answered()
		c <- answer{v, err}
	})
	a := <-c
	return a.v, a.err
}

func (w *Workflow) run() {
	defer close(w.over)
	for !w.stopped {
		<-w.wake
		w.turns.Run(w.turn)
	}
	w.turns.Close()
}

// turn is one transaction: its commands, and what follows when it is durable.
type turn struct {
	w   *Workflow
	now int64 // in ms
	// after is called when the turn is durable, or with the error if it could not be written.
	after []func(error)
	// wrote says that the transaction has begun.
	begun bool
	// kept waits until the cluster has what the turn has written, and what it has read may be told.
	kept func() error
}

// then calls f when the turn is durable. It does not call f if the turn could not be written.
func (t *turn) then(f func()) {
	t.after = append(t.after, func(err error) {
		if err == nil {
			f()
		}
	})
}

func (w *Workflow) turn() {
	w.mu.Lock()
	inbox, refusing := w.mu.inbox, w.mu.refusing
	w.mu.inbox, w.mu.awake = nil, false
	w.mu.Unlock()
	t := &turn{w: w, now: w.o.Clock.Now().UnixMilli()}
	ran, err := 0, refusing
	if err == nil || errors.Is(err, ErrClosed) {
		if ran, err = t.attempt(inbox); err == nil && t.kept != nil {
			err = t.kept()
		}
	}
	if err != nil {
		w.refuse(err)
		for _, c := range inbox[ran:] {
			c.refuse(err)
		}
	}
	for i := 0; i < len(t.after); i++ { // a callback may append another one
		t.after[i](err)
	}
}

// attempt runs the turn's commands in one transaction.
func (t *turn) attempt(inbox []request) (ran int, err error) {
	w := t.w
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		f, ok := x.(failedWrite)
		if !ok {
			panic(x)
		}
		err = fmt.Errorf("workflow %q: its file refused a write; nothing is done any more until the session is "+
			"started "+
			"again: %w", w.o.Name, f.err)
		if w.o.Home != nil {
			err = fmt.Errorf("workflow %q: %w", w.o.Name, f.err)
		}
		if w.store != nil && w.store.db.InTransaction() {
			err = errors.Join(err, w.store.db.Exec("ROLLBACK"))
		}
	}()
	if !w.opened {
		w.opened = true
		if _, missing := os.Stat(w.o.Path); w.o.Home != nil || !errors.Is(missing, fs.ErrNotExist) {
			t.open()
		}
	}
	for _, c := range inbox {
		ran++
		c.run(t)
	}
	if !w.stopped {
		t.goOn()
	}
	if t.begun {
		if err := w.store.db.Exec("COMMIT"); err != nil {
			panic(failedWrite{err})
		}
		if err := w.store.db.Moved(); err != nil {
			panic(failedWrite{err})
		}
	}
	if !w.stopped && w.retired == nil {
		w.arm(t)
	}
	if w.o.Home != nil && w.store != nil {
		t.kept = w.o.Home.Keep(w.store.db)
	}
	return ran, nil
}

// goOn does what is due.
func (t *turn) goOn() {
	if t.w.retired != nil {
		t.retire()
		return
	}
	t.wakeDue()
	t.letGo()
	t.launch()
}

// refuse makes every later call fail and ends all lives, because nothing that they do could be kept.
func (w *Workflow) refuse(err error) {
	w.mu.Lock()
	first := w.mu.refusing == nil
	if first {
		w.mu.refusing = err
	}
	w.mu.Unlock()
	if !first {
		return
	}
	if w.o.Failed != nil {
		w.o.Failed(err)
	}
	for _, l := range w.lives {
		l.stop(err)
	}
	clear(w.lives)
	for _, waiting := range w.rollingBack {
		for _, done := range waiting {
			done(w.left(err))
		}
	}
	clear(w.rollingBack)
	w.refuseWatchers(err)
	if w.retired != nil && !w.quiet {
		w.quiet = true
		w.retired()
	}
}

// left is the error of a command that has begun and is not ended here. In a cluster another node goes on with it.
func (w *Workflow) left(err error) error {
	if w.o.Home != nil {
		return ErrDisconnected
	}
	return err
}

// Err is why commands are refused, nil while they are not.
func (w *Workflow) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.refusing
}

// open opens the file. Instances that had a life when the process died are queued.
func (t *turn) open() {
	w := t.w
	if w.store != nil {
		return
	}
	var err error
	if w.store, err = openStore(w.o.Path, w.o.Relaxed, w.o.Home); err != nil {
		panic(failedWrite{err})
	}
	t.exec("UPDATE instances SET wake=0 WHERE wake=-1")
}

// exec executes a statement that writes.
func (t *turn) exec(sql string, args ...any) {
	t.begin()
	if err := t.w.store.run(sql, nil, args...); err != nil {
		panic(failedWrite{err})
	}
}

// query calls f for each row. There are no rows while there is no file.
func (t *turn) query(sql string, f func(row), args ...any) {
	if t.w.store == nil {
		return
	}
	if err := t.w.store.run(sql, f, args...); err != nil {
		panic(failedWrite{err})
	}
}

func (t *turn) begin() {
	t.open()
	if !t.begun {
		t.begun = true
		if err := t.w.store.db.Exec("BEGIN IMMEDIATE"); err != nil {
			panic(failedWrite{err})
		}
	}
}

// Close stops the lives and ends the workflow's goroutine. The next start repeats what the lives had not stored.
func (w *Workflow) Close() error {
	w.mu.Lock()
	if w.mu.closed {
		w.mu.Unlock()
		<-w.over
		return nil
	}
	w.mu.closed = true
	if w.mu.refusing == nil {
		w.mu.refusing = ErrClosed
	}
	var err error
	end := func(t *turn) {
		w.stopped = true
		for _, l := range w.lives {
			l.stop(ErrClosed)
		}
		clear(w.lives)
		for seq := range w.rollingBack {
			t.answerRollback(seq, w.left(ErrClosed))
		}
		if w.timer != nil {
			w.timer.Stop()
		}
		if w.chore != nil {
			w.chore.Stop()
		}
		t.after = append(t.after, func(error) {
			w.refuseWatchers(ErrClosed)
			if w.store != nil {
				err = w.store.close()
			}
		})
	}
	w.mu.inbox = append(w.mu.inbox, request{end, func(error) {
		t := &turn{w: w}
		end(t)
		for _, f := range t.after {
			f(nil)
		}
	}})
	w.wakeLocked()
	w.mu.Unlock()
	<-w.over
	return err
}

package queues

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// Options are the arguments of [Open].
type Options struct {
	// Dir is the folder of the log. With FS nil it is on disk.
	Dir string
	// FS is where the log is kept; a [logstore.MemFS] keeps nothing beyond the process.
	FS logstore.FS
	// Clock is the time; nil means the machine's.
	Clock clock.Clock
	// Rand is the source of ids and jitter; nil means crypto/rand. A seeded source makes runs repeatable.
	Rand io.Reader
	// Durability says whether an acknowledged send or ack survives a power cut (Strict, the default) or only the end
	// of the process (Relaxed). The acks of a push delivery are synced within five milliseconds; nobody hears of them
	// before.
	Durability logstore.Durability
	// SegmentBytes is the size of the log's files, 0 for 16 MiB.
	SegmentBytes int64
	// SnapshotBytes is how much is written to the log between snapshots at least, 0 for 64 MiB.
	SnapshotBytes int64
	// Warn is called with what an operator should know: that a clock was set back, that damage was found. It is called
	// on the broker's goroutines and must not block. If it is nil, warnings are dropped.
	Warn func(text string)
}

// Broker owns all queues. One goroutine does all the work; every method may be called from anywhere.
type Broker struct {
	clock clock.Clock
	turns clock.Participant
	rand  io.Reader
	log   *logstore.Log
	wake  chan struct{} // capacity 1
	done  chan struct{} // closed when the goroutine has ended

	mu struct {
		sync.Mutex
		inbox    []command
		awake    bool  // the broker is Ready and a token is in wake
		refusing error // the reason why commands are refused
		closed   bool
	}

	// Owned by the broker's goroutine.
	state     *State
	code      coder // the group being built
	events    int   // in the group
	randBuf   []byte
	deadlines deadlines[*queue]
	// laneDeadlines are those of lanes.
	laneDeadlines deadlines[*lane]
	flights       int // deliveries from lanes that have not ended
	deliveries    map[*delivery]bool
	rounds        atomic.Uint64 // how many turns there were
	timer         clock.Timer
	timerAt       int64
	observers     []*observer
	draining      []func()
	waiting       *turn // its group finds no room on the disk
	stopped       bool
	warning       func(text string) // not changed after Open
	turned        time.Time         // when the last turn began, with the machine's monotonic reading
	snap          snapshotting
	settling      settling
	group         struct { // which the turn has written
		at    logstore.Ref
		bytes []byte
	}
}

// turn is one round of the broker: it decides commands one after the other and writes their events as one group, and
// only then does anybody hear of them.
type turn struct {
	*decision
	b *Broker
	// after are run when the group is durable, or with the error when it could not be written.
	after []func(error)
	// news are told to observers when the group is durable.
	news []Activity
	// starts are deliveries that begin when the group is durable.
	starts []*delivery
	// flights are deliveries from lanes, likewise.
	flights []*flight
	// undo takes back what is refused if the group finds no room on the disk.
	undo []func()
	// acks counts the events that are acks of push deliveries, which nobody waits for.
	acks int
	// syncs says that what has been written must be synced now.
	syncs bool
	// full is why nothing can be decided in this turn.
	full error
}

// command is what a turn does. One that asks is answered also while there is no room on the disk; the others wait.
type command struct {
	run  func(*turn)
	asks bool
}

// maxGroup is how many bytes of events one turn collects before it writes them.
const maxGroup = 8 << 20

// Open replays the log and starts the broker. The report says what was found, and what a crash cost.
func Open(o Options) (*Broker, logstore.Report, error) { return open(o, false) }

// open is Open. With salvage set, it deletes messages whose bodies cannot be read, where Open refuses them.
func open(o Options, salvage bool) (*Broker, logstore.Report, error) {
	b := &Broker{
		clock: o.Clock, rand: o.Rand, state: newState(), wake: make(chan struct{}, 1), done: make(chan struct{}),
		deliveries: map[*delivery]bool{}, warning: o.Warn,
	}
	if b.clock == nil {
		b.clock = clock.Real{}
	}
	if b.rand == nil {
		b.rand = crand.Reader
	}
	b.snap.least = o.SnapshotBytes
	if b.snap.least == 0 {
		b.snap.least = 64 << 20
	}
	log, err := logstore.Open(logstore.Options{
		Dir: o.Dir, FS: o.FS, Durability: o.Durability, SegmentBytes: o.SegmentBytes,
		LoadSnapshot: b.state.load,
		Replay: func(at logstore.Ref, group []byte) error {
			b.snap.since += int64(len(group))
			return b.state.replay(at, group)
		},
	})
	if err != nil {
		return nil, logstore.Report{}, err
	}
	b.log = log
	if err := b.state.check(log); err != nil && !salvage {
		return nil, log.Report(), errors.Join(err, log.Close())
	}
	b.settling.allowed = o.mayLeaveSync()
	b.turns = b.clock.Participant("broker")
	go b.run()
	first := func(*turn) {} // what fell due while nobody was there
	if salvage {
		first = b.salvage
	}
	b.post(first)
	if _, machine := b.clock.(clock.Real); machine {
		go b.scrubbing()
	}
	return b, log.Report(), nil
}

// replay applies one group of the log.
func (s *State) replay(at logstore.Ref, group []byte) error {
	err := decodeGroup(group, func(now int64) { s.now = max(s.now, now) }, func(e LogEvent) error { return e.apply(s) })
	if err != nil {
		return err
	}
	s.placeGroup(at)
	return nil
}

// post hands a command to the broker. It never blocks. The clock is held until the command is done.
func (b *Broker) post(f func(*turn)) error { return b.command(command{run: f}) }

// ask is post for what can be answered in a turn that is full.
func (b *Broker) ask(f func(*turn)) error { return b.command(command{run: f, asks: true}) }

func (b *Broker) command(c command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.refusing != nil {
		return b.mu.refusing
	}
	b.mu.inbox = append(b.mu.inbox, c)
	b.wakeLocked()
	return nil
}

// wakeLocked makes sure that there will be a turn. There is exactly one token per announced turn, so the number of
// turns does not depend on how goroutines happen to be scheduled.
func (b *Broker) wakeLocked() {
	if !b.mu.awake {
		b.mu.awake = true
		b.turns.Ready()
		b.wake <- struct{}{}
	}
}

func (b *Broker) run() {
	defer close(b.done)
	for !b.stopped {
		<-b.wake
		b.turns.Run(b.turn)
	}
	b.turns.Close()
}

func (b *Broker) turn() {
	b.mu.Lock()
	inbox := b.mu.inbox
	b.mu.inbox, b.mu.awake = nil, false
	b.mu.Unlock()

	b.rounds.Add(1)
	if b.waiting != nil && !b.again(inbox) {
		return
	}
	now := b.clock.Now()
	from, setBack := b.checkClock(now)
	b.state.now = from
	t := &turn{b: b}
	t.decision = &decision{state: b.state, now: b.state.now, newID: b.newID, random: b.random, record: b.record}
	b.code.beginGroup(t.now)
	if setBack {
		t.setBack(now)
	}
	for i, c := range inbox {
		c.run(t)
		if len(b.code.b) > maxGroup && i < len(inbox)-1 {
			b.mu.Lock()
			b.mu.inbox = append(inbox[i+1:], b.mu.inbox...)
			b.wakeLocked()
			b.mu.Unlock()
			break
		}
	}
	b.deadlines.take(t.now, t.state.touch)
	b.laneDeadlines.take(t.now, t.state.touchLane)
	b.housekeep(t)
	b.commit(t)
}

func (b *Broker) record(e LogEvent) {
	b.code.event(e)
	b.events++
}

// commit writes the turn's events, and then answers callers, starts deliveries and tells observers.
func (b *Broker) commit(t *turn) {
	err := b.log.Err()
	if b.events > 0 && err == nil {
		var at logstore.Ref
		leaves := b.leaves(t)
		at, err = b.log.Append(b.code.b, !leaves)
		if errors.Is(err, logstore.ErrFull) {
			b.wait(t, err)
			return
		}
		if err != nil {
			err = fmt.Errorf(
				"the queues' log refused a write; nothing can be sent or acknowledged until the server is "+
					"restarted: %w",
				err,
			)
			b.refuse(err)
		} else {
			b.place(at)
			if b.settling.open = leaves; leaves {
				b.leaveSync()
			}
		}
	} else if err == nil {
		if err = b.settleNow(t); err != nil {
			b.refuse(err)
		}
	}
	b.answer(t, err)
}

// place notes where the group has been written.
func (b *Broker) place(at logstore.Ref) {
	b.state.placeGroup(at)
	b.group.at, b.group.bytes = at, b.code.b
	b.snap.since += int64(len(b.code.b))
	b.snap.written += int64(len(b.code.b))
}

// answer tells callers and observers of a turn, and starts its deliveries, when its group is durable; or tells why it
// never will be.
func (b *Broker) answer(t *turn, err error) {
	b.events = 0
	if cap(b.code.b) > 2*maxGroup {
		b.code.b = nil
	}
	for _, f := range t.after {
		f(err)
	}
	if err != nil {
		b.group.bytes = nil
		for _, d := range t.starts {
			d.cancel(err)
		}
		for _, f := range t.flights {
			f.cancel(err)
		}
		return
	}
	for _, d := range t.starts {
		b.start(t, d)
	}
	b.group.bytes = nil
	for _, f := range t.flights {
		b.fly(t, f)
	}
	b.heard(t.news)
	if err := b.maintain(); errors.Is(err, syscall.ENOSPC) {
		b.warn(fmt.Sprintf("The queues' log cannot be made smaller now: %v", err))
	} else if err != nil {
		b.refuse(err)
	}
	b.arm()
	b.checkDrained()
}

// refuse makes every later call fail.
func (b *Broker) refuse(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.refusing == nil {
		b.mu.refusing = err
		b.warn(fmt.Sprintf("The queues refuse everything from here on: %v", err))
	}
}

func (b *Broker) newID() ID {
	var id ID
	b.read(id[:])
	return id
}

// random is uniform in [0, 1).
func (b *Broker) random() float64 {
	var p [8]byte
	b.read(p[:])
	return float64(binary.LittleEndian.Uint64(p[:])>>11) / (1 << 53)
}

// read takes random bytes from a buffer, because a system call for each message would be slow.
func (b *Broker) read(p []byte) {
	if len(b.randBuf) < len(p) {
		b.randBuf = make([]byte, 4096)
		if _, err := io.ReadFull(b.rand, b.randBuf); err != nil {
			panic(fmt.Sprintf("queues: no random bytes: %v", err))
		}
	}
	n := copy(p, b.randBuf)
	b.randBuf = b.randBuf[n:]
}

// call runs f in a turn and waits until its effects are durable. If ctx ends before the turn begins, f never runs. Once
// f runs, call waits for it, so that f does not write to variables of the caller after call has returned.
func (b *Broker) call(ctx context.Context, f func(*turn) error) error {
	answer := make(chan error, 1)
	var taken atomic.Bool // by the turn, or by the end of ctx
	answered := clock.Await(b.clock)
	err := b.ask(func(t *turn) {
		if !taken.CompareAndSwap(false, true) {
			answered()
			return
		}
		err := t.full
		if err == nil {
			err = f(t)
		}
		t.after = append(t.after, func(failed error) {
			if err == nil {
				err = failed
			}
			answered()
			answer <- err
		})
	})
	if err != nil {
		answered()
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	if taken.CompareAndSwap(false, true) {
		return context.Cause(ctx)
	}
	return <-answer
}

// Close stops deliveries, writes what is outstanding and closes the log. Deliveries in flight are cancelled; after a
// restart their messages are delivered again. A second Close does nothing.
func (b *Broker) Close() error {
	b.mu.Lock()
	if b.mu.closed {
		b.mu.Unlock()
		<-b.done
		return nil
	}
	b.mu.closed = true
	// A command behind the last one would never be answered, so it is refused.
	if b.mu.refusing == nil {
		b.mu.refusing = ErrClosed
	}
	// post would refuse this after a failure, but a broker that refuses everything must close, too.
	b.mu.inbox = append(b.mu.inbox, command{run: func(t *turn) {
		for d := range b.deliveries {
			d.cancel(ErrClosed)
		}
		for _, l := range t.state.sortedLanes() {
			if l.flight != nil {
				l.flight.cancel(ErrClosed)
			}
		}
		b.stopped = true
	}})
	b.wakeLocked()
	b.mu.Unlock()
	<-b.done
	if b.timer != nil {
		b.timer.Stop()
	}
	var err error
	if b.snap.since > snapshotAtClose && b.log.Err() == nil && b.waiting == nil {
		err = b.snapshot() // the next start replays less
	}
	closed := b.log.Close()
	if b.waiting != nil && errors.Is(closed, syscall.ENOSPC) {
		closed = nil // it has been told, and the log ends as a crash leaves it: what was acknowledged is there
	}
	return errors.Join(err, closed)
}

// Drain stops handing out messages and waits until no delivery is in flight, or ctx ends. Sends go on being
// accepted. It is the first half of an orderly end; nothing but Close may follow.
func (b *Broker) Drain(ctx context.Context) error {
	drained := make(chan struct{})
	err := b.post(func(*turn) { b.draining = append(b.draining, func() { close(drained) }) })
	if err != nil {
		return err
	}
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *Broker) checkDrained() {
	if len(b.draining) == 0 || len(b.deliveries)+b.flights > 0 {
		return
	}
	for _, f := range b.draining {
		if f != nil {
			f()
		}
	}
	b.draining = []func(){nil}
}

// Now is the broker's clock.
func (b *Broker) Now() time.Time { return b.clock.Now() }

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/cause"
)

// Options configure a [Journal].
type Options struct {
	// Dir is the journal's folder. Nobody else writes there.
	Dir string
	// Size bounds the folder in bytes; 0 means 64 MB. Age is how long what was recorded is kept; 0 means 24 hours. Both
	// are rounded to whole segments.
	Size int64
	Age  time.Duration
	// Full says that the journal also records uses of bindings and of storage.
	Full bool
	// Redact, if set, changes each entry before it is written.
	Redact func(*Entry)
	// Tell, if set, takes lines for the user, which say that the journal was set aside, has missed entries, or has
	// ended.
	Tell func(string)
	// Now is the machine's time, by which segments age; nil is time.Now.
	Now func() time.Time
}

const (
	defaultSize = 64_000_000
	defaultAge  = 24 * time.Hour
	// buffered is how many bytes may wait to be written. Entries beyond that are dropped.
	buffered = 8 << 20
	// gathering is how long the writer lets entries gather, unless enough wait: a write for each request would cost a
	// session more than the recording itself. kill -9 loses that moment.
	gathering = 5 * time.Millisecond
	enough    = 256 << 10
)

// segmentSize is the size of one file of the log. It is small because whole files are taken from the front.
func (o *Options) segmentSize() int { return int(min(max(o.Size/16, 4<<10), 1<<20)) }

// Journal is the record that a session writes. Make one with [Open]. A nil Journal is one that is off.
type Journal struct {
	o    Options
	log  log
	wake chan struct{}
	// full says that enough waits, or that the journal closes.
	full chan struct{}
	done chan struct{}
	// unkept says that Unkept made it; chances is its argument.
	unkept  bool
	chances func(*Entry) *Chances
	// over says that too much waits to be written: what comes is dropped, and need not be encoded.
	over atomic.Bool

	mu struct {
		sync.Mutex
		pending []byte // entries that wait
		dropped int    // frames since it was last told
		closed  bool
		ended   bool // a write has failed: nothing is recorded any more
		watch   map[int]func(*Entry)
		serial  int
		alarms  alarms
	}
	since int64 // bytes since segments were last counted; the writer's own
}

// scratch has room for a frame: pointers to []byte.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// log is what a Journal needs of a segmentLog. Tests replace it by one whose disk is full.
type log interface {
	Write(entries []byte) error
	LastIndex() uint64
	Close() error
}

// Open opens the journal of a folder, or begins one. What does not open is set aside, in place of what was set aside
// before. The error is one of the file system.
func Open(o Options) (*Journal, error) {
	if o.Size == 0 {
		o.Size = defaultSize
	}
	if o.Age == 0 {
		o.Age = defaultAge
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	l, err := openLog(&o)
	if err != nil {
		aside := o.Dir + asideSuffix
		if err := errors.Join(os.RemoveAll(aside), os.Rename(o.Dir, aside)); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		o.Tell(fmt.Sprintf("The journal does not open (%v); it is set aside as %s, and a new one is begun", err, aside))
		if l, err = openLog(&o); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	return start(o, l)
}

// Unkept is a journal that is written nowhere: seen is called with every entry, as [Journal.Watch] calls it. chances,
// if set, is asked for what scripts shall see, on the goroutine of the event; it may give nil. full is Options.Full.
func Unkept(full bool, redact, seen func(*Entry), chances func(*Entry) *Chances) *Journal {
	j := &Journal{o: Options{Redact: redact, Full: full}, chances: chances, unkept: true}
	j.mu.closed, j.mu.alarms.causes = true, map[string]cause.Cause{}
	j.Watch(seen)
	return j
}

// Begin is called with an entry that begins.
func (j *Journal) Begin(e *Entry) {
	if j != nil {
		e.from = j.chances
	}
}

// asideSuffix is added to the name of a folder that was set aside.
const asideSuffix = ".aside"

func openLog(o *Options) (log, error) {
	l, err := openSegments(o.Dir, o.segmentSize())
	if err != nil {
		return nil, err // not l, which would be an interface that is not nil
	}
	return l, nil
}

func start(o Options, l log) (*Journal, error) {
	j := &Journal{o: o, log: l, wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		done: make(chan struct{})}
	if err := j.trim(); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), l.Close())
	}
	if err := j.mu.alarms.load(o.Dir); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), l.Close())
	}
	go j.write()
	return j, nil
}

// Full tells whether uses of bindings and of storage are recorded.
func (j *Journal) Full() bool { return j != nil && j.o.Full }

// Add records an entry that is over. The caller may change it afterwards, and what its slices point to. Any goroutine.
func (j *Journal) Add(e *Entry) {
	if j == nil {
		return
	}
	e.settle()
	if j.o.Redact != nil {
		j.o.Redact(e)
	}
	var frame []byte
	var err error
	if j.log != nil && !j.over.Load() {
		// Before the lock, for isolates add at the same time.
		b := scratch.Get().(*[]byte)
		*b, err = appendFrame((*b)[:0], e)
		if frame = *b; cap(frame) <= enough { // one large entry must not stay in memory
			defer scratch.Put(b)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range j.mu.watch {
		f(e)
	}
	if j.mu.closed || j.mu.ended {
		return
	}
	if frame == nil || err != nil || len(j.mu.pending) > buffered {
		j.mu.dropped++
	} else {
		j.mu.pending = appendEntry(j.mu.pending, frame)
		j.over.Store(len(j.mu.pending) > buffered)
	}
	signal(j.wake)
	if len(j.mu.pending) > enough {
		signal(j.full)
	}
}

// signal wakes the reader of c. Signals that come before it looks count as one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Watch calls f with every entry from now on, until stop is called. f must not block, keep the entry or call the
// journal. Any goroutine.
func (j *Journal) Watch(f func(*Entry)) (stop func()) {
	if j == nil {
		return func() {}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.mu.watch == nil {
		j.mu.watch = map[int]func(*Entry){}
	}
	j.mu.serial++
	number := j.mu.serial
	j.mu.watch[number] = f
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.mu.watch, number)
	}
}

// write is the writer's goroutine.
func (j *Journal) write() {
	defer close(j.done)
	var spare []byte
	var lines bytes.Buffer // of alarms
	timer := time.NewTimer(0)
	for range j.wake {
		timer.Reset(gathering)
		select {
		case <-timer.C:
		case <-j.full:
		}
		j.mu.Lock()
		spare, j.mu.pending = j.mu.pending, spare[:0]
		j.over.Store(false)
		lines.Reset()
		lines, j.mu.alarms.pending = j.mu.alarms.pending, lines
		dropped, closed := j.mu.dropped, j.mu.closed
		j.mu.dropped = 0
		j.mu.Unlock()
		if dropped > 0 {
			j.o.Tell(fmt.Sprintf("The journal has missed %d events: they came faster than they could be written",
				dropped))
		}
		err := j.append(spare)
		if err == nil {
			err = j.mu.alarms.write(j.o.Dir, lines.Bytes())
		}
		if err != nil {
			j.mu.Lock()
			j.mu.ended = true
			j.over.Store(true)
			j.mu.Unlock()
			j.o.Tell(fmt.Sprintf("The journal ends here, and nothing is recorded until the next start: %v", err))
			return
		}
		if cap(spare) > 2*enough {
			spare = nil // one burst must not stay in memory
		}
		if closed {
			return
		}
	}
}

// append writes entries.
func (j *Journal) append(entries []byte) error {
	if len(entries) == 0 {
		return nil
	}
	if err := j.log.Write(entries); err != nil {
		return err
	}
	j.since += int64(len(entries))
	if j.since < int64(j.o.segmentSize()) {
		return nil
	}
	return j.trim()
}

// trim removes the oldest segments: those beyond the size, and those whose entries are all too old.
func (j *Journal) trim() error {
	j.since = 0
	segments, err := segmentsOf(j.o.Dir)
	if err != nil {
		return err
	}
	var total int64
	for _, s := range segments {
		total += s.size
	}
	first := 0
	// The last two stay: a reader may have the last one open, and cutting before it would write it anew.
	for first < len(segments)-2 && (total > j.o.Size || j.o.Now().Sub(segments[first].changed) > j.o.Age) {
		total -= segments[first].size
		first++
	}
	for _, s := range segments[:first] { // the oldest first, so that there never is a gap
		if err := os.Remove(s.path); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is buffered and ends the journal.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	was := j.mu.closed
	j.mu.closed = true
	j.mu.Unlock()
	if was {
		return nil
	}
	signal(j.full)
	signal(j.wake)
	<-j.done
	if err := j.mu.alarms.close(); err != nil {
		j.o.Tell(fmt.Sprintf("The journal was not closed in order: %v", err))
	}
	if err := j.log.Close(); err != nil {
		j.o.Tell(fmt.Sprintf("The journal was not closed in order: %v", err))
	}
	return nil
}

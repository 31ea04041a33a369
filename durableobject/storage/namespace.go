package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eddy/durableobject/storage/history"
	"eddy/runtime/sqlite"
)

// Durability says when Sync calls back.
type Durability int

const (
	// Strict: after the log was written to the disk itself.
	Strict Durability = iota
	// Relaxed: at once. A crash of the process still loses nothing; a loss of
	// power may lose the last commits.
	Relaxed
)

// Limits of the key-value face. Zero means no limit of its own.
type Limits struct {
	KeyBytes   int // longest key
	ValueBytes int // longest value
	Keys       int // most keys or pairs in one call
}

// KVBackedLimits are production's limits for classes without SQLite (KV12).
var KVBackedLimits = Limits{KeyBytes: 2048, ValueBytes: 131_072, Keys: 128}

// Options configures a Namespace.
type Options struct {
	// Limits of the key-value face; SQLite's own limits (SQL14) always hold.
	Limits Limits
	// SQLLimits; default sqlite.PlatformLimits.
	SQLLimits sqlite.Limits
	// Durability of Sync; default Strict.
	Durability Durability
	// Temporary says that nobody needs the files after the process. Nothing waits for the disk, Release leaves files
	// open, and Close leaves logs and histories as they are.
	Temporary bool
	// OpenFiles bounds how many object files stay open; default 512, or less if
	// the process may open few files. Each takes about 130 KB and up to four
	// descriptors. Objects with an open transaction or cursor stay open beyond
	// it. It shrinks by itself when descriptors run out.
	OpenFiles int
	// NameTable also writes an object's name into its file, where wrangler dev
	// keeps it (CL15). The table is visible to the object's SQL.
	NameTable bool
	// HistoryDir, if set, is where a history of every object is kept (see
	// [statedir.Dir.History]), so that it can be made what it was before (SQL18).
	HistoryDir string
	// HistoryKeep is how long states are remembered; default 30 days, as in production. HistoryBytes is how much is
	// kept per object, beyond one copy of it; default 64 MB, after which the oldest states are given up.
	HistoryKeep  time.Duration
	HistoryBytes int64
	// Now is the session's time; default time.Now.
	Now func() time.Time
	// Notify, if set, is called with what a person should know and no caller hears, e.g. that the alarm index was
	// damaged and was made again. Any goroutine.
	Notify func(text string)
	// Stop, if set, makes what objects ask of their databases fail as long as it is
	// true, e.g. because an object has used up its CPU time. A turn that was
	// writing is rolled back by it, which breaks the Store. Any goroutine sets it.
	Stop *atomic.Bool
	// Held, if set, fails when another process may have the objects, too. It is asked before a write is confirmed.
	Held func() error
	// Keeper, if set, keeps what is committed in the place of this machine's disk: files are a cache.
	Keeper Keeper
	// Faults, for tests, are those of the disk that the files are on.
	Faults *sqlite.Faults
}

// Namespace is the storage of one object class.
type Namespace struct {
	dir   string
	opts  Options
	index *index
	sync  *syncer
	work  *background

	complaint sync.Once // about histories that cannot be kept

	// Fields below belong to the owner's goroutine.
	stores map[string]*Store
	open   openList
	rests  map[string]rest // by object, of Stores that were closed
	// sweepRests is how many rests there may be before those that nobody needs are taken away.
	sweepRests int
}

// OpenNamespace opens the storage kept in dir (see [statedir.Dir.Namespace]). Nothing is
// created before the first write.
func OpenNamespace(dir string, o Options) (*Namespace, error) {
	if o.OpenFiles == 0 {
		o.OpenFiles = min(512, max(descriptors()/32, 8))
	}
	if o.SQLLimits == (sqlite.Limits{}) {
		o.SQLLimits = sqlite.PlatformLimits
	}
	if o.HistoryKeep == 0 {
		o.HistoryKeep = history.DefaultKeep
	}
	if o.HistoryBytes == 0 {
		o.HistoryBytes = history.DefaultBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keeper != nil {
		o.Temporary = true
	}
	ix, err := openIndex(filepath.Join(dir, indexFile), o)
	if err != nil {
		return nil, err
	}
	return &Namespace{dir: dir, opts: o, index: ix, sync: newSyncer(o.Faults), work: newBackground(),
		stores: map[string]*Store{}, rests: map[string]rest{}}, nil
}

// Dir is the folder of the namespace.
func (ns *Namespace) Dir() string { return ns.dir }

// Store returns the storage of the object with this id (64 hex digits, for a
// facet followed by a dot and its number). There is one Store per id until it
// is closed.
func (ns *Namespace) Store(id string) *Store {
	if s := ns.stores[id]; s != nil {
		return s
	}
	if id == "" || strings.ContainsAny(id, "/\\\x00") || strings.HasPrefix(id, ".") {
		panic(fmt.Sprintf("storage: %q is no object id", id))
	}
	s := &Store{ns: ns, id: id, path: filepath.Join(ns.dir, id+objectSuffix), syncs: &syncs{}}
	ns.stores[id] = s
	s.inherit()
	return s
}

// Close closes every Store without committing what is open, and waits for
// background work. Pending Sync callbacks are called first.
func (ns *Namespace) Close() error {
	for _, s := range ns.stores {
		if ns.opts.Temporary {
			s.leave()
		} else {
			s.Close()
		}
	}
	ns.work.wait()
	ns.sync.wait()
	return ns.index.close()
}

// ObjectInfo describes one object on disk.
type ObjectInfo struct {
	ID    string
	Name  string // "" if unknown
	Bytes int64  // size of the file without its log
}

// Objects lists the objects that have a file, by id. It reads the directory
// and the index only; names that wrangler dev left in object files are found
// with Store.StoredName.
func (ns *Namespace) Objects() ([]ObjectInfo, error) {
	entries, err := os.ReadDir(ns.dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list objects in %s: %w", ns.dir, err)
	}
	names, err := ns.index.names()
	if err != nil {
		return nil, err
	}
	var out []ObjectInfo
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), objectSuffix)
		if !ok || e.Name() == indexFile || strings.Contains(id, ".") {
			continue
		}
		info := ObjectInfo{ID: id, Name: names[id]}
		if st, err := e.Info(); err == nil {
			info.Bytes = st.Size()
		}
		out = append(out, info)
	}
	return out, nil
}

// Object describes one object as [Namespace.Objects] does, without looking at the others. ok is false if it has no
// file.
func (ns *Namespace) Object(id string) (info ObjectInfo, ok bool, err error) {
	st, err := os.Stat(ObjectFile(ns.dir, id))
	if os.IsNotExist(err) {
		return info, false, nil
	}
	if err != nil {
		return info, false, fmt.Errorf("object %s: %w", id, err)
	}
	name, err := ns.index.nameOf(id)
	return ObjectInfo{ID: id, Name: name, Bytes: st.Size()}, true, err
}

// AlarmsOf has the alarm of one object, as [Namespace.Alarms] does: one or none.
func (ns *Namespace) AlarmsOf(id string) ([]Alarm, error) { return ns.index.alarms(id) }

// Alarm is one entry of the index.
type Alarm struct {
	ID   string
	Time time.Time
	Name string // "" if unknown
}

// Alarms lists all scheduled alarms, earliest first, without opening an
// object. An entry may be earlier than the object's own row or have none left
// after a crash; the row (Store.Alarm) is the truth.
func (ns *Namespace) Alarms() ([]Alarm, error) { return ns.index.alarms("") }

const (
	objectSuffix = ".sqlite"
	indexFile    = "metadata.sqlite"
)

// LongestFile is the longest path that a database in the folder of a namespace can have: a facet's.
func LongestFile(dir string) string {
	return filepath.Join(dir, strings.Repeat("0", 64)+".00000"+objectSuffix)
}

// background runs work off the loop: closing files, checkpoints.
type background struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	busy map[string]chan struct{} // by path; closed when the work on it is done
}

func newBackground() *background { return &background{busy: map[string]chan struct{}{}} }

// start runs f for a path unless something runs for it already, and reports
// whether it did.
func (b *background) start(path string, f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy[path] != nil {
		return false
	}
	done := make(chan struct{})
	b.busy[path] = done
	b.wg.Go(func() {
		f()
		b.mu.Lock()
		delete(b.busy, path)
		b.mu.Unlock()
		close(done)
	})
	return true
}

// settle waits until nothing runs for a path.
func (b *background) settle(path string) {
	b.mu.Lock()
	done := b.busy[path]
	b.mu.Unlock()
	if done != nil {
		<-done
	}
}

// wait waits until nothing runs, and reports whether something did.
func (b *background) wait() (ran bool) {
	b.mu.Lock()
	ran = len(b.busy) > 0
	b.mu.Unlock()
	b.wg.Wait()
	return ran
}

// OpenFiles is the number of object files that are open now.
func (ns *Namespace) OpenFiles() int { return ns.open.stores.Len() }

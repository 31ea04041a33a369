package bundle

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchSet is what a Watcher looks at. All paths are absolute.
type WatchSet struct {
	// Files are those whose content matters, the caller's configuration files included.
	Files []string
	// Missing are paths of imports that were not found, perhaps without extension: "/src/util" also means
	// /src/util.ts and /src/util/index.ts.
	Missing []string
	// Sought are paths of imports, perhaps without extension: a file that comes or goes there may be found before
	// others.
	Sought []string
	// Folders are those in which any new or removed file matters.
	Folders []string
}

// FileChange says that something of the set has changed. Files is empty if the system lost events and anything may have
// changed.
type FileChange struct {
	Files []string
	// At is when the last of them was seen: who reads the files after that reads what was written.
	At time.Time
}

// WatchOptions are the settings of a Watcher.
type WatchOptions struct {
	// Quiet is how long nothing must happen before a change is signalled, because editors and version control write
	// in bursts. 30 ms by default.
	Quiet time.Duration
	// Closed is the same where one file has changed, and nobody has it open for writing: 10 ms by default, and no more
	// than Quiet. An empty file may be about to be written, and one that is gone about to come again.
	Closed time.Duration
	// Noticed, if set, is called on the Watcher's goroutine whenever something happens to the set, before the quiet
	// time. It must not block.
	Noticed func()
	// After is time.After unless set.
	After func(time.Duration) <-chan time.Time
}

// Watcher signals changes of files. Its one goroutine runs from NewWatcher to Close.
type Watcher struct {
	options WatchOptions
	notify  *fsnotify.Watcher
	sets    chan setRequest
	changes chan FileChange
	quit    chan struct{}
	done    chan struct{}
	seen    atomic.Uint64
}

type setRequest struct {
	set   WatchSet
	reply chan error
}

// NewWatcher starts a watcher that looks at nothing yet.
func NewWatcher(o WatchOptions) (*Watcher, error) {
	if o.Quiet == 0 {
		o.Quiet = 30 * time.Millisecond
	}
	if o.Closed == 0 {
		o.Closed = 10 * time.Millisecond
	}
	o.Closed = min(o.Closed, o.Quiet)
	if o.After == nil {
		o.After = time.After
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watcher{
		options: o, notify: notify,
		sets: make(chan setRequest), changes: make(chan FileChange),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	go w.loop()
	return w, nil
}

// Changes delivers changes, one at a time; those that happen before the receiver comes are joined. It is closed by
// Close.
func (w *Watcher) Changes() <-chan FileChange { return w.changes }

// Seen counts what has happened to the set, before anything is signalled: if it rises while files are read, they may
// be half-written, and a change will say so with a time after the reading began.
func (w *Watcher) Seen() uint64 { return w.seen.Load() }

// Close ends the watcher and waits for its goroutine. It may be called twice, not concurrently.
func (w *Watcher) Close() error {
	select {
	case <-w.done:
		return nil
	default:
	}
	close(w.quit)
	<-w.done
	return w.notify.Close()
}

// Set replaces what is watched. The error names a folder that the system refuses to watch.
func (w *Watcher) Set(set WatchSet) error {
	request := setRequest{set: set, reply: make(chan error, 1)}
	select {
	case w.sets <- request:
		return <-request.reply
	case <-w.done:
		return errors.New("watch files: the watcher is closed")
	}
}

// watched is the state of the loop.
type watched struct {
	files   map[string]bool
	missing []string
	sought  map[string]bool
	folders map[string]bool
	// under are the folders the system watches for us. Files are watched through their folder, because many editors
	// save by renaming, which ends the watch of a file.
	under map[string]bool
}

func (w *Watcher) loop() {
	defer close(w.done)
	defer close(w.changes)
	state := watched{under: map[string]bool{}}
	burst := map[string]bool{} // changed since the last signal
	lost := false
	var at time.Time           // of the last change in burst, or of what was lost
	var quiet <-chan time.Time // ends the first part of the quiet time, or the rest of it
	rest := false
	begin := func() {
		w.seen.Add(1) // first, so that what comes after a look at it has a later time
		if w.options.Noticed != nil {
			w.options.Noticed()
		}
		at, rest = time.Now(), false
		quiet = w.options.After(w.options.Closed)
	}
	var pending *FileChange
	for {
		var out chan FileChange
		var next FileChange
		if pending != nil {
			out, next = w.changes, *pending
		}
		select {
		case <-w.quit:
			return
		case request := <-w.sets:
			request.reply <- state.set(w.notify, request.set)
		case event := <-w.notify.Events:
			if event.Op == fsnotify.Chmod || !state.matters(event) {
				continue
			}
			burst[event.Name] = true
			begin()
		case <-w.notify.Errors:
			// The only error of a running watcher is an overflow of its queue: any file may have changed.
			lost = true
			begin()
		case <-quiet:
			quiet = nil
			if !rest && (lost || !complete(burst)) {
				rest, quiet = true, w.options.After(w.options.Quiet-w.options.Closed)
				continue
			}
			if pending != nil && !lost {
				for _, file := range pending.Files {
					burst[file] = true
				}
			}
			pending = &FileChange{At: at}
			if !lost {
				pending.Files = slices.Sorted(maps.Keys(burst))
			}
			burst, lost = map[string]bool{}, false
		case out <- next:
			pending = nil
		}
	}
}

// complete tells whether a burst is over, as far as can be told: who saves more than one file may not be done.
func complete(burst map[string]bool) bool {
	for file := range burst {
		return len(burst) == 1 && closed(file)
	}
	return false
}

// set watches the folders that the set needs and lets go of the others.
func (s *watched) set(notify *fsnotify.Watcher, set WatchSet) error {
	s.files, s.folders, s.missing = map[string]bool{}, map[string]bool{}, nil
	need := map[string]bool{}
	for _, file := range set.Files {
		file = filepath.Clean(file)
		s.files[file] = true
		need[existing(filepath.Dir(file))] = true
	}
	for _, file := range set.Missing {
		file = filepath.Clean(file)
		s.missing = append(s.missing, file)
		need[existing(filepath.Dir(file))] = true
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			need[file] = true
		}
	}
	s.sought = map[string]bool{}
	for _, file := range set.Sought {
		s.sought[file] = true
		need[existing(filepath.Dir(file))] = true
	}
	for _, folder := range set.Folders {
		folder = filepath.Clean(folder)
		s.folders[folder] = true
		need[existing(folder)] = true
	}
	var failed []error
	for folder := range s.under {
		if !need[folder] {
			delete(s.under, folder)
			// It fails if the folder is gone, which ended the watch as well.
			_ = notify.Remove(folder)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(need)) {
		// Adding again is harmless, and needed if the folder was replaced by another one.
		if err := notify.Add(folder); err != nil {
			failed = append(failed, fmt.Errorf("watch %s: %w", folder, err))
			continue
		}
		s.under[folder] = true
	}
	return errors.Join(failed...)
}

// existing returns the folder or the nearest one above it that exists.
func existing(folder string) string {
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return folder
		}
		folder = parent
	}
}

func (s *watched) matters(event fsnotify.Event) bool {
	name := filepath.Clean(event.Name)
	if s.files[name] {
		return true
	}
	if event.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 && s.folders[filepath.Dir(name)] {
		return true
	}
	if event.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 && s.seeks(name) {
		return true
	}
	for _, missing := range s.missing {
		if name == missing || strings.HasPrefix(name, missing+".") ||
			strings.HasPrefix(name, missing+string(filepath.Separator)) ||
			strings.HasPrefix(missing, name+string(filepath.Separator)) {
			return true
		}
	}
	for file := range s.files {
		// A folder on the way to a file came or went.
		if strings.HasPrefix(file, name+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// extensions are those that an import may leave out.
var extensions = []string{".tsx", ".ts", ".jsx", ".js", ".css", ".json"}

// seeks tells whether an import may mean a path: with an extension, or as a folder.
func (s *watched) seeks(name string) bool {
	if s.sought[name] {
		return true
	}
	for _, extension := range extensions {
		stem, ok := strings.CutSuffix(name, extension)
		if ok && (s.sought[stem] || filepath.Base(stem) == "index" && s.sought[filepath.Dir(stem)]) {
			return true
		}
	}
	return false
}

package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Read calls f with the entries of all journals below a folder, in the order in which the events were over, until f
// returns an error. Sessions may write meanwhile. Tell, which may be nil, hears of damage.
func Read(dir string, tell func(string), f func(*Entry) error) error {
	r, err := newReader(dir, tell)
	if err != nil {
		return err
	}
	defer r.close()
	for _, j := range r.folders {
		j.once = true
	}
	return r.read(f)
}

// poll is how often Follow looks for more. The journal may be another process's.
const poll = 100 * time.Millisecond

// Follow calls f with what is written from now on, until ctx ends or f returns an error; before, it calls past, unless
// that is nil, with what is there, and then opened: nothing that happens any more is missed.
func Follow(ctx context.Context, dir string, past func(*Entry) error, opened func(), tell func(string),
	f func(*Entry) error) error {
	if past == nil {
		past = func(*Entry) error { return nil }
	}
	r, err := newReader(dir, tell)
	if err != nil {
		return err
	}
	defer r.close()
	return r.follow(ctx, dir, past, opened, f)
}

// nearby is how many bytes of a journal, the latest, are searched first for an entry after which somebody goes on.
const nearby = 4 << 20

// Resume is [Follow] for somebody who has had the entries of a journal up to the one with the span after: it calls f
// with those behind it, then opened, and then f with what is written from now on. Before all that it calls resumed,
// which is told whether the entry is still there; if not, f gets all that is. The journal must be the only one of dir:
// entries of several have no order of their own.
func Resume(ctx context.Context, dir string, after [8]byte, resumed func(found bool), opened func(),
	f func(*Entry) error) error {
	for _, room := range []int64{nearby, math.MaxInt64} {
		r, err := newReader(dir, nil)
		if err != nil {
			return err
		}
		defer r.close()
		found, err := r.pass(after, room)
		if err != nil {
			return err
		}
		if found {
			resumed(true)
			return r.follow(ctx, dir, f, opened, f)
		}
	}
	r, err := newReader(dir, nil)
	if err != nil {
		return err
	}
	defer r.close()
	resumed(false)
	return r.follow(ctx, dir, f, opened, f)
}

// pass reads up to the entry with that span, which it looks for among the latest of about room bytes.
func (r *reader) pass(span [8]byte, room int64) (found bool, err error) {
	for _, j := range r.folders {
		if _, err := j.skip(room); err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
	}
	err = r.read(func(e *Entry) error {
		if e.Span == span {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// errFound ends a search.
var errFound = errors.New("found")

// follow is [Follow] from where r is.
func (r *reader) follow(ctx context.Context, dir string, past func(*Entry) error, opened func(),
	f func(*Entry) error) error {
	if err := r.read(past); err != nil {
		return err
	}
	opened()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := r.find(dir, false); err != nil {
			return err
		}
		if err := r.read(f); err != nil {
			return err
		}
	}
}

// reader reads all journals below a folder.
type reader struct {
	tell    func(string)
	folders map[string]*folder
}

// folder is the reader's place in one journal.
type folder struct {
	dir  string
	tell func(string)
	// index is that of the segment being read, 0 before the first; file is open while there may be more in it.
	index uint64
	file  *os.File
	// data is what was read and is not used yet. head is the entry at its front, nil if there is none.
	data []byte
	head *Entry
	// damage is what was found in the segment. It is told once, when something whole comes after it: the last entry may
	// be one that is being written.
	damage error
	told   bool
	// once says that nobody will read what is written later.
	once bool
}

func newReader(dir string, tell func(string)) (*reader, error) {
	if tell == nil {
		tell = func(string) {}
	}
	r := &reader{tell: tell, folders: map[string]*folder{}}
	return r, r.find(dir, true)
}

// find adds the journals that are new; what was set aside only when it was so from the beginning.
func (r *reader) find(dir string, aside bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, e := range entries {
		if !aside && strings.HasSuffix(e.Name(), asideSuffix) {
			continue
		}
		if path := filepath.Join(dir, e.Name()); e.IsDir() && r.folders[path] == nil {
			r.folders[path] = &folder{dir: path, tell: r.tell}
		}
	}
	return nil
}

func (r *reader) close() {
	for _, f := range r.folders {
		f.close()
	}
}

// read calls f with all that is there and was not read yet.
func (r *reader) read(f func(*Entry) error) error {
	var ready []*folder
	for _, j := range r.folders {
		if err := j.advance(); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if j.head != nil {
			ready = append(ready, j)
		}
	}
	for len(ready) > 0 {
		first := slices.MinFunc(ready, func(a, b *folder) int {
			return cmp.Or(a.head.End().Compare(b.head.End()), cmp.Compare(a.dir, b.dir))
		})
		e := first.head
		first.head = nil
		if err := f(e); err != nil {
			return err
		}
		if err := first.advance(); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if first.head == nil {
			ready = slices.DeleteFunc(ready, func(j *folder) bool { return j == first })
		}
	}
	return nil
}

// advance makes head the next entry, or nil if there is none yet.
func (j *folder) advance() error {
	for j.head == nil {
		e, used, skipped, why := nextFrame(j.data)
		j.data = j.data[used:]
		if skipped > 0 && j.damage == nil {
			j.damage = why // what follows damage often looks damaged, too
		}
		if e != nil {
			j.tellDamage()
			j.head = e
			return nil
		}
		more, err := j.fill()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// fill reads on, in the next segment when one is used up.
func (j *folder) fill() (more bool, err error) {
	if j.file != nil {
		n, err := j.readSome()
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	next, err := j.following()
	if err != nil {
		return false, err
	}
	if next == nil {
		if j.once && len(j.data) > frameHeader {
			j.lookBehind() // an entry that is being written, or damage with whole entries behind it
			return true, nil
		}
		return false, nil
	}
	if j.file != nil {
		// The next segment is there, so this one is complete: what came between the two looks is read now.
		if n, err := j.readSome(); err != nil || n > 0 {
			return n > 0, err
		}
		if len(j.data) > frameHeader {
			// A length that leads beyond the end of its file is damage: look behind its magic.
			j.lookBehind()
			return true, nil
		}
		j.tellDamage()
		j.close()
	}
	f, err := os.Open(next.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // taken away meanwhile: look again
	}
	if err != nil {
		return false, err
	}
	j.file, j.index, j.data, j.damage, j.told = f, next.index, nil, nil, false
	return true, nil
}

// lookBehind gives up the entry at the front, which goes beyond the end of what there is.
func (j *folder) lookBehind() {
	j.data = j.data[len(magic):]
	if j.damage == nil {
		j.damage = errors.New("an entry that does not end")
	}
}

// tellDamage tells of what was found in the segment, once.
func (j *folder) tellDamage() {
	if j.damage != nil && !j.told {
		j.told = true
		j.tell(fmt.Sprintf("%s: skipped what cannot be read in segment %d: %v", j.dir, j.index, j.damage))
	}
}

// following is the segment after the one being read, nil if there is none.
func (j *folder) following() (*segment, error) {
	list, err := segmentsOf(j.dir)
	if err != nil {
		return nil, err
	}
	if j.begunAnew(list) {
		return &list[0], nil
	}
	for i := range list {
		if list[i].index > j.index {
			return &list[i], nil
		}
	}
	return nil, nil
}

// begunAnew tells whether another journal stands in the place of the one that was being read, which was set aside.
func (j *folder) begunAnew(list []segment) bool {
	if len(list) == 0 || j.file == nil || list[0].index != 1 {
		return false
	}
	if j.index > list[len(list)-1].index {
		return true
	}
	mine, err := j.file.Stat()
	if err != nil || j.index != 1 {
		return false
	}
	there, err := os.Stat(list[0].path)
	return err == nil && !os.SameFile(mine, there)
}

// readSome adds what the file has to data.
func (j *folder) readSome() (int, error) {
	const chunk = 256 << 10
	data := slices.Grow(j.data, chunk) // entries have copies of what they were read from
	n, err := j.file.Read(data[len(data) : len(data)+chunk])
	if err == io.EOF {
		err = nil
	}
	if n > 0 {
		j.data = data[:len(data)+n]
	}
	return n, err
}

func (j *folder) close() {
	if j.file != nil {
		_ = j.file.Close() // it was only read
		j.file = nil
	}
}

package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"
)

// Mark says that this process made, at a time, the commit that ends with a frame
// of the present log.
type Mark struct {
	Frame uint32
	At    time.Time
}

// Commits is what the process that writes a database knows of its commits. It may go on committing while they are
// archived, except where a checkpoint could begin the log anew.
type Commits struct {
	// Known is how many frames of the present log are known to be whole: their checksums are not computed.
	Known uint32
	// Marks are those of commits up to a frame, ascending, with that of the last such commit. It is called after the
	// frames have been read, so that it knows each commit whose frames were there, but for one that is being made.
	// Nil stands for none.
	Marks func(through uint32) []Mark
	// Now stands for the time of a last commit that has no mark.
	Now func() time.Time
}

// marks are those of commits up to a frame.
func (c *Commits) marks(through uint32) []Mark {
	if c.Marks == nil {
		return nil
	}
	return c.Marks(through)
}

// now is the time of a last commit in the log without a mark; w may be nil.
func (c *Commits) now(w *wal) time.Time {
	now := c.Now()
	if w == nil {
		return now
	}
	if st, err := w.f.Stat(); err == nil && st.ModTime().Before(now) {
		return st.ModTime() // after a crash no better time is known
	}
	return now
}

// File is the history of one database.
type File struct {
	Path string // of the history
	DB   string // path of the database
	// Empty is the first page of the database without tables. A database that
	// consists of it had no state before.
	Empty []byte
	// Keep is how long states are remembered.
	Keep time.Duration
	// Bytes is how long the file may get beyond the state it begins with.
	Bytes int64
	// BaseBytes is how large a database may be of which a history is kept.
	BaseBytes int64
}

// Limits by default: production keeps 30 days.
const (
	DefaultKeep      = 30 * 24 * time.Hour
	DefaultBytes     = 64 << 20
	DefaultBaseBytes = 1 << 30
)

// ErrTooLarge says that no history is kept because the database is too large.
var ErrTooLarge = errors.New("the database is too large for a history to be kept")

// Archive adds what was committed since the last time, and remembers the states
// that have marks and the last one. It must be called before a checkpoint.
func (f *File) Archive(c Commits) error {
	h, err := f.archive(&c)
	if h != nil {
		err = errors.Join(err, h.Close())
	}
	return f.wrap("add to", err)
}

func (f *File) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s history %s: %w", op, f.Path, err)
}

// archive is Archive that leaves the file open.
func (f *File) archive(c *Commits) (h *file, err error) {
	w, err := openWAL(f.DB)
	if err != nil {
		return nil, err
	}
	if w != nil {
		defer w.close()
	}
	if h, err = openFile(f.Path); err != nil {
		return nil, err
	}
	next := batch{log: 1}
	if h != nil {
		same, err := f.continues(h, w)
		if err != nil {
			return h, err
		}
		if !same {
			if err := h.Close(); err != nil {
				return nil, err
			}
			return f.restart(h.identity, w, c)
		}
		next = batch{log: h.last.log + 1}
		if w != nil && w.salts == h.last.salts {
			next = batch{log: h.last.log, from: h.last.to, end: h.last.end}
		}
	} else {
		page, err := os.ReadFile(f.DB)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(page, f.Empty) {
			return f.restart(identity{}, w, c)
		}
		if h, err = f.start(identity{}, c.Now(), func(h *file) error {
			return h.addEmpty(f.Empty,
				batch{})
		}); err != nil {
			return h, err
		}
	}
	if w == nil {
		return h, nil
	}
	return h, f.addFrames(h, w, next, c)
}

// addFrames adds the states of a log that the history does not have.
func (f *File) addFrames(h *file, w *wal, b batch, c *Commits) error {
	frames, end, err := w.frames(b.from, b.end, c.Known)
	if err != nil || len(frames) == 0 {
		return err
	}
	b.to, b.salts, b.end = b.from+uint32(len(frames)), w.salts, end
	p := h.begin(&b)
	from := b.from
	for _, m := range boundaries(c.marks(b.to), frames, b.from, max(c.now(w).UnixNano(), h.last.last)) {
		latest := map[uint32]uint32{}
		for n := from + 1; n <= m.frame; n++ {
			latest[frames[n-b.from-1].page] = n
		}
		m.pages = frames[m.frame-b.from-1].commit
		var pages []uint32
		for n := range latest {
			if n <= m.pages {
				pages = append(pages, n)
			}
		}
		slices.Sort(pages)
		if err := p.state(m, pages, func(n uint32, into []byte) error { return w.page(latest[n], into) }); err != nil {
			return err
		}
		from = m.frame
	}
	return p.finish()
}

// boundaries are the states to remember among the commits of frames, which
// follow frame from: those with marks, and the last.
func boundaries(marks []Mark, frames []walFrame, from uint32, now int64) []state {
	last := from + uint32(len(frames))
	var list []state
	for _, m := range marks {
		if m.Frame > from && m.Frame <= last && frames[m.Frame-from-1].commit != 0 {
			list = append(list, state{frame: m.Frame, at: unix(m.At)})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].frame < list[j].frame })
	list = slices.CompactFunc(list, func(a, b state) bool { return a.frame == b.frame })
	if len(list) == 0 || list[len(list)-1].frame != last {
		list = append(list, state{frame: last, at: now})
	}
	return list
}

// continues reports whether the database with its log w follows from the last
// state of the history.
func (f *File) continues(h *file, w *wal) (bool, error) {
	if w != nil && w.salts == h.last.salts {
		return w.has(h.last.to, h.last.end) // a loss of power may have shortened it
	}
	size, modified, err := f.stat()
	if err != nil {
		return false, err
	}
	if h.last.size != 0 && size == h.last.size && modified == h.last.modified {
		return true, nil
	}
	return f.equals(h)
}

// stat is the size and time of the database file, 0 if there is none.
func (f *File) stat() (size, modified int64, err error) {
	st, err := os.Stat(f.DB)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	return st.Size(), st.ModTime().UnixNano(), nil
}

// start begins a new epoch, greater than the one before, with a first batch.
func (f *File) start(old identity, now time.Time, first func(*file) error) (*file, error) {
	id := identity{epoch: max(uint32(now.Unix()), old.epoch+1)}
	sum := sha256.Sum256(binary.BigEndian.AppendUint32([]byte(filepath.Base(f.Path)+"\x00"), id.epoch))
	copy(id.check[:], sum[:])
	fresh := f.Path + ".new"
	h, err := createFile(fresh, id)
	if err != nil {
		return nil, err
	}
	if err := first(h); err != nil {
		h.Close()
		return nil, err
	}
	if err := h.Close(); err != nil {
		return nil, err
	}
	if err := os.Rename(fresh, f.Path); err != nil {
		return nil, err
	}
	return openFile(f.Path)
}

// restart begins a new epoch with what the database holds now: the file, and the
// pages of the log over it.
func (f *File) restart(old identity, w *wal, c *Commits) (*file, error) {
	db, err := os.Open(f.DB)
	if errors.Is(err, fs.ErrNotExist) {
		return f.start(old, c.Now(), func(h *file) error { return h.addEmpty(f.Empty, batch{}) })
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	st, err := db.Stat()
	if err != nil {
		return nil, err
	}
	b := batch{whole: true, log: 1, size: st.Size(), modified: st.ModTime().UnixNano()}
	pages := uint32(st.Size() / pageSize)
	latest := map[uint32]uint32{}
	if w != nil {
		frames, end, err := w.frames(0, w.sum, 0)
		if err != nil {
			return nil, err
		}
		for i, fr := range frames {
			latest[fr.page] = uint32(i + 1)
			if fr.commit != 0 {
				pages = fr.commit
			}
		}
		b.to, b.from, b.salts, b.end = uint32(len(frames)), uint32(len(frames)), w.salts, end
	}
	if int64(pages)*pageSize > f.BaseBytes {
		return nil, fmt.Errorf("%w: %d bytes of at most %d", ErrTooLarge, int64(pages)*pageSize, f.BaseBytes)
	}
	now := c.now(w)
	return f.start(old, now, func(h *file) error {
		p := h.begin(&b)
		if err := p.state(state{b.to, now.UnixNano(), pages, pages}, numbers(pages), func(n uint32, into []byte) error {
			if at := latest[n]; at != 0 {
				return w.page(at, into)
			}
			_, err := db.ReadAt(into[:pageSize], int64(n-1)*pageSize)
			return ignoreEOF(err)
		}); err != nil {
			return err
		}
		return p.finish()
	})
}

func numbers(n uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i + 1)
	}
	return list
}

// addEmpty adds the state of a database without tables. It has no time, because nothing was before it.
func (h *file) addEmpty(page []byte, b batch) error {
	b.whole = true
	if b.log == 0 {
		b.log = 1
	}
	p := h.begin(&b)
	if err := p.state(state{0, b.first, 1, 1}, []uint32{1}, func(_ uint32, into []byte) error {
		copy(into, page)
		return nil
	}); err != nil {
		return err
	}
	return p.finish()
}

// Settled says that a checkpoint has been made and nothing else happened to the
// database file since. atRest says that the database is closed, too: its bytes
// are then what [File.Verify] expects. Settled also merges what is too old or too
// much.
func (f *File) Settled(now time.Time, atRest bool) error {
	h, err := openFile(f.Path)
	if err != nil || h == nil {
		return f.wrap("add to", err)
	}
	err = f.settled(h, h.last.log, h.last.to, now, atRest)
	trim := err == nil && f.wantsTrim(h, now)
	err = errors.Join(err, h.Close())
	if err == nil && trim {
		err = f.trim(now)
	}
	return f.wrap("add to", err)
}

// settled adds a batch without states that has the file's size and time. now is
// its own time: the first state of all has none. Commits that are not archived yet
// may have been made before it.
func (f *File) settled(h *file, log, to uint32, now time.Time, atRest bool) error {
	size, modified, err := f.stat()
	if err != nil {
		return err
	}
	last := h.last
	if size == last.size && modified == last.modified && log == last.log && (last.digested || !atRest) {
		return nil
	}
	at := max(now.UnixNano(), last.last)
	b := batch{log: log, from: to, to: to, first: at, last: at, size: size, modified: modified}
	if log == last.log {
		b.salts, b.end = last.salts, last.end
	}
	if atRest && size <= maxDigested {
		if b.digest, err = digestOf(f.DB); err != nil {
			return err
		}
		b.digested = true
	}
	return h.add(&b).finish()
}

// Deleted says that the database was removed as a whole; what is written next
// begins anew. Archive must have been called before.
func (f *File) Deleted(now time.Time) error {
	h, err := openFile(f.Path)
	if err != nil || h == nil {
		return f.wrap("add to", err)
	}
	err = h.addEmpty(f.Empty, batch{log: h.last.log + 1, first: max(now.UnixNano(), h.last.last)})
	return f.wrap("add to", errors.Join(err, h.Close()))
}

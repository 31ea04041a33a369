package files

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"eddy/queues/logstore"
	"eddy/runtime/cluster/engine"
)

// pieceBytes is the most that a piece holds.
const pieceBytes = 512 << 10

// batchBytes is the most that one batch of pieces holds, well below the engine's limit.
const batchBytes = 4 << 20

// content is a file. It is its own handle: all who have it open see the same bytes.
type content struct {
	fs *FS

	mu    sync.Mutex
	local logstore.File // in scratch; nil before it is opened. Guarded by mu, as is all below.
	size  int64
	kept  record
	// starts are the offsets of the pieces that are kept, with their numbers.
	starts []piece
	dirty  int64 // the first byte that is not kept as it is; -1 if all are
}

type piece struct{ offset, number int64 }

func (c *content) path() string { return path.Join(c.fs.dir, fmt.Sprintf("%d", c.kept.ID)) }

func (*content) prefix(id int64) engine.Key { return engine.Key(fmt.Sprintf("%s%016x/", bytesOf, id)) }

// open brings the bytes into scratch.
func (c *content) open(name string) (logstore.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.local != nil {
		return c, nil
	}
	file, err := c.fs.scratch.Create(c.path())
	if err != nil {
		return nil, fmt.Errorf("scratch: %w", err)
	}
	var at, last int64
	var starts []piece
	all := engine.Prefix(c.prefix(c.kept.ID))
	err = c.fs.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		var offset int64
		_, err := fmt.Sscanf(string(k[len(all.From):]), "%x", &offset)
		if err != nil || offset != at && offset < c.kept.Size {
			return fmt.Errorf("%s: a piece at %s in the place of %d", name, k, at)
		}
		if offset >= c.kept.Size {
			return nil // of a sync that did not come to its end
		}
		_, err = file.WriteAt(v.Data, offset)
		at += int64(len(v.Data))
		last = v.Number
		starts = append(starts, piece{offset, v.Number})
		return err
	})
	if err == nil && (at != c.kept.Size || last != c.kept.Last) {
		err = fmt.Errorf("%s has %d bytes up to piece %d, but %d bytes up to piece %d were kept", name, at, last,
			c.kept.Size, c.kept.Last)
	}
	if err != nil {
		_ = file.Close() // the other error counts
		return nil, err
	}
	c.local, c.starts = file, starts
	return c, nil
}

// ReadAt implements [io.ReaderAt].
func (c *content) ReadAt(p []byte, off int64) (int, error) { return c.opened().ReadAt(p, off) }

func (c *content) opened() logstore.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.local
}

// WriteAt implements [io.WriterAt].
func (c *content) WriteAt(p []byte, off int64) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.touchLocked(min(off, c.size))
	n, err := c.local.WriteAt(p, off)
	c.size = max(c.size, off+int64(n))
	return n, err
}

// touchLocked is called with mu held.
func (c *content) touchLocked(from int64) {
	if c.dirty < 0 || from < c.dirty {
		c.dirty = from
	}
}

// Size implements [logstore.File].
func (c *content) Size() (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size, nil
}

// Truncate implements [logstore.File].
func (c *content) Truncate(size int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.touchLocked(min(size, c.size))
	c.size = size
	return c.local.Truncate(size)
}

// Close implements [logstore.File]. Scratch stays open, for whoever opens the file next.
func (*content) Close() error { return nil }

func (c *content) closeLocal() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.local == nil {
		return nil
	}
	return c.local.Close()
}

// Sync implements [logstore.File].
func (c *content) Sync() error {
	f := c.fs
	f.mu.Lock()
	b := f.changes
	f.changes = engine.Batch{}
	name := ""
	for n, other := range f.names {
		if other == c {
			name = n
		}
	}
	f.mu.Unlock()
	if name == "" { // it was removed: nobody will look for its bytes
		return f.commit(b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dirty < 0 {
		return f.commit(b)
	}
	next := c.kept
	from := c.dirty
	starts := c.starts
	// Kept pieces end where the change begins; a piece in the middle of which it begins is written again.
	for len(starts) > 0 && (starts[len(starts)-1].offset >= from || from < c.endLocked(len(starts)-1)) {
		from = min(from, starts[len(starts)-1].offset)
		starts = starts[:len(starts)-1]
	}
	rewritten := len(starts) < len(c.starts)
	if rewritten && c.size-from > batchBytes {
		// It takes several batches. Until the last one the file is as it was, so it gets new pieces under a new id.
		f.mu.Lock()
		next.ID = f.next
		f.next++
		f.mu.Unlock()
		from, starts = 0, nil
	}
	if rewritten && next.ID == c.kept.ID {
		key := c.key(next.ID, from)
		b.Add(engine.Batch{Deletes: []engine.Range{{From: key, To: engine.Prefix(c.prefix(next.ID)).To}}})
	}
	if rewritten { // a sync that fails leaves the pieces as they are
		starts = slices.Clone(starts)
	}
	next.Last = 0
	if len(starts) > 0 {
		next.Last = starts[len(starts)-1].number
	}
	for at := from; at < c.size; {
		data := make([]byte, min(pieceBytes, c.size-at))
		if n, err := c.local.ReadAt(data, at); n < len(data) {
			return fmt.Errorf("scratch: %w", err)
		}
		if b.Size()+len(data) > batchBytes {
			if err := f.commit(b); err != nil {
				return err
			}
			b = engine.Batch{}
		}
		number := f.shard.Number()
		b.Add(engine.Batch{Puts: []engine.Put{{Key: c.key(next.ID, at),
			Value: engine.Value{Data: data, Number: number, After: next.Last}}}})
		starts = append(starts, piece{at, number})
		next.Last = number
		at += int64(len(data))
	}
	next.Size = c.size
	if next.ID != c.kept.ID {
		b.Add(engine.Batch{Deletes: []engine.Range{engine.Prefix(c.prefix(c.kept.ID))}})
	}
	f.mu.Lock()
	f.recordLocked(&b, name, next)
	f.mu.Unlock()
	if err := f.commit(b); err != nil {
		return err
	}
	f.mu.Lock() // Rename reads it
	c.kept = next
	f.mu.Unlock()
	c.starts, c.dirty = starts, -1
	return nil
}

// endLocked is where a kept piece ends. mu is held.
func (c *content) endLocked(i int) int64 {
	if i+1 < len(c.starts) {
		return c.starts[i+1].offset
	}
	return c.kept.Size
}

func (c *content) key(id, offset int64) engine.Key {
	return c.prefix(id) + engine.Key(fmt.Sprintf("%016x", offset))
}

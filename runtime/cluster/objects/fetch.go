package objects

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/sqlite"
)

// extentBytes is how much of a database one value has.
const extentBytes = 64 << 10

func (b *object) extents() engine.Key {
	if b.Database == 0 {
		return b.firstExtents()
	}
	return b.otherExtents() + engine.Key(fmt.Sprintf("%016x/", b.Database))
}

func (b *object) firstExtents() engine.Key { return engine.Key("e/" + place(b.key, b.id) + "/") }

func (b *object) otherExtents() engine.Key { return engine.Key("E/" + place(b.key, b.id) + "/") }

func (b *object) extent(n int64) engine.Key { return b.extents() + engine.Key(fmt.Sprintf("%08x", n)) }

func (b *object) pieces() engine.Key { return engine.Key("w/" + place(b.key, b.id) + "/") }

func (b *object) piece(offset int64) engine.Key {
	return b.pieces() + engine.Key(fmt.Sprintf("%016x/%016x", b.Generation, offset))
}

// Present tells whether an object is on this node and its files are in scratch.
func (x *Shipped) Present(key, id string) bool {
	o := x.owner(key, id)
	if o == nil {
		return false
	}
	obj := o.find(key, id)
	obj.mu.Lock()
	defer obj.mu.Unlock()
	return obj.present && !obj.loading
}

// Bring calls done(nil) when an object's files are at path: at once if they are, on another goroutine if they have to
// come first. What is asked for meanwhile is called in order. An error says that they cannot be had.
func (x *Shipped) Bring(key, id, path string, done func(error)) {
	o := x.owner(key, id)
	if o == nil {
		done(ErrElsewhere)
		return
	}
	obj := o.find(key, id)
	obj.mu.Lock()
	if obj.present && !obj.loading {
		obj.mu.Unlock()
		done(nil)
		return
	}
	obj.waiting = append(obj.waiting, done)
	begin := !obj.loading
	obj.loading = true
	obj.mu.Unlock()
	if begin {
		go obj.load(path)
	}
}

// load makes an object's files of what is kept.
func (b *object) load(path string) {
	err := b.settled()
	if err == nil {
		err = b.fill(path)
	}
	if err == nil {
		err = b.fillFacets(path)
	}
	if err != nil {
		err = fmt.Errorf("object %s: %w", place(b.key, b.id), err)
	}
	for {
		b.mu.Lock()
		b.present = err == nil
		b.anew = b.anew && err != nil
		waiting := b.waiting
		b.waiting = nil
		if len(waiting) == 0 {
			b.loading = false // until then nobody overtakes those that have waited
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		for _, done := range waiting {
			done(err)
		}
	}
}

// settled waits until what was handed in is kept, if files that were here are made again: they are read of that.
func (b *object) settled() error {
	b.mu.Lock()
	anew := b.anew
	b.mu.Unlock()
	if !anew {
		return nil
	}
	done := make(chan error, 1)
	b.o.shard.Commit(engine.Batch{}, func(err error) { done <- err }) // it comes behind the others
	if err := <-done; err != nil {
		return fmt.Errorf("%w: %w", ErrElsewhere, err)
	}
	return nil
}

// takeBack is called with mu held when a commit could not be handed in: it is not kept, and the files are made again of
// what is before anybody sees them.
func (b *object) takeBack() {
	b.record, b.pages, b.salt, b.torn = b.handed, map[uint32]bool{}, [8]byte{}, false
	b.present, b.anew = false, true
}

func (b *object) fill(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), sqlite.DirMode); err != nil {
		return err
	}
	if err := sqlite.Remove(path); err != nil {
		return err
	}
	if b.Base == 0 {
		return nil // nothing is stored
	}
	if err := b.fillDatabase(path); err != nil || b.Log == 0 {
		return err
	}
	if err := b.fillLog(path + "-wal"); err != nil {
		return err
	}
	data, err := os.ReadFile(path + "-wal")
	if err != nil {
		return err
	}
	copy(b.salt[:], data[16:24])
	return b.notePages(data, 0)
}

// fillDatabase writes the extents into a file. A fold that was not finished may have put some of the next database:
// those behind the end are not counted, one that has become shorter lacks only what the log holds.
func (b *object) fillDatabase(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, sqlite.FileMode)
	if err != nil {
		return err
	}
	extents := (b.Base + extentBytes - 1) / extentBytes
	next := int64(0)
	all := engine.Range{From: b.extents(), To: b.extent(extents)}
	err = b.o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		if k != b.extent(next) {
			return fmt.Errorf("%s is in the place of extent %d", k, next)
		}
		_, err := f.WriteAt(v.Data[:min(int64(len(v.Data)), b.Base-next*extentBytes)], next*extentBytes)
		next++
		return err
	})
	if err == nil && next != extents {
		err = fmt.Errorf("its database has %d extents, but %d were kept", next, extents)
	}
	if err == nil {
		err = f.Truncate(b.Base)
	}
	return errors.Join(err, f.Close())
}

// fillLog writes the log's pieces into a file. A commit that was not finished may have put some behind its end.
func (b *object) fillLog(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, sqlite.FileMode)
	if err != nil {
		return err
	}
	size, last := int64(0), int64(0)
	all := engine.Range{From: b.piece(0), To: b.piece(b.Log)}
	err = b.o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		if k != b.piece(size) {
			return fmt.Errorf("%s is in the place of byte %d", k, size)
		}
		_, err := f.Write(v.Data)
		size, last = size+int64(len(v.Data)), v.Number
		return err
	})
	if err == nil && (size != b.Log || last != b.Last) {
		err = fmt.Errorf("its log has %d bytes up to piece %d, but %d up to piece %d were kept", size, last, b.Log,
			b.Last)
	}
	b.rest = true
	return errors.Join(err, f.Close())
}

const (
	pageBytes   = 4096
	logHead     = 32
	frameHead   = 24
	frameBytes  = frameHead + pageBytes
	pageOfFrame = 4
)

// notePages notes which pages the frames of a part of the log hold. It begins at an offset of the log.
func (b *object) notePages(data []byte, offset int64) error {
	if offset == 0 {
		if len(data) < logHead {
			return errors.New("its log has no head")
		}
		data = data[logHead:]
	}
	for len(data) >= frameBytes {
		b.pages[binary.BigEndian.Uint32(data[:pageOfFrame])] = true
		data = data[frameBytes:]
	}
	if len(data) != 0 {
		return errors.New("its log ends within a page")
	}
	return nil
}

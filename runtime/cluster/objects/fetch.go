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

func (b *object) extents() engine.Key { return engine.Key("e/" + place(b.key, b.id) + "/") }

func (b *object) extent(n int64) engine.Key { return b.extents() + engine.Key(fmt.Sprintf("%08x", n)) }

func (b *object) pieces() engine.Key { return engine.Key("w/" + place(b.key, b.id) + "/") }

func (b *object) piece(offset int64) engine.Key {
	return b.pieces() + engine.Key(fmt.Sprintf("%016x/%016x", b.Generation, offset))
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
	err := b.fill(path)
	if err != nil {
		err = fmt.Errorf("object %s: %w", place(b.key, b.id), err)
	}
	for {
		b.mu.Lock()
		b.present = err == nil
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
	size, _, err := b.copyOut(path, b.extents(), func(k string) (at int64, err error) {
		_, err = fmt.Sscanf(k, "%x", &at)
		return at * extentBytes, err
	})
	if err == nil && size != b.Base {
		err = fmt.Errorf("its database has %d bytes, but %d were kept", size, b.Base)
	}
	if err != nil || b.Log == 0 {
		return err
	}
	generation := b.pieces() + engine.Key(fmt.Sprintf("%016x/", b.Generation))
	size, last, err := b.copyOut(path+"-wal", generation, func(k string) (at int64, err error) {
		_, err = fmt.Sscanf(k, "%x", &at)
		return at, err
	})
	if err == nil && (size != b.Log || last != b.Last) {
		err = fmt.Errorf("its log has %d bytes up to piece %d, but %d up to piece %d were kept", size, last, b.Log,
			b.Last)
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path + "-wal")
	if err != nil {
		return err
	}
	copy(b.salt[:], data[16:24])
	return b.notePages(data, 0)
}

// copyOut writes the values of a range into a file, each at its place; they must lie side by side.
func (b *object) copyOut(path string, prefix engine.Key, place func(string) (int64, error)) (
	size, last int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, sqlite.FileMode)
	if err != nil {
		return 0, 0, err
	}
	all := engine.Prefix(prefix)
	err = b.o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, v engine.Value) error {
		at, err := place(string(k[len(prefix):]))
		if err == nil && at != size {
			err = fmt.Errorf("%s is in the place of byte %d", k, size)
		}
		if err == nil {
			_, err = f.Write(v.Data)
		}
		size += int64(len(v.Data))
		last = v.Number
		return err
	})
	return size, last, errors.Join(err, f.Close())
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

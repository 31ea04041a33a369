package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

const (
	// foldBytes is how long a log becomes before it is folded.
	foldBytes = 256 << 10
	// pieceBytes is the most that a piece of a log has, partBytes the most of one batch.
	pieceBytes = 512 << 10
	partBytes  = 4 << 20
)

// keeper keeps the objects of one namespace.
type keeper struct {
	x   *Shipped
	key string
}

// Keeper is for [storage.Options]. key is the unique key of the namespace.
func (x *Shipped) Keeper(key string) storage.Keeper { return keeper{x, key} }

// Keep implements [storage.Keeper].
func (k keeper) Keep(c storage.Commit, done func(error)) {
	o := k.keeping(c.ID)
	if o == nil {
		done(ErrElsewhere)
		return
	}
	b := o.find(k.key, c.ID)
	b.mu.Lock()
	defer b.mu.Unlock()
	tell := func(err error) {
		if errors.Is(err, engine.ErrFenced) || errors.Is(err, member.ErrLost) || errors.Is(err, engine.ErrEnded) {
			err = fmt.Errorf("%w: %w", ErrElsewhere, err)
		}
		done(err)
	}
	if err := b.keep(c, tell); err != nil {
		b.torn = true
		done(fmt.Errorf("keep object %s: %w", place(b.key, b.id), err))
	}
}

// keeping is the ownership in which an object is, with its facets, nil if there is none or it is not brought.
func (k keeper) keeping(id string) *owned {
	x, object := k.x, storage.ObjectOf(id)
	shard := x.node.ShardOf(k.key, object)
	x.mu.Lock()
	o := x.shards[shard]
	if o == nil {
		o = x.latest[shard] // what is handed over is kept until its shard is ready to go
	}
	x.mu.Unlock()
	if o == nil {
		return nil
	}
	b := o.find(k.key, object)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.present {
		return nil
	}
	return o
}

// step is a change of an object in as many batches as it takes. What it deletes and the record are in the last one.
type step struct {
	b       *object
	batch   engine.Batch
	deletes []engine.Range
}

// next is a step that takes what waits for the next commit along.
func (b *object) next() *step {
	s := &step{b: b, deletes: b.with.Deletes}
	for _, p := range b.with.Puts {
		s.put(p.Key, p.Data, p.Number, p.After)
	}
	b.with = engine.Batch{}
	return s
}

func (s *step) put(key engine.Key, data []byte, number, after int64) {
	if s.batch.Size()+len(data) > partBytes {
		s.b.o.shard.Commit(s.batch, func(error) {}) // the last one tells
		s.batch = engine.Batch{}
	}
	s.batch.Add(engine.Batch{Puts: []engine.Put{{Key: key,
		Value: engine.Value{Data: data, Number: number, After: after}}}})
}

// end puts the record and commits.
func (s *step) end(done func(error)) error {
	data, err := json.Marshal(s.b.record)
	if err != nil {
		return err
	}
	s.put(s.b.recordKey(), data, s.b.o.shard.Number(), 0)
	last := engine.Batch{Deletes: s.deletes}
	last.Add(s.batch)
	s.b.handed = s.b.record
	s.b.o.shard.Commit(last, done)
	return nil
}

func (b *object) recordKey() engine.Key { return engine.Key(records + place(b.key, b.id)) }

// keep is called with mu held. If it returns an error, done was not called.
func (b *object) keep(c storage.Commit, done func(error)) error {
	b.Alarm = 0
	if !c.Alarm.IsZero() {
		b.Alarm = c.Alarm.UnixNano()
	}
	if c.Name != "" {
		b.Name = c.Name
	}
	if c.Anew || !c.Exists || b.Base == 0 { // also a file whose first commits have failed
		b.forget()
		if err := b.remove(c, done); err != nil || !c.Exists {
			return err
		}
	}
	b.torn = b.torn || c.Folded && !c.Anew
	if c.Frames == 0 { // the connection has written nothing, or the log was just folded
		if !b.torn {
			return b.next().end(done)
		}
		with := b.with
		err := b.fold(b.next(), c.Path, done)
		if err != nil {
			b.with = with // for the next commit
		}
		return err
	}
	log, err := b.o.open(c.Path + "-wal")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // it was only read
	var head [logHead]byte
	if _, err := log.ReadAt(head[:], 0); err != nil {
		return err
	}
	salt := [8]byte(head[16:24])
	if salt != b.salt && (b.Log > 0 || b.torn) {
		// The log began anew, because the database has all that was in it.
		if err := b.fold(&step{b: b}, c.Path, func(error) {}); err != nil { // the log was kept before
			return err
		}
	}
	b.salt = salt
	size := logHead + int64(c.Frames)*frameBytes
	if err := b.ship(log, size, done); err != nil {
		return err
	}
	if size <= foldBytes || c.Fold == nil {
		return nil
	}
	// An error from here on breaks nothing that was said: the log is kept as it is.
	if folded, err := c.Fold(); err != nil || !folded {
		return nil
	}
	_ = b.fold(&step{b: b}, c.Path, func(error) {}) // the next commit, which finds another log, tries again
	return nil
}

// remove takes all away that is kept of an object, and puts its new database if there is one.
func (b *object) remove(c storage.Commit, done func(error)) error {
	gone := engine.Batch{Deletes: []engine.Range{engine.Prefix(b.firstExtents()), engine.Prefix(b.otherExtents()),
		engine.Prefix(b.pieces()), {From: b.recordKey(), To: b.recordKey() + "\x00"}}}
	if !c.Exists {
		b.record = record{Generation: b.Generation}
		b.handed = b.record
		b.o.shard.Commit(gone, done)
		return nil
	}
	b.Database = 0
	s := &step{b: b, batch: gone}
	if err := b.putDatabase(s, c.Path, nil); err != nil {
		return err
	}
	return s.end(func(error) {}) // what follows tells
}

// ship puts what the log has grown by.
func (b *object) ship(log io.ReaderAt, size int64, done func(error)) error {
	if size < b.Log {
		return fmt.Errorf("its log has shrunk from %d to %d bytes", b.Log, size)
	}
	data := make([]byte, size-b.Log)
	if n, err := log.ReadAt(data, b.Log); n < len(data) {
		return err
	}
	if err := b.notePages(data, b.Log); err != nil {
		return err
	}
	s := b.next()
	if b.rest {
		s.batch.Deletes = append(s.batch.Deletes, engine.Range{From: b.piece(b.Log), To: engine.Prefix(b.pieces()).To})
		b.rest = false
	}
	for len(data) > 0 {
		n := min(len(data), pieceBytes)
		number := b.o.shard.Number()
		s.put(b.piece(b.Log), data[:n], number, b.Last)
		b.Log, b.Last = b.Log+int64(n), number
		data = data[n:]
	}
	return s.end(done)
}

// fold puts what the kept log has changed in the database, which has all of it, and begins the next generation. Extents
// of a batch before the last hold what the log holds, which comes over them again. If no log that is kept has what the
// database has, it goes to another place.
func (b *object) fold(s *step, path string, done func(error)) error {
	pages, before := b.pages, b.Database
	if b.torn {
		pages = nil
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		if st.Size()+int64(s.batch.Size()) > partBytes/2 { // it may not be one batch
			b.Database++
		}
	}
	if err := b.putDatabase(s, path, pages); err != nil {
		b.Database = before
		return err
	}
	if b.Database != before {
		here, others := engine.Prefix(b.extents()), engine.Prefix(b.otherExtents())
		s.deletes = append(s.deletes, engine.Prefix(b.firstExtents()), engine.Range{From: others.From, To: here.From},
			engine.Range{From: here.To, To: others.To})
	}
	s.deletes = append(s.deletes, engine.Prefix(b.pieces()))
	b.forget()
	return s.end(done)
}

// forget begins the next generation of the log.
func (b *object) forget() {
	b.Generation++
	b.Log, b.Last, b.pages, b.salt, b.rest, b.torn = 0, 0, map[uint32]bool{}, [8]byte{}, false, false
}

// putDatabase puts the extents that have one of these pages; nil is all of them.
func (b *object) putDatabase(s *step, path string, pages map[uint32]bool) error {
	// Closing the file drops this process's locks on it. Nobody else opens it, so nobody is kept out by them.
	f, err := b.o.open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	if err != nil {
		return err
	}
	size := st.Size()
	changed := map[int64]bool{}
	for p := range pages {
		changed[int64(p-1)*pageBytes/extentBytes] = true
	}
	base := b.Base
	if pages == nil {
		base = 0
	}
	if size != base { // all between the ends are new, or not there any more, and the last one has another length
		for at := min(size, base) / extentBytes; at*extentBytes < size; at++ {
			changed[at] = true
		}
	}
	if size < base {
		if size%extentBytes != 0 {
			changed[size/extentBytes] = true
		}
	}
	s.deletes = append(s.deletes, engine.Range{From: b.extent((size + extentBytes - 1) / extentBytes),
		To: engine.Prefix(b.extents()).To})
	var list []int64
	for at := range changed {
		if at*extentBytes < size {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	for _, at := range list {
		data := make([]byte, min(extentBytes, size-at*extentBytes))
		if n, err := f.ReadAt(data, at*extentBytes); n < len(data) {
			return err
		}
		s.put(b.extent(at), data, b.o.shard.Number(), 0)
	}
	b.Base = size
	return nil
}

package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

// Store is what the shards keep of one store of the bindings, e.g. a KV namespace: an object whose file is its index,
// and values beside it. Any goroutine.
type Store struct {
	x             *Shipped
	key, id, name string
}

// Store is the store under a key, which is unlike the unique key of every namespace of objects, and an id. name is what
// the id is made of.
func (x *Shipped) Store(key, id, name string) *Store {
	return &Store{x: x, key: key, id: id, name: name}
}

// Stay is a store on this node, during one ownership of its shard. Any goroutine.
type Stay struct {
	s *Store
	o *owned
	b *object
}

// Bring waits until the index's file is at path. [ErrElsewhere] says that another node has the store, or will have it.
func (s *Store) Bring(path string) (*Stay, error) {
	o := s.x.owner(s.key, s.id)
	if o == nil {
		return nil, ErrElsewhere
	}
	done := make(chan error, 1)
	s.x.Bring(s.key, s.id, path, func(err error) { done <- err })
	if err := <-done; err != nil {
		return nil, err
	}
	if s.x.owner(s.key, s.id) != o {
		return nil, ErrElsewhere
	}
	return &Stay{s: s, o: o, b: o.find(s.key, s.id)}, nil
}

// Confirm waits until what was read may be told: the store's shard is this node's, and the lease holds. Else it gives
// [ErrElsewhere].
func (st *Stay) Confirm() error {
	if st.s.x.owner(st.s.key, st.s.id) == st.o && st.s.x.Valid() {
		return nil
	}
	// A shard that is about to be handed over is still this node's; it refuses when it is not.
	done := make(chan error, 1)
	st.o.shard.Confirm(func(err error) { done <- err })
	if <-done != nil {
		return ErrElsewhere
	}
	return nil
}

// Receipt tells what became of a [Stay.Keep].
type Receipt struct {
	done chan struct{}
	err  error // not changed once done is closed
}

// Wait waits until the commit is kept. [ErrElsewhere] says that it is not and never will be, because the store is on
// another node; [ErrUnknown] that nobody knows.
func (r *Receipt) Wait() error {
	<-r.done
	return r.err
}

// Failed tells whether it is known already that the commit is not kept, or perhaps not.
func (r *Receipt) Failed() bool {
	select {
	case <-r.done:
		return r.err != nil
	default:
		return false
	}
}

// ErrUnknown says that a node has lost a store while it was being changed: the change may be kept, or may not.
var ErrUnknown = errors.New("the node has lost the store within a change")

// Keep hands in what the index has committed, with the values that it names since then, and without those that it has
// forgotten: all of it or nothing. Calls of one store come one at a time; it reads the index's file before it returns.
// If it cannot, the next Bring makes the file again of what is kept.
func (st *Stay) Keep(c storage.Commit, made []*Draft, forgotten []string) *Receipt {
	c.ID, c.Name = st.s.id, st.s.name
	b := st.b
	b.mu.Lock()
	defer b.mu.Unlock()
	var held []string // of those that are forgotten, because they are read
	for _, v := range made {
		b.with.Puts = append(b.with.Puts, v.batch.Puts...)
		if v.ahead {
			b.with.Deletes = append(b.with.Deletes, only(b.unnamed(v.name)))
		}
	}
	for _, name := range forgotten {
		if b.reads[name] > 0 {
			b.gone[name] = true
			held = append(held, name)
			b.with.Puts = append(b.with.Puts, b.mark(name))
			continue
		}
		b.with.Deletes = append(b.with.Deletes, engine.Prefix(b.value(name)))
	}
	r := &Receipt{done: make(chan struct{})}
	tell := func(err error) {
		switch {
		case err == nil:
		case errors.Is(err, engine.ErrFenced):
			err = ErrElsewhere
		case errors.Is(err, member.ErrLost), errors.Is(err, engine.ErrEnded):
			err = ErrUnknown
		}
		r.err = err
		close(r.done)
	}
	if !b.present {
		tell(engine.ErrFenced)
		return r
	}
	if err := b.keep(c, tell); err != nil {
		b.takeBack()
		b.with = engine.Batch{}
		for _, v := range made {
			st.Discard(v)
		}
		for _, name := range held {
			delete(b.gone, name) // the index names it as before
		}
		tell(fmt.Errorf("keep %s: %w", place(b.key, b.id), err))
	}
	return r
}

// TakeBack gives up what the index has committed and not handed in: the next Bring makes the file again of what is
// kept.
func (st *Stay) TakeBack() {
	st.b.mu.Lock()
	defer st.b.mu.Unlock()
	st.b.takeBack()
}

// Values are under "v/<key>/<id>/<name>/<number>", in pieces. A name under "n/" is that of a value which the index may
// not name, because it is being written, or is still read.
func (b *object) values() engine.Key { return engine.Key("v/" + place(b.key, b.id) + "/") }

func (b *object) value(name string) engine.Key { return b.values() + engine.Key(name+"/") }

func (b *object) valuePiece(name string, n int64) engine.Key {
	return b.value(name) + engine.Key(fmt.Sprintf("%08x", n))
}

func (b *object) unnamed(name string) engine.Key {
	return engine.Key("n/" + place(b.key, b.id) + "/" + name)
}

func (b *object) mark(name string) engine.Put {
	return engine.Put{Key: b.unnamed(name), Value: engine.Value{Number: b.o.shard.Number()}}
}

func only(k engine.Key) engine.Range { return engine.Range{From: k, To: k + "\x00"} }

// Draft is a value that was written, for [Stay.Keep] or [Stay.Discard].
type Draft struct {
	name  string
	batch engine.Batch // what is not on its way yet
	ahead bool         // the first pieces are kept
}

// Write takes a value under a new name. A large one goes to the shard while it is read, some megabytes at a time are in
// memory.
func (st *Stay) Write(name string, from io.Reader) (*Draft, error) {
	v := &Draft{name: name}
	var sent chan error
	cut, err := eachPiece(from, func(n int64, piece []byte) error {
		if v.batch.Size()+len(piece) > partBytes/2 {
			if !v.ahead {
				v.batch.Puts = append(v.batch.Puts, st.b.mark(name))
				v.ahead = true
			}
			if err := wait(sent); err != nil {
				return err
			}
			sent = st.commit(v.batch)
			v.batch = engine.Batch{}
		}
		v.batch.Puts = append(v.batch.Puts, engine.Put{Key: st.b.valuePiece(name, n),
			Value: engine.Value{Data: piece, Number: st.o.shard.Number()}})
		return nil
	})
	if cut {
		st.Discard(v)
	}
	if err != nil {
		return nil, err
	}
	return v, wait(sent)
}

// eachPiece calls do with the pieces of a value, at least one. cut says that the value could not be read to its end.
func eachPiece(from io.Reader, do func(n int64, piece []byte) error) (cut bool, err error) {
	for n := int64(0); ; n++ {
		piece := make([]byte, pieceBytes)
		size, err := io.ReadFull(from, piece)
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return true, err
		}
		if n > 0 && size == 0 {
			return false, nil
		}
		if err := do(n, piece[:size:size]); err != nil || end {
			return false, err
		}
	}
}

// commit hands in a batch beside the index.
func (st *Stay) commit(b engine.Batch) chan error {
	done := make(chan error, 1)
	st.o.shard.Commit(b, func(err error) { done <- err })
	return done
}

// wait waits for a batch that nothing was told of yet: whether or not it is kept, it does not count.
func wait(sent chan error) error {
	if sent != nil && <-sent != nil {
		return ErrElsewhere
	}
	return nil
}

// Discard takes a value away that the index will not name.
func (st *Stay) Discard(v *Draft) {
	if v.ahead {
		st.commit(st.b.without(v.name)) // if it fails, the next owner finds the mark
	}
}

// without takes a value and its mark away.
func (b *object) without(name string) engine.Batch {
	return engine.Batch{Deletes: []engine.Range{engine.Prefix(b.value(name)), only(b.unnamed(name))}}
}

// Value reads a value; [fs.ErrNotExist] if there is none of the name.
func (st *Stay) Value(name string) ([]byte, error) {
	var data []byte
	found := false
	all := engine.Prefix(st.b.value(name))
	err := st.o.shard.Read(context.Background(), all.From, all.To, func(_ engine.Key, v engine.Value) error {
		found = true
		if data == nil {
			data = v.Data
			return nil
		}
		data = append(data, v.Data...)
		return nil
	})
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return data, err
}

// Sweep takes away values that an earlier owner has left without the index naming them. It is called when the store has
// come, before anything is written.
func (st *Stay) Sweep(named func(name string) (bool, error)) error {
	b := st.b
	b.mu.Lock()
	swept := b.swept
	b.swept = true
	b.mu.Unlock()
	if swept {
		return nil
	}
	var names []string
	all := engine.Prefix(b.unnamed(""))
	err := st.o.shard.Read(context.Background(), all.From, all.To, func(k engine.Key, _ engine.Value) error {
		names = append(names, strings.TrimPrefix(string(k), string(all.From)))
		return nil
	})
	for _, name := range names {
		is, nerr := named(name)
		switch {
		case nerr != nil:
			return nerr
		case is:
			st.commit(engine.Batch{Deletes: []engine.Range{only(b.unnamed(name))}})
		default:
			st.commit(b.without(name))
		}
	}
	return err
}

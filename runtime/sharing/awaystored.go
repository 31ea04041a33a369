package sharing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
)

// Stored is the way to a store of the cluster, on whichever node it is.
func (s *Sharing) Stored(name objectstore.Name) objectstore.Way {
	key, id := name.Object()
	shard := s.o.Cluster.ShardOf(key, id)
	return func(ask objectstore.Ask) (objectstore.Told, error) {
		for {
			got, err := s.findStored(name, shard, ask)
			if !errors.Is(err, errLostLate) {
				return got, err
			}
		}
	}
}

// errLostLate says that a call which only reads was lost with its node, where it had waited for a while.
var errLostLate = errors.New("the store's node was lost while it was asked")

// lostLate is after how long a call that was lost with its node is a new one: it has as much time to find the store.
const lostLate = time.Second

// findStored makes a call where the store is, and looks for that for placeTime.
func (s *Sharing) findStored(name objectstore.Name, shard int, ask objectstore.Ask) (objectstore.Told, error) {
	ctx, cancel := clock.WithPatience(context.Background(), placeTime)
	defer cancel()
	for ctx.Err() == nil {
		changed := s.o.Cluster.Changed()
		began := time.Now()
		got, err := s.askStored(ctx, name, shard, ask)
		lost := errors.Is(err, objectstore.ErrDisconnected)
		switch {
		case !errors.Is(err, objectstore.ErrElsewhere) && !(lost && ask.Reads):
			return got, err
		case lost && time.Since(began) >= lostLate && !s.isEnding():
			return got, errLostLate
		}
		if s.awaitMove(ctx, changed, s.ending) {
			break
		}
	}
	return objectstore.Told{}, objectstore.ErrDisconnected
}

func (s *Sharing) isEnding() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// askStored makes a call where the store is now.
func (s *Sharing) askStored(ctx context.Context, name objectstore.Name, shard int, ask objectstore.Ask) (
	objectstore.Told, error) {
	at := s.o.Cluster.Place(shard)
	if at.Shard != nil {
		return s.o.Session.ClusterStore(name).Serve(ask.Head, bytes.NewReader(ask.Body))
	}
	if at.URL == "" {
		return objectstore.Told{}, objectstore.ErrElsewhere
	}
	w := s.wires.connect(ctx, s.address(at))
	if w == nil {
		return objectstore.Told{}, objectstore.ErrElsewhere
	}
	sending, stop := s.whileAt(shard, at.Node)
	got, err := sendStored(sending, w.Entry(wire.Entry{}), name, ask)
	if err != nil || got.Body == nil {
		stop()
		return got, err
	}
	body := got.Body
	// Each read of it is a question to the other node.
	got.Body = followed{bufio.NewReaderSize(body, 256<<10), body,
		context.AfterFunc(sending, func() { _ = body.Close() }), stop}
	return got, nil
}

// followed is a body that ends when its store is no longer where it was.
type followed struct {
	io.Reader
	body  io.Closer
	leave func() bool
	stop  context.CancelFunc
}

// Waiting implements streams.Patient: the other node may take its time.
func (b followed) Waiting() bool { return true }

// Close implements [io.Closer].
func (b followed) Close() error {
	b.leave()
	b.stop()
	return b.body.Close()
}

// sendStored makes a call at the other side of a wire.
func sendStored(ctx context.Context, to *wire.Proxy, name objectstore.Name, ask objectstore.Ask) (
	objectstore.Told, error) {
	var none objectstore.Told
	head, err := json.Marshal(asking{Store: &name, Ask: ask.Head})
	if err != nil {
		return none, err
	}
	q := wire.Question{Head: head}
	if len(ask.Body) > 0 {
		q.Body, q.Length = io.NopCloser(bytes.NewReader(ask.Body)), int64(len(ask.Body))
	}
	if ctx.Err() != nil {
		return none, objectstore.ErrElsewhere // nothing was sent
	}
	reply, err := to.Fetch(ctx, q)
	var t telling
	if err == nil {
		if err = json.Unmarshal(reply.Head, &t); err != nil {
			reply.Drop()
		}
	}
	var failed *rpc.RemoteError
	switch {
	case errors.As(err, &failed) && failed.Retryable, err != nil && ctx.Err() != nil:
		return none, objectstore.ErrDisconnected
	case err != nil:
		return none, err
	case t.Status == http.StatusOK:
		return objectstore.Told{Head: t.Said, Body: reply.Body, Size: t.Length}, nil
	}
	reply.Drop()
	switch {
	case t.Status == http.StatusMisdirectedRequest:
		return none, objectstore.ErrElsewhere
	case t.StatusText == objectstore.ErrDisconnected.Error():
		return none, objectstore.ErrDisconnected
	}
	return none, errors.New(t.StatusText)
}

package sharing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/sharing/peer"
)

// Visit is the way to a store of a cluster for somebody who is none of its nodes, e.g. a command. A call waits until
// the store is somewhere, or ctx ends.
func Visit(ctx context.Context, e engine.Engine, token string, name objectstore.Name) objectstore.Way {
	return func(ask objectstore.Ask) (objectstore.Told, error) {
		for {
			v, unseen := e.Look(ctx)
			if unseen == nil {
				got, err := visit(ctx, v, token, name, ask)
				lost := errors.Is(err, objectstore.ErrDisconnected)
				if !errors.Is(err, objectstore.ErrElsewhere) && !(lost && ask.Reads) {
					return got, err
				}
			}
			select {
			case <-time.After(lookPause): // a slow database is asked again
			case <-ctx.Done():
				if unseen != nil {
					return objectstore.Told{}, unseen
				}
				return objectstore.Told{}, fmt.Errorf("no node of the cluster answers for %s %s: is one running?",
					name.Kind, name.ID)
			}
		}
	}
}

// visit makes a call at the node that has the store now, over a wire of its own.
func visit(ctx context.Context, v engine.View, token string, name objectstore.Name, ask objectstore.Ask) (
	objectstore.Told, error) {
	if len(v.Shards) < 2 {
		return objectstore.Told{}, errors.New("the cluster has no shards")
	}
	key, id := name.Object()
	owner, ok := v.Node(v.Shards[node.ShardOf(key, id, len(v.Shards)-1)].Owner)
	if !ok {
		return objectstore.Told{}, objectstore.ErrElsewhere
	}
	conn, err := peer.DialWire(ctx, peer.Address{URL: owner.URL, Token: token, Cert: string(owner.Cert)})
	if err != nil {
		return objectstore.Told{}, objectstore.ErrElsewhere // it is gone, or is about to be
	}
	refuse := rpc.Broken{Failure: rpc.Disconnected()} // a visitor has nothing that can be called
	w := wire.New(wire.Options{Name: "a command", Entry: func(wire.Entry) rpc.Client { return refuse },
		Open:  func([]byte) rpc.Client { return refuse },
		Fetch: func(d wire.Asked) { d.Answer(rpc.Disconnected(), nil) }})
	go func() { _ = w.Run(conn) }() // calls say how it ended
	calling, stop := context.WithCancel(ctx)
	end := func() { stop(); w.End(nil) }
	got, err := sendStored(calling, w.Entry(wire.Entry{}), name, ask)
	if err != nil || got.Body == nil {
		end()
		return got, err
	}
	body := got.Body
	got.Body = followed{body, body, func() bool { return true }, end}
	return got, nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"eddy/runtime/control"
	"eddy/runtime/sharing/peer"
)

// atCluster is a client of the control API at the node that has the queues of the cluster which the flags name: it sees
// the objects of all nodes. It waits while no node has them.
func (f *stateFlags) atCluster(ctx context.Context) (*control.Client, error) {
	e, made, err := f.reached(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	err = errors.New("no node has the queues")
	for {
		v, unseen := e.Look(ctx)
		if len(v.Shards) > 0 {
			owner, ok := v.Node(v.Shards[len(v.Shards)-1].Owner)
			at := peer.Address{URL: owner.URL, Token: made.Token, Cert: string(owner.Cert)}
			c := control.Over(owner.URL, made.Token, at.Transport())
			if ok {
				if _, err = c.Session(ctx); err == nil {
					return c, nil
				}
			}
		}
		select {
		case <-time.After(100 * time.Millisecond): // a node may just take the queues over
		case <-ctx.Done():
			return nil, fmt.Errorf("no node of the cluster answers: is one running?\n  %w", cmp.Or(unseen, err))
		}
	}
}

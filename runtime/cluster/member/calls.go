package member

import (
	"context"
	"errors"
	"time"

	"eddy/runtime/cluster/engine"
)

// calls carries out calls of an engine; done is called later, never on the caller's stack: workers for use, and a
// network with accidents in the simulation.
type calls interface {
	beat(n engine.Node, done func(error))
	look(done func(engine.View, error))
	holds(shards []int, done func([]engine.Holding, error))
	mark(text string, done func(error))
	claim(me, dead engine.NodeID, beat int64, done func([]engine.Grant, error))
	take(me engine.NodeID, shards []int, done func([]engine.Grant, error))
	hand(g engine.Grant, to engine.NodeID, done func(error))
	commit(g engine.Grant, n int64, b engine.Batch, done func(error))
}

// callTime is how long a call may take before its outcome counts as unknown.
const callTime = 5 * time.Second

// workers makes a goroutine for each call.
type workers struct {
	engine engine.Engine
	lease  time.Duration
}

func newWorkers(e engine.Engine, lease time.Duration) workers {
	if lease == 0 {
		lease = DefaultLease
	}
	return workers{e, lease}
}

func within(d time.Duration, f func(context.Context)) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		f(ctx)
	}()
}

// A beat that is not answered in half a lease makes room for the next one.
func (w workers) beat(n engine.Node, done func(error)) {
	within(w.lease/2, func(ctx context.Context) { done(w.engine.Beat(ctx, n)) })
}

func (w workers) look(done func(engine.View, error)) {
	within(w.lease/2, func(ctx context.Context) { done(w.engine.Look(ctx)) })
}

func (w workers) holds(shards []int, done func([]engine.Holding, error)) {
	within(callTime, func(ctx context.Context) { done(w.engine.Holds(ctx, shards)) })
}

func (w workers) mark(text string, done func(error)) {
	within(callTime, func(ctx context.Context) {
		err := w.engine.SetNote(ctx, engine.RestoredNote, 0, []byte(text))
		if errors.Is(err, engine.ErrStale) { // another node was first
			err = nil
		}
		done(err)
	})
}

func (w workers) claim(me, dead engine.NodeID, beat int64, done func([]engine.Grant, error)) {
	within(callTime, func(ctx context.Context) { done(w.engine.Claim(ctx, me, dead, beat)) })
}

func (w workers) take(me engine.NodeID, shards []int, done func([]engine.Grant, error)) {
	within(callTime, func(ctx context.Context) { done(w.engine.Take(ctx, me, shards)) })
}

func (w workers) hand(g engine.Grant, to engine.NodeID, done func(error)) {
	within(callTime, func(ctx context.Context) { done(w.engine.Hand(ctx, g, to)) })
}

func (w workers) commit(g engine.Grant, n int64, b engine.Batch, done func(error)) {
	within(callTime, func(ctx context.Context) { done(w.engine.Commit(ctx, g, n, b)) })
}

package archive

import (
	"context"
	"errors"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

// EndSilent ends the nodes that do not beat: those that were killed and did not leave. It watches them for as long as
// their leases last, as another node would. It fails with an *engine.AliveError if some beat.
func EndSilent(ctx context.Context, e engine.Engine) error {
	before, err := e.Look(ctx)
	if err != nil || len(before.Nodes) == 0 {
		return err
	}
	select {
	case <-time.After(time.Duration(float64(before.LongestLease()) * member.Patience)):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := e.Look(ctx)
	if err != nil {
		return err
	}
	alive := &engine.AliveError{}
	for _, n := range after.Nodes {
		if n.HasBeatSince(before) {
			alive.Nodes = append(alive.Nodes, n.ID)
		}
	}
	if len(alive.Nodes) > 0 {
		return alive
	}
	for _, n := range after.Nodes {
		_, err := e.Claim(ctx, engine.Nobody, n.ID, n.Beat)
		if errors.Is(err, engine.ErrAlive) {
			err = &engine.AliveError{Nodes: []engine.NodeID{n.ID}}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

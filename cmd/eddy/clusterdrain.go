package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/postgres"
)

func newClusterDrain(env OS, asJSON *bool) *cobra.Command {
	undo, patience := false, duration{time.Minute}
	cmd := &cobra.Command{
		Use:   "drain NODE [URL]",
		Short: "Let a node give back what it has, before its machine is taken away",
		Long: "Let a node give its shards to the other nodes, in order and one after the other, and take no\n" +
			"new ones; its /readyz answers 503. The command ends when the node has nothing. It works from\n" +
			"anywhere that reaches the database. A drained node answers what still reaches it and consumes\n" +
			"messages. --undo takes it back, and so does a start of the node.",
		Example: "  eddy cluster drain a\n  eddy cluster drain a --undo",
		Args:    form(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onCluster(cmd.Context(), env, args[1:], patience.Duration,
				func(ctx context.Context, e *postgres.Engine) error {
					if _, err := e.Cluster(ctx); err != nil {
						return err
					}
					out := output{w: env.Stdout, json: *asJSON}
					if undo {
						return clusterUndrain(ctx, e, args[0], out)
					}
					return clusterDrain(ctx, e, args[0], out)
				})
		},
		ValidArgsFunction: first(func(cmd *cobra.Command, _ []string, _ string) (
			names []string, _ cobra.ShellCompDirective) {
			err := onCluster(cmd.Context(), env, nil, 2*time.Second,
				func(ctx context.Context, e *postgres.Engine) error {
					v, err := e.Look(ctx)
					for _, n := range v.Nodes {
						names = append(names, n.ID.Name())
					}
					return err
				})
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}),
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let the node take shards again")
	cmd.Flags().Var(&patience, "timeout", "how long to wait until the node has nothing; it goes on without")
	return cmd
}

// namedNode finds a node that runs.
func namedNode(v engine.View, name string) (engine.Seen, error) {
	running := ""
	for _, n := range v.Nodes {
		if n.ID.Name() == name {
			return n, nil
		}
		running += " " + n.ID.Name()
	}
	if running == "" {
		return engine.Seen{}, usage("no node runs in this cluster")
	}
	return engine.Seen{}, usage("no node %q runs in this cluster: there are%s", name, running)
}

// owned counts the shards of a node.
func owned(v engine.View, id engine.NodeID) (n int) {
	for _, s := range v.Shards {
		if s.Owner == id {
			n++
		}
	}
	return n
}

func clusterDrain(ctx context.Context, e *postgres.Engine, name string, out output) error {
	v, err := e.Look(ctx)
	if err != nil {
		return err
	}
	node, err := namedNode(v, name)
	if err != nil {
		return err
	}
	others := false
	for _, n := range v.Nodes {
		others = others || n.ID != node.ID && n.Drain == 0
	}
	if !others {
		return usage("no other node would take what %s has: start one, or end %[1]s with SIGTERM", name)
	}
	had := owned(v, node.ID)
	if err := e.Drain(ctx, node.ID, engine.Asked, true); err != nil && !errors.Is(err, engine.ErrEnded) {
		return fmt.Errorf("drain %s: %w", name, err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	left := had
	for {
		if v, err = e.Look(ctx); err == nil {
			if left = owned(v, node.ID); left == 0 {
				break
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s still has %d of %d shards: the drain goes on, and eddy cluster status shows it; "+
				"eddy cluster drain %[1]s --undo ends it", name, left, had)
		}
	}
	result := struct {
		Node string `json:"node"`
		Gave int    `json:"shardsGiven"`
	}{name, had}
	if _, runs := v.Node(node.ID); !runs {
		return out.done(result, "%s has ended; others have its %d shards.", name, had)
	}
	return out.done(result, "%s has given its %d shards to other nodes and takes none.", name, had)
}

func clusterUndrain(ctx context.Context, e *postgres.Engine, name string, out output) error {
	v, err := e.Look(ctx)
	if err != nil {
		return err
	}
	node, err := namedNode(v, name)
	if err == nil {
		err = e.Drain(ctx, node.ID, engine.Asked, false)
	}
	if errors.Is(err, engine.ErrEnded) {
		return usage("%s has just ended", name)
	}
	if err != nil {
		return err
	}
	text := "%s takes shards again."
	if node.Drain&engine.Unusable != 0 {
		text = "%s takes shards again when it can write its files: it has drained itself, too."
	}
	return out.done(struct {
		Node string `json:"node"`
	}{name}, text, name)
}

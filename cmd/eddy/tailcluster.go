package main

import (
	"context"
	"fmt"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/journal"
	"eddy/runtime/report"
	"eddy/runtime/sharing"
)

// atNodes calls do with the cluster that the flags name, and the token of its nodes.
func (f *stateFlags) atNodes(ctx context.Context, do func(e engine.Engine, token string) error) error {
	if f.journalDir != "" {
		return usage("--cluster does not go with --journal, which names another place")
	}
	e, c, err := f.reached(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	return answered(e, do(e, c.Token))
}

// recorded is what was recorded on all nodes of the cluster that the flags name.
func (f *stateFlags) recorded(ctx context.Context) (list []*journal.Entry, err error) {
	err = f.atNodes(ctx, func(e engine.Engine, token string) error {
		list, err = sharing.Recorded(ctx, e, token)
		return err
	})
	return list, err
}

// tailCluster shows what happens at all nodes of a cluster: with past what was recorded, else what comes, and before it
// what was recorded if history is wanted.
func (f *journalFlags) tailCluster(ctx context.Context, env OS, past, history bool,
	show func(*journal.Entry) error) error {
	return f.atNodes(ctx, func(e engine.Engine, token string) error {
		shown := map[[8]byte]bool{}
		before := func() error {
			list, err := sharing.Recorded(ctx, e, token)
			if err != nil {
				return err
			}
			for _, x := range list {
				shown[x.Span] = true
				if err := show(x); err != nil {
					return err
				}
			}
			return nil
		}
		if past {
			return before()
		}
		opened := func() error {
			fmt.Fprintln(env.Stderr, "Tailing all nodes; Ctrl-C ends")
			if history {
				return before()
			}
			return nil
		}
		told := func(node string, how journal.Following, why error) {
			fmt.Fprintln(env.Stderr, report.Escape(followingText(node, how, why)))
		}
		return sharing.Watch(ctx, e, token, opened, told, func(x *journal.Entry) error {
			if shown[x.Span] { // it was recorded while the history was read
				return nil
			}
			return show(x)
		})
	})
}

// followingText says how a node gives what happens there.
func followingText(node string, how journal.Following, why error) string {
	switch {
	case how == journal.Broken:
		return fmt.Sprintf("Node %s gives nothing for now, and is asked again: %v", node, why)
	case how == journal.Resumed:
		return fmt.Sprintf("Node %s gives what happens again, and all that has happened meanwhile", node)
	case how == journal.ResumedInPart:
		return fmt.Sprintf("Node %s gives what happens again; some of what has happened meanwhile is missing", node)
	case why != nil:
		return fmt.Sprintf("Node %s gives nothing: %v", node, why)
	}
	return fmt.Sprintf("Node %s has ended", node)
}

package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/journal"
	"eddy/runtime/report"
)

func newTrace(env OS) *cobra.Command {
	var f stateFlags
	cmd := &cobra.Command{
		Use: "trace ID", Short: "Show all that one event led to, as a tree with times",
		Long: "Show the events of a trace: what each caused, when it began, counted from the first one, and how\n" +
			"long it took. ID is that of a trace, of an event or of a message, as eddy tail --json shows them, or\n" +
			"the beginning of one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || strings.Trim(strings.ToLower(args[0]), "0123456789abcdef-") != "" || len(args[0]) < 4 {
				return usage("eddy trace takes one id, or at least its first four letters\n" +
					"  eddy tail --past --json shows the ids of events, eddy queues peek those of messages")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			roots, traces, dir, err := f.traced(cmd.Context(), env, args[0])
			switch {
			case err != nil:
				return asFailure(err)
			case traces > 1:
				return asFailure(fmt.Errorf("%d traces have an id that begins with %s; type more of it", traces,
					args[0]))
			case len(roots) == 0:
				return asFailure(fmt.Errorf("no event, trace or message %s is recorded in %s\n"+
					"  eddy tail --past shows what is", args[0], dir))
			}
			out := output{w: cmd.OutOrStdout(), json: f.json}
			return asFailure(out.value(traceItems(roots), func() error { return drawTrace(out, roots) }))
		},
	}
	f.add(cmd)
	f.addCluster(cmd)
	addJournalDir(cmd, &f.journalDir)
	f.completeFlags(env, cmd, nil)
	return cmd
}

// traced finds the trace that an id names, on this machine or on all nodes of a cluster, and says where it looked.
func (f *stateFlags) traced(ctx context.Context, env OS, id string) (
	roots []*journal.TreeNode, traces int, where string, err error) {
	if f.cluster != "" {
		list, err := f.recorded(ctx)
		roots, traces = journal.TreeOf(list, id)
		return roots, traces, "the cluster", err
	}
	dir, _, err := f.journals(ctx, env)
	if err == nil {
		roots, traces, err = journal.Tree(dir, id, damageTold(env))
	}
	return roots, traces, dir, err
}

// traceItem is a node in JSON.
type traceItem struct {
	*journal.TailItem
	Children []traceItem `json:"children"`
}

func traceItems(nodes []*journal.TreeNode) []traceItem {
	list := []traceItem{}
	for _, n := range nodes {
		list = append(list, traceItem{n.Item(), traceItems(n.Children)})
	}
	return list
}

func drawTrace(out output, roots []*journal.TreeNode) error {
	first, last := roots[0].Start(), time.Time{}
	var span func(list []*journal.TreeNode)
	span = func(list []*journal.TreeNode) {
		for _, n := range list {
			if n.End().After(last) {
				last = n.End()
			}
			span(n.Children)
		}
	}
	span(roots)
	if _, err := fmt.Fprintf(out.w, "trace %s  %s  %s\n", hex.EncodeToString(roots[0].Trace[:]),
		first.Format("2006-01-02 15:04:05.000"), report.Duration(last.Sub(first))); err != nil {
		return err
	}
	return drawBranches(out, branchesOf(roots, first), "")
}

// branch is a line of the drawing with those below it.
type branch struct {
	text  string
	below []branch
}

// branchesOf are the lines of events: below each its spans, then the events that it caused.
func branchesOf(nodes []*journal.TreeNode, first time.Time) (list []branch) {
	for _, n := range nodes {
		text := fmt.Sprintf("+%s  %s: %s  %s  (%s)", report.Duration(n.Start().Sub(first)), n.Worker,
			n.Title(), n.Result(), report.Duration(n.Wall))
		for _, x := range n.Exceptions {
			text += "  ✘ " + x.Name + ": " + short(x.Message, 80)
		}
		list = append(list, branch{text, append(spansBelow(n.Entry, n.Span, first), branchesOf(n.Children, first)...)})
	}
	return list
}

// spansBelow are the lines of the spans that an event's script has opened below one, oldest first.
func spansBelow(e *journal.Entry, parent [8]byte, first time.Time) (list []branch) {
	below := slices.DeleteFunc(slices.Clone(e.Spans),
		func(s journal.NamedSpan) bool { return s.Parent != parent || s.ID == e.Span })
	slices.SortStableFunc(below, func(a, b journal.NamedSpan) int { return cmp.Compare(a.At, b.At) })
	for _, s := range below {
		text := fmt.Sprintf("+%s  span %s  (%s)", report.Duration(s.Start().Sub(first)), s.Name,
			report.Duration(s.Took))
		for _, a := range s.Attributes {
			text += "  " + a.Name + "=" + short(a.Value, 80)
		}
		if s.Status == "error" {
			text += "  ✘ " + short(s.Message, 80)
		}
		for _, x := range s.Exceptions {
			text += "  ✘ " + x.Name + ": " + short(x.Message, 80)
		}
		list = append(list, branch{text, spansBelow(e, s.ID, first)})
	}
	return list
}

func drawBranches(out output, list []branch, indent string) error {
	for i, b := range list {
		mark, below := "├─ ", "│  "
		if i == len(list)-1 {
			mark, below = "└─ ", "   "
		}
		if _, err := fmt.Fprintln(out.w, indent+mark+report.Escape(b.text)); err != nil {
			return err
		}
		if err := drawBranches(out, b.below, indent+below); err != nil {
			return err
		}
	}
	return nil
}

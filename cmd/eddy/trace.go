package main

import (
	"encoding/hex"
	"fmt"
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
			dir, _, err := f.journals(cmd.Context(), env)
			if err != nil {
				return asFailure(err)
			}
			roots, traces, err := journal.Tree(dir, args[0], damageTold(env))
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
	addJournalDir(cmd, &f.journalDir)
	f.completeFlags(env, cmd, nil)
	return cmd
}

// traceItem is a node in JSON.
type traceItem struct {
	*journal.TailItem
	Children []traceItem `json:"children"`
}

func traceItems(nodes []*journal.Node) []traceItem {
	list := []traceItem{}
	for _, n := range nodes {
		list = append(list, traceItem{n.Item(), traceItems(n.Children)})
	}
	return list
}

func drawTrace(out output, roots []*journal.Node) error {
	first, last := roots[0].Start(), time.Time{}
	var span func(list []*journal.Node)
	span = func(list []*journal.Node) {
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
	return drawNodes(out, roots, first, "")
}

func drawNodes(out output, nodes []*journal.Node, first time.Time, indent string) error {
	for i, n := range nodes {
		branch, below := "├─ ", "│  "
		if i == len(nodes)-1 {
			branch, below = "└─ ", "   "
		}
		text := fmt.Sprintf("+%s  %s: %s  %s  (%s)", report.Duration(n.Start().Sub(first)), n.Worker,
			n.Title(), n.Result(), report.Duration(n.Wall))
		for _, x := range n.Exceptions {
			text += "  ✘ " + x.Name + ": " + short(x.Message, 80)
		}
		if _, err := fmt.Fprintln(out.w, indent+branch+report.Escape(text)); err != nil {
			return err
		}
		if err := drawNodes(out, n.Children, first, indent+below); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/journal"
	"eddy/runtime/report"
)

func newTail(env OS) *cobra.Command {
	var f journalFlags
	var limit int
	var format string
	var past bool
	cmd := &cobra.Command{
		Use: "tail [WORKER]", Short: "Show what happens in Workers, live or since a while",
		Long: "Show the events of the session's Workers with their log lines and exceptions as they end, until\n" +
			"Ctrl-C; with --since also what happened before. --format json has the shape of wrangler tail, and\n" +
			"--json the same with an event a line. Of a cluster they are the events of all nodes.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.settle(cmd, args); err != nil {
				return err
			}
			if format != "pretty" && format != "json" {
				return usage("--format %q: expected pretty or json", format)
			}
			if s := f.filter.Sampling; cmd.Flags().Changed("sampling-rate") && (s <= 0 || s > 1) {
				return usage("--sampling-rate %v: expected a number above 0, up to 1", s)
			}
			dir, running := "", false
			if f.cluster == "" {
				var err error
				if dir, running, err = f.journals(cmd.Context(), env); err != nil {
					return asFailure(err)
				}
			}
			out, seen := output{w: cmd.OutOrStdout(), json: f.json}, 0
			show := func(e *journal.Entry) error {
				if !f.filter.Match(e) {
					return nil
				}
				if err := showEvent(out, format, e); err != nil {
					return err
				}
				if seen++; limit > 0 && seen >= limit {
					return errEnough
				}
				return nil
			}
			history := cmd.Flags().Changed("since")
			var err error
			switch {
			case f.cluster != "":
				err = f.tailCluster(cmd.Context(), env, past, history, show)
			case past || (history || f.journalDir != "") && !running:
				err = readJournal(env, dir, &f.filter, show)
			case !running:
				err = fmt.Errorf("nothing happens in a stopped session; start it: eddy dev\n" +
					"  what happened before: eddy tail --since 1h")
			default:
				before := show
				if !history {
					before = nil
				}
				opened := func() { fmt.Fprintln(env.Stderr, "Tailing; Ctrl-C ends") }
				err = journal.Follow(cmd.Context(), dir, before, opened, damageTold(env), show)
			}
			if errors.Is(err, errEnough) || cmd.Context().Err() != nil {
				return nil
			}
			return asFailure(err)
		},
	}
	f.add(cmd)
	f.addCluster(cmd)
	cmd.Flags().StringArrayVar(&f.filter.Methods, "method", nil, "only requests with this `method`; repeatable")
	cmd.Flags().StringVar(&f.filter.Header, "header", "", "only requests with this header: `NAME`, or NAME:VALUE")
	cmd.Flags().StringArrayVar(&f.filter.IPs, "ip", nil,
		"only requests from this `address`; self is this machine; repeatable")
	cmd.Flags().Float64Var(&f.filter.Sampling, "sampling-rate", 0,
		"only this `share` of the events, from 0 to 1; always the same ones")
	cmd.Flags().StringVar(&format, "format", "pretty", "pretty or json")
	cmd.Flags().IntVar(&limit, "limit", 0, "end after so many events, 0 for never")
	cmd.Flags().BoolVar(&past, "past", false, "end with what has happened by now")
	f.completeFlags(env, cmd, nil)
	return cmd
}

// showEvent writes one event.
func showEvent(out output, format string, e *journal.Entry) error {
	switch {
	case out.json:
		return out.encode(e.Item(), "")
	case format == "json":
		return out.encode(e.Item(), "  ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  (%s)", e.Start().Format("15:04:05.000"), e.Title(), e.Result(),
		report.Duration(e.Wall))
	for _, l := range e.Logs {
		fmt.Fprintf(&b, "\n  (%s) %s", l.Level, journal.LogText(l.Message))
	}
	for _, x := range e.Exceptions {
		fmt.Fprintf(&b, "\n  ✘ %s: %s", x.Name, x.Message)
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = report.Escape(line)
	}
	_, err := fmt.Fprintln(out.w, strings.Join(lines, "\n"))
	return err
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

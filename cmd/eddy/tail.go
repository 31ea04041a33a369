package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/report"
)

func queuesTail(env OS, f *stateFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "tail [QUEUE...]", Short: "Show what happens in queues, live",
		Long: "Show sends, deliveries, acknowledgements, retries and dead letters of the running session as they " +
			"happen, until Ctrl-C.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if s, err := c.Session(ctx); err != nil || s.URL == "" {
				return fmt.Errorf("nothing happens in a stopped session; start it: eddy dev")
			}
			for _, q := range args {
				if _, err := c.Queue(ctx, q); err != nil {
					return err
				}
			}
			seen := 0
			opened := func() { fmt.Fprintln(env.Stderr, "Tailing; Ctrl-C ends") }
			err := c.Tail(ctx, args, opened, func(e control.Activity) error {
				if err := tailLine(out, e); err != nil {
					return err
				}
				if seen++; limit > 0 && seen >= limit {
					return io.EOF
				}
				return nil
			})
			if err == io.EOF || ctx.Err() != nil {
				return nil
			}
			return err
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "end after so many events, 0 for never")
	return cmd
}

// tailLine is one event on one line.
func tailLine(out output, e control.Activity) error {
	if out.json {
		return out.encode(e, "")
	}
	where := e.Queue
	if e.Lane != "" {
		where += " lane " + e.Lane
	}
	text := fmt.Sprintf("%s  %-13s %s  %d", e.Time.UTC().Format("15:04:05.000"), e.Kind, where, e.Count)
	if e.Acked != nil {
		text = fmt.Sprintf("%s  %-13s %s  %d/%d (%dms)", e.Time.UTC().Format("15:04:05.000"), e.Kind, where, *e.Acked,
			e.Count, *e.DurationMS)
	}
	if e.DeadLetterQueue != "" {
		text += " → " + e.DeadLetterQueue
	}
	if e.Reason != "" {
		text += " " + e.Reason
	}
	if e.Error != "" {
		text += ": " + short(e.Error, 80)
	}
	if len(e.Messages) > 0 {
		var ids []string
		for _, m := range e.Messages[:min(len(e.Messages), 3)] {
			ids = append(ids, m.ID)
		}
		if len(e.Messages) > len(ids) {
			ids = append(ids, "…")
		}
		text += "  " + strings.Join(ids, " ")
	}
	_, err := fmt.Fprintln(out.w, report.Escape(text))
	return err
}

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// Exit codes of health, for CI.
const (
	exitWarning  = 3
	exitCritical = 4
)

var leastEvents = fmt.Sprintf("%d deliveries, %d batches", control.LeastDeliveries, control.LeastBatches)

func queuesHealth(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Show depth, rate, retries, dead letters and lag of every queue", Args: cobra.NoArgs,
		Long: "Show depth, rate, retries, dead letters and lag of every queue; rates are those of the last hour of " +
			"the running session.\n\n" +
			"Marked ! (warning) and !! (critical): dead letters above 0 and 100, depth above 10,000 and 100,000, " +
			"processing time\n" +
			"(99th percentile) above 10 s and 60 s, retries above 5 % and 20 %. Shares and percentiles count from " +
			leastEvents + " in\n" +
			"the hour on: one retry among three says nothing. Exit code 3 for a warning, 4 for a critical state.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			h, err := c.Health(ctx)
			if err != nil {
				return err
			}
			if err := out.value(h, func() error { return healthTable(out, h) }); err != nil {
				return err
			}
			switch h.Level {
			case control.LevelWarning:
				return &exitError{code: exitWarning}
			case control.LevelCritical:
				return &exitError{code: exitCritical}
			}
			return nil
		}),
	}
}

// healthTable prints the dashboard of Z0-15. Values beyond a threshold of Z0-14 are marked.
func healthTable(out output, h control.Health) error {
	rows := slices.Clone(h.Rows)
	var cells [][]string
	for _, q := range rows {
		p99 := "-"
		if q.P99 > 0 {
			p99 = fmt.Sprintf("%gms", q.P99)
		}
		mark := func(name, s string) string {
			switch q.Alerts[name] {
			case control.LevelWarning:
				return s + " !"
			case control.LevelCritical:
				return s + " !!"
			}
			return s
		}
		cells = append(cells, []string{
			q.Queue, mark("depth", fmt.Sprint(q.Depth)), fmt.Sprintf("%.1f/s", q.Rate),
			mark("retry", fmt.Sprintf("%.1f%%", q.RetryPercent)),
			mark("dlq", fmt.Sprint(q.DLQ)), fmt.Sprintf("%.1f", q.LagSeconds), mark("p99", p99),
		})
	}
	if _, err := fmt.Fprintln(out.w, "Queue Health [Last 1h]"); err != nil {
		return err
	}
	return out.table([]string{"Queue", "Depth", "Rate", "Retry%", "DLQ", "Lag (s)", "P99"}, cells)
}

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// queuesPull is a pull consumer by hand: it leases messages, and settles leases.
func queuesPull(env OS, f *stateFlags) *cobra.Command {
	var size int
	var visibility duration
	var ack bool
	cmd := &cobra.Command{
		Use: "pull QUEUE", Short: "Lease messages of a queue with a pull consumer, and with --ack acknowledge them",
		Args: cobra.ExactArgs(1),
		Long: "Lease messages of a queue that is consumed over HTTP, as a puller does. They come again after the " +
			"visibility timeout,\n" +
			"unless they are acknowledged: with --ack at once, else by eddy queues ack QUEUE LEASE. A queue gets " +
			"its pull consumer\n" +
			"from the configuration (type http_pull) or by eddy queues consumers add QUEUE --http.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			list, err := c.Pull(ctx, args[0], size, visibility.Duration)
			if err != nil {
				return err
			}
			err = out.value(list, func() error {
				var rows [][]string
				for _, m := range list {
					rows = append(rows, []string{m.ID, when(m.Timestamp), fmt.Sprint(m.Attempts), m.LeaseID,
						m.ContentType, short(string(m.Body), 60)})
				}
				return out.list("No messages are ready in queue "+args[0],
					[]string{"ID", "SENT (UTC)", "ATTEMPT", "LEASE", "TYPE", "BODY"}, rows)
			})
			if err != nil || !ack || len(list) == 0 {
				return err
			}
			leases := make([]string, len(list))
			for i, m := range list {
				leases[i] = m.LeaseID
			}
			warnings, err := c.Ack(ctx, args[0], leases, nil)
			if err != nil || out.json {
				return err
			}
			return out.done(nil, "Acknowledged %s", count(len(leases)-len(warnings), "message"))
		}),
	}
	cmd.Flags().IntVar(&size, "batch-size", 0, "how many at most, 1 to 100 (default that of the consumer)")
	cmd.Flags().Var(&visibility, "visibility", "how long they are leased, up to 12h (default that of the consumer)")
	cmd.Flags().BoolVar(&ack, "ack", false, "acknowledge them at once")
	return cmd
}

func queuesAck(env OS, f *stateFlags) *cobra.Command {
	var retry bool
	cmd := &cobra.Command{
		Use: "ack QUEUE LEASE...", Short: "Acknowledge pulled messages by their leases, or with --retry give them back",
		Args: cobra.MinimumNArgs(2),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			acks, retries := args[1:], []string(nil)
			if retry {
				acks, retries = nil, acks
			}
			warnings, err := c.Ack(ctx, args[0], acks, retries)
			if err != nil {
				return err
			}
			text, n := "Acknowledged", len(args)-1-len(warnings)
			if retry {
				text = "Gave back"
			}
			if err := out.done(map[string]any{"settled": n, "warnings": warnings}, "%s %s", text,
				count(n, "message")); err != nil {
				return err
			}
			if len(warnings) > 0 {
				err := fmt.Errorf("%d of the %d leases are not open any more: their messages are settled, or were "+
					"leased again", len(warnings), len(args)-1)
				for lease, why := range warnings {
					err = fmt.Errorf("%w\n  %s: %s", err, lease, why)
				}
				return err
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&retry, "retry", false, "deliver them again")
	return cmd
}

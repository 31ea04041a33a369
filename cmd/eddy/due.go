package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// timeDue is eddy time due.
func timeDue(env OS, f *stateFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "due", Short: "List what falls due next", Args: cobra.NoArgs,
		Long: "List what falls due next, on whatever clock: delayed messages, retries, lanes, leases, the next end " +
			"of a\n" +
			"queue's retention, alarms, crons, and instances of workflows that sleep or wait.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			list, err := c.Due(ctx, limit)
			if err != nil {
				return err
			}
			return out.value(list, func() error {
				rows := make([][]string, len(list))
				for i, d := range list {
					of := strings.TrimSpace(strings.Join([]string{d.Queue, d.Lane, d.Namespace, d.Worker, d.Workflow,
						d.Cron}, " "))
					rows[i] = []string{whenever(&d.At), d.Kind, strings.Join(strings.Fields(of), " "),
						cmp.Or(d.Name, d.Message, d.ID)}
				}
				return out.list("Nothing is due", []string{"WHEN (UTC)", "WHAT", "OF", "ID"}, rows)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "`how many`")
	return cmd
}

// queuesDeliver is eddy queues deliver.
func queuesDeliver(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "deliver QUEUE [REF]...", Short: "Deliver now what waits for its time, or for a whole batch",
		Args: cobra.MinimumNArgs(1),
		Long: "End the delays and back-offs of messages, named by the refs that eddy queues peek --json shows, or of " +
			"all\n" +
			"messages of the queue, and let what is ready go out without waiting for a whole batch.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			n, err := c.Deliver(ctx, args[0], args[1:])
			if err != nil {
				return err
			}
			return out.done(n, "What is ready in %s goes out now; %s had a delay", args[0], count(n.Count, "message"))
		}),
	}
}

// lanesRetry is eddy lanes retry.
func lanesRetry(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "retry QUEUE KEY", Short: "Try the oldest message of a lane now, before its back-off is over",
		Args: cobra.ExactArgs(2),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := laneQueue(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := c.LaneDeliver(ctx, q, args[1]); err != nil {
				return err
			}
			return out.done(control.LaneKey{Key: args[1]}, "The oldest message of lane %s is tried now", args[1])
		}),
	}
}

// objectsAlarm is eddy objects alarm.
func objectsAlarm(env OS, f *stateFlags, namespace *string) *cobra.Command {
	cmd := group("alarm", "Fire or delete the alarm of an object")
	cmd.AddCommand(&cobra.Command{
		Use: "fire OBJECT", Short: "Run the alarm of an object now, as though its time had come",
		Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			x, err := c.FireAlarm(ctx, *namespace, args[0])
			if err != nil {
				return err
			}
			return out.done(x, "The alarm of object %s of %s rings", x.ID, x.Namespace)
		}),
	}, &cobra.Command{
		Use: "delete OBJECT", Short: "Delete the alarm of an object", Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			x, err := c.DropAlarm(ctx, *namespace, args[0])
			if err != nil {
				return err
			}
			return out.done(x, "Deleted the alarm of object %s of %s", x.ID, x.Namespace)
		}),
	})
	return cmd
}

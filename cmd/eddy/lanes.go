package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

func newLanes(env OS) *cobra.Command {
	var f stateFlags
	cmd := group("lanes", "See the FIFO lanes of do-queue queues")
	f.add(cmd)
	cmd.AddCommand(lanesList(env, &f), lanesShow(env, &f), lanesRemove(env, &f))
	return cmd
}

func lanesList(env OS, f *stateFlags) *cobra.Command {
	var blocked bool
	var limit int
	var after string
	cmd := &cobra.Command{
		Use: "list [QUEUE]", Short: "List do-queue queues, or the lanes of one", Args: cobra.MaximumNArgs(1),
		RunE: f.run(env, func(_ *cobra.Command, args []string) action {
			return func(ctx context.Context, c *control.Client, out output) error {
				if len(args) == 0 {
					all, err := c.LaneQueues(ctx)
					if err != nil {
						return err
					}
					return out.value(all, func() error {
						var rows [][]string
						for _, q := range all {
							rows = append(rows, []string{q.Name, fmt.Sprint(q.Lanes), fmt.Sprint(q.Blocked), fmt.Sprint(q.Messages), fmt.Sprint(q.Bytes)})
						}
						return out.table([]string{"QUEUE", "LANES", "BLOCKED", "MESSAGES", "BYTES"}, rows)
					})
				}
				lanes, err := c.Lanes(ctx, args[0], after, limit, blocked)
				if err != nil {
					return err
				}
				return out.value(lanes, func() error {
					var rows [][]string
					for _, l := range lanes {
						rows = append(rows, []string{dash(l.Key), fmt.Sprint(l.Messages), l.State, whenever(l.Due), dash(l.HeadID), fmt.Sprint(l.HeadAttempts), short(dash(l.HeadError), 40)})
					}
					return out.table([]string{"LANE", "MESSAGES", "STATE", "DUE", "OLDEST", "FAILED", "ERROR"}, rows)
				})
			}
		}),
	}
	cmd.Flags().BoolVar(&blocked, "blocked", false, "only lanes whose oldest message has failed before")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	cmd.Flags().StringVar(&after, "after", "", "only lanes whose key comes after this one")
	return cmd
}

func lanesShow(env OS, f *stateFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "show QUEUE [KEY]", Short: "Show a lane and its oldest messages", Args: cobra.RangeArgs(1, 2),
		RunE: f.run(env, func(_ *cobra.Command, args []string) action {
			return func(ctx context.Context, c *control.Client, out output) error {
				l, err := c.LaneMessages(ctx, args[0], keyOf(args), limit)
				if err != nil {
					return err
				}
				return out.value(l, func() error {
					if err := out.facts("Lane", dash(l.Key), "State", l.State, "Due", whenever(l.Due), "Messages", l.Messages, "Error", dash(l.HeadError)); err != nil {
						return err
					}
					return messageTable(out, l.Content)
				})
			}
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many messages at most")
	return cmd
}

// keyOf is the lane's key: that of messages sent without one is empty (DQ-4).
func keyOf(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

func lanesRemove(env OS, f *stateFlags) *cobra.Command {
	var in control.LaneRemoval
	var force bool
	cmd := &cobra.Command{
		Use: "remove QUEUE ID", Short: "Remove a message from a lane, for example one that blocks it", Args: cobra.ExactArgs(2),
		RunE: f.run(env, func(_ *cobra.Command, args []string) action {
			return func(ctx context.Context, c *control.Client, out output) error {
				in.ID = args[1]
				if err := confirm(env, force, "remove a message", "message "+in.ID, in.ID); err != nil {
					return err
				}
				if err := c.LaneRemove(ctx, args[0], in); err != nil {
					return err
				}
				return out.done(struct{}{}, "Removed %s", in.ID)
			}
		}),
	}
	cmd.Flags().StringVar(&in.Key, "key", "", "the lane's key; messages sent without one have none")
	cmd.Flags().StringVar(&in.Note, "note", "", "why, for the operator's log")
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

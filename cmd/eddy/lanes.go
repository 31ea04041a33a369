package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/running"
)

func newLanes(env OS) *cobra.Command {
	var f stateFlags
	cmd := group("lanes", "See the FIFO lanes of do-queue queues")
	f.add(cmd)
	f.addCluster(cmd)
	cmd.AddCommand(lanesList(env, &f), lanesShow(env, &f), lanesRetry(env, &f), lanesRemove(env, &f))
	return finish(env, &f, cmd)
}

func lanesList(env OS, f *stateFlags) *cobra.Command {
	var blocked bool
	var limit int
	var after string
	cmd := &cobra.Command{
		Use: "list [QUEUE]", Short: "List do-queue queues, or the lanes of one", Args: cobra.MaximumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if len(args) == 0 {
				all, err := c.LaneQueues(ctx)
				if err != nil {
					return err
				}
				return out.value(all, func() error {
					var rows [][]string
					for _, q := range all {
						rows = append(rows, []string{q.Name, fmt.Sprint(q.Lanes), fmt.Sprint(q.Blocked),
							fmt.Sprint(q.Messages), fmt.Sprint(q.Bytes)})
					}
					return out.list("There are no do-queue queues",
						[]string{"QUEUE", "LANES", "BLOCKED", "MESSAGES", "BYTES"}, rows)
				})
			}
			q, err := laneQueue(ctx, c, args[0])
			if err != nil {
				return err
			}
			lanes, err := c.Lanes(ctx, q, after, limit, blocked)
			if err != nil {
				return err
			}
			return out.value(lanes, func() error {
				var rows [][]string
				for _, l := range lanes {
					rows = append(rows, []string{dash(l.Key), fmt.Sprint(l.Messages), l.State, whenever(l.Due),
						dash(l.HeadID), fmt.Sprint(l.HeadAttempts), short(dash(l.HeadError), 40)})
				}
				return out.list("No lanes with messages", []string{"LANE", "MESSAGES", "STATE", "DUE (UTC)", "OLDEST",
					"FAILED", "ERROR"}, rows)
			})
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
		Long: "Show a lane and its oldest messages. KEY is what producer.send was given, or the whole name of the " +
			"lane; without it\nthe lane of messages sent without a key is shown.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := laneQueue(ctx, c, args[0])
			if err != nil {
				return err
			}
			l, err := laneContent(ctx, c, q, args[1:], limit)
			if err != nil {
				return err
			}
			return out.value(l, func() error {
				if err := out.facts("Lane", dash(l.Key), "State", l.State, "Due", stampOr(l.Due), "Messages",
					l.Messages, "Error", dash(l.HeadError)); err != nil {
					return err
				}
				return messageTable(out, "No messages", l.Content)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many messages at most")
	return cmd
}

// laneQueue finds a do-queue queue by its whole name, Worker-Class/name, or by the last part of the name if only one
// queue has that part.
func laneQueue(ctx context.Context, c *control.Client, name string) (string, error) {
	all, err := c.LaneQueues(ctx)
	if err != nil {
		return "", err
	}
	var found, names []string
	for _, q := range all {
		if q.Name == name {
			return name, nil
		}
		if strings.HasSuffix(q.Name, "/"+name) {
			found = append(found, q.Name)
		}
		names = append(names, q.Name)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("which do-queue queue %q? There are %s", name, strings.Join(found, ", "))
	case len(names) == 0:
		return "", fmt.Errorf("there is no do-queue queue %q, nor any other", name)
	}
	return "", fmt.Errorf("there is no do-queue queue %q; there are: %s", name, strings.Join(names, ", "))
}

// laneContent finds a lane by its whole name, or by the key of its messages: in queue jobs the lane of key k is called
// jobs:k, and the lane of messages without a key is called jobs (DQ-4).
func laneContent(ctx context.Context, c *control.Client, queue string, key []string, limit int) (control.LaneContent,
	error) {
	own := queue[strings.LastIndexByte(queue, '/')+1:]
	try := []string{own}
	if len(key) > 0 {
		try = []string{own + ":" + key[0], key[0]}
	}
	var err error
	for _, k := range try {
		var l control.LaneContent
		if l, err = c.LaneMessages(ctx, queue, k, limit); err == nil {
			return l, nil
		}
		var refused *running.Refusal
		if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
			return l, err
		}
	}
	if len(key) == 0 {
		return control.LaneContent{}, fmt.Errorf("no message that was sent to %s without a key is waiting; eddy "+
			"lanes list %[1]s shows the lanes", queue)
	}
	return control.LaneContent{}, fmt.Errorf("no message with key %q is waiting in %s; eddy lanes list %[2]s shows "+
		"the lanes", key[0], queue)
}

func lanesRemove(env OS, f *stateFlags) *cobra.Command {
	var key, note string
	var force bool
	cmd := &cobra.Command{
		Use: "remove QUEUE ID", Short: "Remove a message from a lane, for example one that blocks it",
		Args: cobra.ExactArgs(2),
		Long: "Remove a message from a lane. The oldest message of a lane, which is the one that can block it, is " +
			"found by the\nbeginning of its id; for another one the lane's --key is needed, and the whole id.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		q, err := laneQueue(ctx, c, args[0])
		if err != nil {
			return err
		}
		in := control.LaneRemoval{ID: args[1], Note: note}
		if cmd.Flags().Changed("key") {
			l, err := laneContent(ctx, c, q, []string{key}, 1)
			if err != nil {
				return err
			}
			in.Key = l.Key
		} else if in.Key, in.ID, err = laneHead(ctx, c, q, args[1]); err != nil {
			return err
		}
		if err := confirm(env, force, "remove a message", "message "+in.ID, in.ID); err != nil {
			return err
		}
		if err := c.LaneRemove(ctx, q, in); err != nil {
			return err
		}
		return out.done(in, "Removed %s from lane %s", in.ID, in.Key)
	})
	cmd.Flags().StringVar(&key, "key", "", "the lane's key")
	cmd.Flags().StringVar(&note, "note", "", "why, for the operator's log")
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

// laneHead finds the lane whose oldest message has an id that begins with id.
func laneHead(ctx context.Context, c *control.Client, queue, id string) (key, whole string, err error) {
	after := ""
	for {
		lanes, err := c.Lanes(ctx, queue, after, 1000, false)
		if err != nil {
			return "", "", err
		}
		for _, l := range lanes {
			if strings.HasPrefix(l.HeadID, id) {
				if whole != "" {
					return "", "", fmt.Errorf("id %s is the beginning of more than one: give more of it", id)
				}
				key, whole = l.Key, l.HeadID
			}
			after = l.Key
		}
		if len(lanes) < 1000 {
			break
		}
	}
	if whole == "" {
		return "", "", fmt.Errorf("%s is not the oldest message of any lane of %s; if it stands behind others, say "+
			"in which lane: --key KEY", id, queue)
	}
	return key, whole, nil
}

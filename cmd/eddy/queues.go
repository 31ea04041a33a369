package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/queues"
	"eddy/runtime/control"
)

func newQueues(env OS) *cobra.Command {
	var f stateFlags
	cmd := group("queues", "See and change queues, of a running session or of a stopped one's state")
	f.add(cmd)
	f.addCluster(cmd)
	cmd.AddCommand(
		queuesList(env, &f), queuesInfo(env, &f), queuesCreate(env, &f), queuesUpdate(env, &f), queuesDelete(env, &f),
		queuesSend(env, &f),
		queuesPeek(env, &f), queuesTail(env, &f), queuesPause(env, &f, true), queuesPause(env, &f, false),
		queuesDeliver(env, &f), queuesPurge(env, &f), newConsumers(env, &f), newSubscriptions(env, &f),
		queuesHealth(env, &f),
		queuesPull(env, &f), queuesAck(env, &f),
	)
	return finish(env, &f, cmd)
}

func queuesList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all queues", Args: cobra.NoArgs,
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			all, err := c.Queues(ctx)
			if err != nil {
				return err
			}
			return out.value(all, func() error { return queueTable(out, "There are no queues", all) })
		}),
	}
}

func queueTable(out output, none string, all []control.Queue) error {
	var rows [][]string
	for _, q := range all {
		consumer, dlq := "-", "-"
		if q.Consumer != nil {
			consumer, dlq = consumerName(q.Consumer), dash(q.Consumer.DeadLetterQueue)
		}
		name := q.Name
		if q.Paused {
			name += " (paused)"
		}
		if q.Held > 0 {
			name += fmt.Sprintf(" (%d held)", q.Held)
		}
		rows = append(rows, []string{name, fmt.Sprint(q.Ready), fmt.Sprint(q.Delayed), fmt.Sprint(q.InFlight),
			fmt.Sprint(q.DeadLetters), consumer, dlq})
	}
	return out.list(none, []string{"QUEUE", "READY", "DELAYED", "IN FLIGHT", "DEAD", "CONSUMER", "DEAD LETTER QUEUE"},
		rows)
}

func consumerName(c *control.Consumer) string {
	switch {
	case c.Type != "worker":
		return c.Type
	case !c.Attached:
		return c.Script + " (not running)"
	}
	return c.Script
}

func queuesInfo(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "info QUEUE", Short: "Show a queue's settings, consumer and backlog", Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := c.Queue(ctx, args[0])
			if err != nil {
				return err
			}
			return out.value(q, func() error { return queueFacts(out, q) })
		}),
	}
}

func queueFacts(out output, q control.Queue) error {
	facts := []any{
		"Queue", q.Name, "ID", q.ID, "Created", stamp(q.Created), "Modified", stamp(q.Modified),
		"Delivery delay", seconds(q.DeliveryDelaySec), "Retention", retention(q.RetentionSec), "Paused", q.Paused,
		"Backlog", fmt.Sprintf("%s, %d bytes", count(int(q.Backlog), "message"), q.BacklogBytes),
		"Ready", q.Ready, "Delayed", q.Delayed, "In flight", q.InFlight, "Dead letters", q.DeadLetters, "Oldest",
		stampOr(q.Oldest),
		"Producers", dash(strings.Join(q.Producers, ", ")),
	}
	if q.Held > 0 {
		facts = append(facts, "Held", fmt.Sprintf("%d (cannot be read; see eddy state check)", q.Held))
	}
	if c := q.Consumer; c != nil {
		facts = append(facts, consumerFacts(c)...)
	} else {
		facts = append(facts, "Consumer", "-")
	}
	return out.facts(facts...)
}

// retention says how long a queue keeps messages; n is in seconds.
func retention(n int64) string {
	if n >= int64(queues.KeepForever/time.Second) {
		return "no expiry"
	}
	return seconds(n)
}

func seconds(n int64) string { return lasting(time.Duration(n) * time.Second) }

func millis(n int64) string { return lasting(time.Duration(n) * time.Millisecond) }

func queuesCreate(env OS, f *stateFlags) *cobra.Command {
	var settings settingFlags
	cmd := &cobra.Command{
		Use: "create QUEUE", Short: "Create a queue", Args: cobra.ExactArgs(1),
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		in, err := settings.change(cmd, args[0])
		if err != nil {
			return err
		}
		q, err := c.CreateQueue(ctx, in)
		if err != nil {
			return err
		}
		return out.done(q, "Created queue %s", q.Name)
	})
	settings.add(cmd)
	return cmd
}

func queuesUpdate(env OS, f *stateFlags) *cobra.Command {
	var settings settingFlags
	cmd := &cobra.Command{
		Use: "update QUEUE", Short: "Change a queue's settings", Args: cobra.ExactArgs(1),
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		in, err := settings.change(cmd, "")
		if err != nil {
			return err
		}
		q, err := c.UpdateQueue(ctx, args[0], in)
		if err != nil {
			return err
		}
		return out.done(q, "Updated queue %s", q.Name)
	})
	settings.add(cmd)
	return cmd
}

// settingFlags are a queue's settings under wrangler's names (W-1).
type settingFlags struct{ delay, retention duration }

func (s *settingFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&s.delay, "delivery-delay-secs",
		"delay of messages that are sent without one, up to 24h; a number is seconds")
	cmd.Flags().Var(&s.retention, "message-retention-period-secs",
		"how long messages are kept, 1m to 14d; a number is seconds")
}

func (s *settingFlags) change(cmd *cobra.Command, name string) (in control.QueueChange, err error) {
	in.Name = name
	set := func(flag string, d *duration, into **int64) error {
		if !cmd.Flags().Changed(flag) {
			return nil
		}
		n, err := d.seconds(flag)
		*into = &n
		return err
	}
	return in, errors.Join(set("delivery-delay-secs", &s.delay, &in.DeliveryDelaySec),
		set("message-retention-period-secs", &s.retention, &in.RetentionSec))
}

func queuesDelete(env OS, f *stateFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "delete QUEUE", Short: "Delete a queue with all its messages", Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := c.Queue(ctx, args[0])
			if err != nil {
				return err
			}
			if q.Backlog > 0 {
				if err := confirm(env, force, "delete a queue that holds messages",
					"queue "+q.Name+" with "+count(int(q.Backlog), "message"), q.Name); err != nil {
					return err
				}
			}
			if q, err = c.DeleteQueue(ctx, args[0], force); err != nil {
				return err
			}
			return out.done(q, "Deleted queue %s with %s", q.Name, count(int(q.Backlog), "message"))
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not ask, and delete also a queue that a Worker is bound to")
	return cmd
}

func queuesSend(env OS, f *stateFlags) *cobra.Command {
	var contentType string
	var delay duration
	var lines bool
	cmd := &cobra.Command{
		Use: "send QUEUE [BODY]", Short: "Send a message", Args: cobra.RangeArgs(1, 2),
		Long: "Send a message. Without BODY it is read from standard input; with --lines every line is a message.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		bodies, err := sendBodies(env, args[1:], lines)
		if err != nil {
			return err
		}
		if contentType == "json" {
			if err := checkJSON(bodies, lines); err != nil {
				return err
			}
		}
		var in control.Send
		if cmd.Flags().Changed("delay") {
			n, err := delay.seconds("delay")
			if err != nil {
				return err
			}
			in.DelaySec = &n
		}
		sent := 0
		for len(bodies) > 0 {
			n := batchOf(bodies)
			in.Messages = nil
			for _, b := range bodies[:n] {
				in.Messages = append(in.Messages, control.MessageBody{ContentType: contentType, Base64: b})
			}
			bodies = bodies[n:]
			res, err := c.Send(ctx, args[0], in)
			if err != nil {
				if sent > 0 {
					err = fmt.Errorf("after %s had been sent: %w", count(sent, "message"), err)
				}
				return err
			}
			sent += res.Count
		}
		return out.done(control.Count{Count: sent}, "Sent %s to queue %s", count(sent, "message"), args[0])
	})
	cmd.Flags().StringVar(&contentType, "content-type", "json", "json, text or bytes")
	cmd.Flags().Var(&delay, "delay", "deliver not before so long, up to 24h: 10m; a number is seconds")
	cmd.Flags().BoolVar(&lines, "lines", false, "each line of standard input is a message")
	return cmd
}

// batchOf is how many of the bodies fit into one send. The product's limits are 100 messages and 256,000 bytes.
func batchOf(bodies [][]byte) int {
	n, size := 0, 0
	for n < len(bodies) && n < 100 {
		if size += len(bodies[n]); size > 256_000 && n > 0 {
			break
		}
		n++
	}
	return n
}

// checkJSON refuses bodies that are not JSON, before any of them is sent.
func checkJSON(bodies [][]byte, lines bool) error {
	for i, b := range bodies {
		if json.Valid(b) {
			continue
		}
		which := "the body"
		if lines {
			which = fmt.Sprintf("message %d", i+1)
		}
		if len(bytes.TrimSpace(b)) == 0 {
			return usage("%s is empty, which is not valid JSON\n"+
				"  give the message as BODY or on standard input; an empty text is --content-type text", which)
		}
		return usage("%s is not valid JSON: %s\n  to send it as it is: --content-type text; a JSON string needs "+
			"quotes of its own: '\"hello\"'", which, short(string(b), 60))
	}
	return nil
}

func sendBodies(env OS, args []string, lines bool) ([][]byte, error) {
	if len(args) == 1 {
		if lines {
			return nil, usage("--lines reads standard input; leave BODY out")
		}
		return [][]byte{[]byte(args[0])}, nil
	}
	if isTerminal(env.Stdin) {
		fmt.Fprintln(env.Stderr, "Reading from standard input; Ctrl-D ends")
	}
	all, err := io.ReadAll(env.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read the message from standard input: %w", err)
	}
	if !lines {
		return [][]byte{all}, nil
	}
	var bodies [][]byte
	for _, line := range bytes.Split(all, []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 {
			bodies = append(bodies, line)
		}
	}
	return bodies, nil
}

func queuesPeek(env OS, f *stateFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "peek QUEUE", Short: "Show waiting messages, oldest first, without any effect on them",
		Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			msgs, err := c.Peek(ctx, args[0], limit)
			if err != nil {
				return err
			}
			return out.value(msgs, func() error { return messageTable(out, "No messages in queue "+args[0], msgs) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many at most")
	return cmd
}

func messageTable(out output, none string, msgs []control.Message) error {
	var rows [][]string
	for _, m := range msgs {
		state := m.State
		if m.Visible != nil {
			state += " until " + when(*m.Visible)
		}
		rows = append(rows, []string{m.ID, when(m.Timestamp), fmt.Sprint(m.Attempts), state, m.ContentType,
			short(m.MessageBody.String(), 60)})
	}
	return out.list(none, []string{"ID", "SENT (UTC)", "FAILED", "STATE", "TYPE", "BODY"}, rows)
}

func queuesPause(env OS, f *stateFlags, paused bool) *cobra.Command {
	use, short, done := "pause", "Stop deliveries from a queue; sends are still accepted", "Paused"
	if !paused {
		use, short, done = "resume", "Start deliveries from a queue again", "Resumed"
	}
	return &cobra.Command{
		Use: use + " QUEUE", Aliases: []string{use + "-delivery"}, Short: short, Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := c.Pause(ctx, args[0], paused)
			if err != nil {
				return err
			}
			return out.done(q, "%s queue %s", done, q.Name)
		}),
	}
}

func queuesPurge(env OS, f *stateFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "purge QUEUE", Short: "Delete all messages of a queue", Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			q, err := c.Queue(ctx, args[0])
			if err != nil {
				return err
			}
			if err := confirm(env, force, "purge a Queue", "all messages in queue "+q.Name, q.Name); err != nil {
				return err
			}
			n, err := c.Purge(ctx, args[0])
			if err != nil {
				return err
			}
			return out.done(n, "Purged queue %s: %s deleted", q.Name, count(n.Count, "message"))
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/wrangler"
)

func newDLQ(env OS) *cobra.Command {
	var f stateFlags
	cmd := group("dlq", "See and settle dead letters")
	f.add(cmd)
	f.addCluster(cmd)
	cmd.AddCommand(dlqList(env, &f), dlqShow(env, &f), dlqReplay(env, &f), dlqEdit(env, &f), dlqSkip(env, &f),
		dlqEscalate(env, &f), dlqNotes(env, &f))
	return finish(env, &f, cmd)
}

// filterFlags are the flags that choose dead letters.
type filterFlags struct {
	source, since, until, text string
	limit                      int
	all                        bool
}

func (f *filterFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.source, "source", "", "only those that failed in this `queue`")
	fl.StringVar(&f.since, "since", "", "only those whose last attempt was after this `time` (RFC 3339, or how long "+
		"ago: 2h)")
	fl.StringVar(&f.until, "until", "", "only those whose last attempt was before this `time`")
	fl.StringVar(&f.text, "error", "", "only those whose error or reason contains this `text`")
	fl.IntVar(&f.limit, "limit", 0, "how many at most, oldest first; 0 is all")
}

func (f *filterFlags) filter(ids []string) (out control.DeadLetterFilter, err error) {
	out = control.DeadLetterFilter{Source: f.source, Error: f.text, Limit: f.limit, IDs: ids}
	if out.Since, err = parseTime("since", f.since); err != nil {
		return out, err
	}
	out.Until, err = parseTime("until", f.until)
	return out, err
}

// chosen finds the dead letters that an action is for: those whose ids (or beginnings of ids) were given, or those that
// the flags choose. It chooses all of them only with --all.
func (f *filterFlags) chosen(ctx context.Context, c *control.Client, queue string,
	ids []string) (control.DeadLetterFilter, error) {
	if !f.all && len(ids) == 0 && f.source == "" && f.since == "" && f.until == "" && f.text == "" && f.limit <= 0 {
		return control.DeadLetterFilter{}, usage("which dead letters? Name ids, choose with --source, --since, " +
			"--until, --error or --limit, or say --all")
	}
	whole, err := wholeIDs(ctx, c, queue, ids)
	if err != nil {
		return control.DeadLetterFilter{}, err
	}
	return f.filter(whole)
}

func parseTime(flag, s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	if d, err := wrangler.ParseAge(s); err == nil {
		t := time.Now().Add(-d)
		return &t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, usage("--%s %q: expected a time like 2026-04-01T12:00:00Z, or how long ago: 2h", flag, s)
	}
	return &t, nil
}

func dlqList(env OS, f *stateFlags) *cobra.Command {
	var choose filterFlags
	cmd := &cobra.Command{
		Use: "list [QUEUE]", Short: "List dead letter queues, or the dead letters in one", Args: cobra.MaximumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if len(args) == 0 {
				all, err := c.DeadLetterQueues(ctx)
				if err != nil {
					return err
				}
				return out.value(all, func() error { return queueTable(out, "There are no dead letter queues", all) })
			}
			filter, err := choose.filter(nil)
			if err != nil {
				return err
			}
			msgs, err := c.DeadLetters(ctx, args[0], filter)
			if err != nil {
				return err
			}
			return out.value(msgs, func() error { return deadTable(out, "No dead letters in queue "+args[0], msgs) })
		}),
	}
	choose.add(cmd)
	return cmd
}

func deadTable(out output, none string, msgs []control.Message) error {
	var rows [][]string
	for _, m := range msgs {
		d := m.DeadLetter
		reason := reasonText(d.Reason)
		if d.LastError != "" {
			reason += ": " + d.LastError
		}
		if d.Escalated != "" {
			reason = "[escalated] " + reason
		}
		rows = append(rows, []string{m.ID, d.Source, when(d.LastAttempt), fmt.Sprint(d.Attempts), short(reason, 50),
			short(m.MessageBody.String(), 40)})
	}
	return out.list(none, []string{"ID", "FAILED IN", "LAST ATTEMPT (UTC)", "ATTEMPTS", "WHY", "BODY"}, rows)
}

// wholeIDs completes ids of which only the beginning was given.
func wholeIDs(ctx context.Context, c *control.Client, queue string, ids []string) ([]string, error) {
	whole := slices.Clone(ids)
	var all []control.Message
	for i, id := range ids {
		if len(id) >= 32 {
			continue
		}
		if all == nil {
			var err error
			if all, err = c.DeadLetters(ctx, queue, control.DeadLetterFilter{}); err != nil {
				return nil, err
			}
		}
		found := ""
		for _, m := range all {
			if strings.HasPrefix(m.ID, id) {
				if found != "" {
					return nil, fmt.Errorf("id %s is the beginning of more than one: give more of it", id)
				}
				found = m.ID
			}
		}
		if found == "" {
			return nil, fmt.Errorf("no dead letter %s in queue %s", id, queue)
		}
		whole[i] = found
	}
	return whole, nil
}

// reasonText explains the reason of a failure in which the handler threw nothing.
func reasonText(reason string) string {
	if reason == "retry" {
		return "retried by the consumer"
	}
	return reason
}

func dlqShow(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show QUEUE ID", Short: "Show a dead letter with its error and stack", Args: cobra.ExactArgs(2),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			ids, err := wholeIDs(ctx, c, args[0], args[1:])
			if err != nil {
				return err
			}
			msgs, err := c.DeadLetters(ctx, args[0], control.DeadLetterFilter{IDs: ids})
			if err != nil {
				return err
			}
			if len(msgs) == 0 {
				return fmt.Errorf("no dead letter %s in queue %s", args[1], args[0])
			}
			m, d := deadLetter{Message: msgs[0]}, msgs[0].DeadLetter
			if m.Recorded, err = recordedAttempts(ctx, env, f, m.ID); err != nil {
				return err
			}
			return out.value(m, func() error {
				facts := []any{
					"ID", m.ID, "Sent", stamp(m.Timestamp), "State", m.State, "Failed in", d.Source, "Reason",
					reasonText(d.Reason), "Attempts", d.Attempts,
					"First attempt", stamp(d.FirstAttempt), "Last attempt", stamp(d.LastAttempt),
				}
				if d.Escalated != "" {
					facts = append(facts, "Escalated", d.Escalated)
				}
				if d.LastError != "" {
					facts = append(facts, "Last error", d.LastError)
				}
				if err := out.facts(append(facts, "Content type", m.ContentType, "Body",
					m.MessageBody)...); err != nil {
					return err
				}
				if d.Stack != "" {
					if _, err := fmt.Fprintf(out.w, "\n%s\n", report.Lines(d.Stack)); err != nil {
						return err
					}
				}
				return attemptTable(out, m.Recorded)
			})
		}),
	}
}

func dlqReplay(env OS, f *stateFlags) *cobra.Command {
	var choose filterFlags
	var body bodyFlags
	var in control.DeadLetterAction
	cmd := &cobra.Command{
		Use: "replay QUEUE [ID...]", Short: "Send dead letters back to the queue they failed in",
		Args: cobra.MinimumNArgs(1),
		Long: "Send dead letters back to the queue they failed in, or to another one, oldest first. They keep id " +
			"and timestamp unless\n--new-id is given; their attempts start again. With --body a single one gets a " +
			"new body first.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		var err error
		if in.DeadLetterFilter, err = choose.chosen(ctx, c, args[0], args[1:]); err != nil {
			return err
		}
		if body.given(cmd) {
			if len(in.IDs) != 1 {
				return usage("--body and --body-file go with exactly one id")
			}
			if err := body.edit(ctx, c, args[0], in.IDs[0], in.Note); err != nil {
				return err
			}
		}
		n, err := c.Act(ctx, args[0], "replay", in)
		return settled(out, n, err, args[1:], "Replayed")
	})
	choose.add(cmd)
	body.add(cmd)
	cmd.Flags().BoolVar(&choose.all, "all", false, "all of them")
	cmd.Flags().StringVar(&in.To, "to", "", "`queue` to send them to, instead of the one each failed in")
	cmd.Flags().BoolVar(&in.NewID, "new-id", false, "give them a new id and timestamp")
	cmd.Flags().StringVar(&in.Note, "note", "", "`text` for the operator's log")
	return cmd
}

// settled reports how many dead letters an action changed. It fails if these are fewer than the ids that were named.
func settled(out output, n control.Count, err error, ids []string, did string) error {
	if err != nil {
		return err
	}
	if err := out.done(n, "%s %s", did, count(n.Count, "message")); err != nil {
		return err
	}
	if n.Count < len(ids) {
		return fmt.Errorf("%d of the %d ids named are not dead letters of this queue, or are in flight",
			len(ids)-n.Count, len(ids))
	}
	return nil
}

// bodyFlags replace a message's body.
type bodyFlags struct{ body, file, contentType string }

func (b *bodyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.body, "body", "", "new body")
	cmd.Flags().StringVar(&b.file, "body-file", "", "`file` with the new body")
	cmd.Flags().StringVar(&b.contentType, "content-type", "", "json, text or bytes (default: as it was)")
}

func (b *bodyFlags) given(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("body") || cmd.Flags().Changed("body-file")
}

func (b *bodyFlags) edit(ctx context.Context, c *control.Client, queue, id, note string) error {
	content := []byte(b.body)
	if b.file != "" {
		var err error
		if content, err = os.ReadFile(b.file); err != nil {
			return err
		}
	}
	return c.Edit(ctx, queue, control.Edit{ID: id, Note: note,
		MessageBody: control.MessageBody{ContentType: b.contentType, Base64: content}})
}

func dlqEdit(env OS, f *stateFlags) *cobra.Command {
	var body bodyFlags
	var note string
	cmd := &cobra.Command{
		Use: "edit QUEUE ID", Short: "Replace the body of a dead letter", Args: cobra.ExactArgs(2),
		Long: "Replace the body of a dead letter with that of --body or --body-file, or with what the editor of " +
			"$VISUAL or $EDITOR makes of it.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		ids, err := wholeIDs(ctx, c, args[0], args[1:])
		if err != nil {
			return err
		}
		if !body.given(cmd) {
			return editByHand(ctx, env, c, out, args[0], ids[0], note)
		}
		if err := body.edit(ctx, c, args[0], ids[0], note); err != nil {
			return err
		}
		return out.done(struct{}{}, "Edited %s", ids[0])
	})
	body.add(cmd)
	cmd.Flags().StringVar(&note, "note", "", "`text` for the operator's log")
	return cmd
}

func dlqSkip(env OS, f *stateFlags) *cobra.Command {
	var choose filterFlags
	var in control.DeadLetterAction
	var force bool
	cmd := &cobra.Command{
		Use: "skip QUEUE [ID...]", Short: "Delete dead letters and record why", Args: cobra.MinimumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			var err error
			if in.DeadLetterFilter, err = choose.chosen(ctx, c, args[0], args[1:]); err != nil {
				return err
			}
			if err := confirm(env, force, "delete dead letters", "the dead letters chosen in queue "+args[0],
				args[0]); err != nil {
				return err
			}
			n, err := c.Act(ctx, args[0], "skip", in)
			return settled(out, n, err, args[1:], "Skipped")
		}),
	}
	choose.add(cmd)
	cmd.Flags().BoolVar(&choose.all, "all", false, "all of them")
	cmd.Flags().StringVar(&in.Note, "note", "reconciliation", "why, for the operator's log")
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

func dlqEscalate(env OS, f *stateFlags) *cobra.Command {
	var choose filterFlags
	var in control.DeadLetterAction
	cmd := &cobra.Command{
		Use: "escalate QUEUE [ID...]", Short: "Mark dead letters as handed on to somebody", Args: cobra.MinimumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if in.Note == "" {
				return usage("say to whom, or why: --note TEXT")
			}
			var err error
			if in.DeadLetterFilter, err = choose.chosen(ctx, c, args[0], args[1:]); err != nil {
				return err
			}
			n, err := c.Act(ctx, args[0], "escalate", in)
			return settled(out, n, err, args[1:], "Escalated")
		}),
	}
	choose.add(cmd)
	cmd.Flags().BoolVar(&choose.all, "all", false, "all of them")
	cmd.Flags().StringVar(&in.Note, "note", "", "to whom, or why; kept with the message")
	return cmd
}

func dlqNotes(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "notes", Short: "Show the operator's log: replays, edits, skips, escalations, removals",
		Args: cobra.NoArgs,
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			notes, err := c.Notes(ctx)
			if err != nil {
				return err
			}
			return out.value(notes, func() error {
				var rows [][]string
				for _, n := range notes {
					action := n.Action
					if action == "redrive" {
						action = "replay" // the verb that people type
					}
					rows = append(rows, []string{when(n.At), action, n.Queue, count(len(n.Messages), "message"),
						dash(n.Text)})
				}
				return out.list("No notes", []string{"TIME (UTC)", "ACTION", "QUEUE", "MESSAGES", "NOTE"}, rows)
			})
		}),
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"eddy/queues/workqueue/operate"
)

// workFlags say which work queue is meant.
type workFlags struct {
	dsn  string
	json bool
}

func newWork(env OS) *cobra.Command {
	var f workFlags
	cmd := group("work", "See and settle the jobs of Go work queues")
	cmd.Long = "See and settle the jobs of Go work queues (eddy/queues/workqueue) in PostgreSQL, Redis or an SQLite " +
		"file.\nNo worker needs to run. A topic is named in full, app.namespace.topic, or by an ending that no " +
		"other shares."
	cmd.Example = "  eddy work topics --dsn postgres://localhost/shop\n  eddy work dead orders --dsn " +
		"redis://localhost:6379\n  eddy work requeue orders --all --dsn jobs.db"
	fl := cmd.PersistentFlags()
	fl.StringVar(&f.dsn, "dsn", "",
		"postgres://…, redis://… or the path of an SQLite `file`; without it $EDDY_WORK_DSN")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	cmd.AddCommand(workTopics(env, &f), workJobs(env, &f), workDead(env, &f), workRequeue(env, &f), workDrain(env, &f))
	for _, c := range cmd.Commands() {
		c.Args = form(c.Args)
		if strings.Contains(c.Use, "TOPIC") {
			c.ValidArgsFunction = f.completeTopics(env)
		}
	}
	return cmd
}

func (f *workFlags) open(ctx context.Context, env OS) (*operate.Queue, error) {
	dsn := f.dsn
	if dsn == "" {
		dsn = getenv(env, "EDDY_WORK_DSN")
	}
	if dsn == "" {
		return nil, usage("which work queue? Say --dsn postgres://…, redis://… or the path of an SQLite file, or " +
			"set EDDY_WORK_DSN")
	}
	q, err := operate.Open(ctx, dsn)
	return q, asFailure(err)
}

// run makes the RunE of a command on a work queue.
func (f *workFlags) run(env OS, do func(ctx context.Context, q *operate.Queue, args []string,
	out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		q, err := f.open(cmd.Context(), env)
		if err != nil {
			return err
		}
		err = do(cmd.Context(), q, args, output{w: cmd.OutOrStdout(), json: f.json})
		return asFailure(errors.Join(err, q.Close(cmd.Context())))
	}
}

func (f *workFlags) completeTopics(env OS) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
		defer cancel()
		q, err := f.open(ctx, env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = q.Close(ctx) }() // a completion has nowhere to report an error
		topics, err := q.Topics(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, t := range topics {
			if strings.HasPrefix(t.Topic, typed) {
				names = append(names, t.Topic)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// topicView is a topic as --json shows it.
type topicView struct {
	Topic   string    `json:"topic"`
	Ready   int64     `json:"ready"`
	Delayed int64     `json:"delayed"`
	Claimed int64     `json:"claimed"`
	Oldest  time.Time `json:"oldest"`
}

func workTopics(env OS, f *workFlags) *cobra.Command {
	return &cobra.Command{
		Use: "topics", Short: "List the topics that have jobs", Args: cobra.NoArgs,
		RunE: f.run(env, func(ctx context.Context, q *operate.Queue, _ []string, out output) error {
			all, err := q.Topics(ctx)
			if err != nil {
				return err
			}
			views := []topicView{}
			var rows [][]string
			for _, t := range all {
				views = append(views, topicView(t))
				rows = append(rows, []string{t.Topic, fmt.Sprint(t.Ready), fmt.Sprint(t.Delayed),
					fmt.Sprint(t.Claimed), when(t.Oldest)})
			}
			return out.value(views, func() error {
				return out.list("No topic has jobs", []string{"TOPIC", "READY", "DELAYED", "CLAIMED",
					"OLDEST (UTC)"}, rows)
			})
		}),
	}
}

// jobView is a job as --json shows it.
type jobView struct {
	ID       string    `json:"id"`
	Topic    string    `json:"topic"`
	State    string    `json:"state"`
	Priority int       `json:"priority"`
	Attempt  int       `json:"attempt"`
	Enqueued time.Time `json:"enqueued"`
	Due      time.Time `json:"due"`
	Origin   string    `json:"origin,omitempty"`
	Error    string    `json:"error,omitempty"`
	Payload  string    `json:"payload,omitempty"`
	// Bytes is a payload that is not text.
	Bytes []byte `json:"bytes,omitempty"`
}

func viewJobs(all []operate.JobInfo) []jobView {
	views := []jobView{}
	for _, j := range all {
		v := jobView{
			ID: j.ID, Topic: j.Topic, State: map[operate.State]string{operate.Ready: "ready",
				operate.Delayed: "delayed", operate.InFlight: "claimed"}[j.State],
			Priority: int(j.Priority), Attempt: j.Attempt, Enqueued: j.EnqueuedAt, Due: j.Due, Origin: j.Origin,
			Error: j.Reason,
		}
		if utf8.Valid(j.Payload) {
			v.Payload = string(j.Payload)
		} else {
			v.Bytes = j.Payload
		}
		views = append(views, v)
	}
	return views
}

// body is the payload, shortened for a cell of a table.
func (v *jobView) body() string {
	if v.Bytes != nil {
		return fmt.Sprintf("%d bytes", len(v.Bytes))
	}
	return short(v.Payload, 60)
}

func workJobs(env OS, f *workFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "jobs TOPIC", Short: "Show the jobs of a topic in the order of their delivery, without any effect on " +
			"them", Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, q *operate.Queue, args []string, out output) error {
			topic, err := q.Topic(ctx, args[0])
			if err != nil {
				return err
			}
			all, err := q.Jobs(ctx, topic, limit)
			if err != nil {
				return err
			}
			views := viewJobs(all)
			return out.value(views, func() error {
				var rows [][]string
				for _, v := range views {
					due := "-"
					if v.State != "ready" {
						due = when(v.Due)
					}
					rows = append(rows, []string{v.ID, v.State, fmt.Sprint(v.Priority), fmt.Sprint(v.Attempt),
						when(v.Enqueued), due, v.body()})
				}
				return out.list("No jobs", []string{"ID", "STATE", "PRIORITY", "ATTEMPTS", "ENQUEUED (UTC)",
					"DUE (UTC)", "PAYLOAD"}, rows)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	return cmd
}

func workDead(env OS, f *workFlags) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "dead [TOPIC]", Short: "Show dead jobs with the error of their last failure", Args: cobra.MaximumNArgs(1),
		Long: "Show dead jobs with the error of their last failure: those that failed in TOPIC, or all.",
		RunE: f.run(env, func(ctx context.Context, q *operate.Queue, args []string, out output) (err error) {
			origin := ""
			if len(args) > 0 {
				if origin, err = q.Topic(ctx, args[0]); err != nil {
					return err
				}
			}
			all, err := q.Dead(ctx, origin, limit)
			if err != nil {
				return err
			}
			views := viewJobs(all)
			return out.value(views, func() error {
				var rows [][]string
				for _, v := range views {
					rows = append(rows, []string{v.ID, v.Origin, when(v.Enqueued), short(dash(v.Error), 60), v.body()})
				}
				return out.list("No dead jobs", []string{"ID", "FAILED IN", "ENQUEUED (UTC)", "ERROR", "PAYLOAD"}, rows)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	return cmd
}

func workRequeue(env OS, f *workFlags) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "requeue TOPIC [ID...]", Short: "Put dead jobs back into the topic they failed " +
			"in", Args: cobra.MinimumNArgs(1),
		Long: "Put dead jobs back into the topic they failed in, eligible at once and with all their retries. An ID " +
			"may be cut short.",
		RunE: f.run(env, func(ctx context.Context, q *operate.Queue, args []string, out output) error {
			if all == (len(args) > 1) {
				return usage("which dead jobs? Name ids, or say --all")
			}
			topic, err := q.Topic(ctx, args[0])
			if err != nil {
				return err
			}
			ids, err := deadIDs(ctx, q, topic, args[1:])
			if err != nil {
				return err
			}
			n, err := q.Requeue(ctx, topic, ids)
			if err != nil {
				return err
			}
			return out.done(map[string]int{"count": n}, "Put %s back into %s", count(n, "job"), topic)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that failed in the topic")
	return cmd
}

// deadIDs completes the beginnings of ids.
func deadIDs(ctx context.Context, q *operate.Queue, origin string, parts []string) (ids []string, err error) {
	if len(parts) == 0 {
		return nil, nil
	}
	dead, err := q.Dead(ctx, origin, -1)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		var fit []string
		for _, j := range dead {
			if strings.HasPrefix(j.ID, part) {
				fit = append(fit, j.ID)
			}
		}
		if len(fit) != 1 {
			return nil, fmt.Errorf("%s dead in %s begin with %q, expected one", count(len(fit), "job"), origin, part)
		}
		ids = append(ids, fit[0])
	}
	return ids, nil
}

func workDrain(env OS, f *workFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "drain TOPIC", Short: "Delete the jobs of a topic that no worker has", Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, q *operate.Queue, args []string, out output) error {
			topic, err := q.Topic(ctx, args[0])
			if err != nil {
				return err
			}
			if err := confirm(env, force, "drain a topic", "all waiting jobs of topic "+topic, topic); err != nil {
				return err
			}
			n, err := q.Drain(ctx, topic)
			if err != nil {
				return err
			}
			return out.done(map[string]int{"count": n}, "Drained topic %s: %s deleted", topic, count(n, "job"))
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

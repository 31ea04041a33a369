package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

func consumerFacts(c *control.Consumer) []any {
	facts := []any{"Consumer", consumerName(c), "Type", c.Type, "Batch size", c.BatchSize}
	if c.Type == "worker" {
		concurrency := "automatic"
		if c.MaxConcurrency > 0 {
			concurrency = fmt.Sprint(c.MaxConcurrency)
		}
		facts = append(facts, "Batch timeout", millis(c.BatchTimeoutMS), "Max concurrency", concurrency,
			"In flight now", fmt.Sprintf("%d of %s", c.InFlight, count(c.Concurrency, "batch")))
	} else {
		facts = append(facts, "Visibility", millis(c.VisibilityMS))
	}
	source := "the API"
	if c.Declared {
		source = "the configuration"
	}
	return append(facts, "Max retries", c.MaxRetries, "Retry delay", seconds(c.RetryDelaySec), "Dead letter queue",
		dash(c.DeadLetterQueue), "Declared by", source)
}

func newConsumers(env OS, f *stateFlags) *cobra.Command {
	cmd := group("consumers", "See, add and remove the consumers of queues")
	cmd.Aliases = []string{"consumer"}
	cmd.AddCommand(consumersList(env, f), consumersAdd(env, f, false, ""), consumersRemove(env, f))
	worker := group("worker", "Make a Worker the consumer of a queue, in wrangler's form")
	worker.AddCommand(consumersAdd(env, f, false, "worker"), consumersRemove(env, f))
	http := group("http", "Make pullers the consumer of a queue, in wrangler's form")
	http.AddCommand(consumersAdd(env, f, true, "http"), consumersRemove(env, f))
	cmd.AddCommand(worker, http)
	return cmd
}

func consumersList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list [QUEUE]", Short: "List consumers, of one queue or of all", Args: cobra.MaximumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			all, err := c.Queues(ctx)
			if len(args) == 1 {
				var q control.Queue
				q, err = c.Queue(ctx, args[0])
				all = []control.Queue{q}
			}
			if err != nil {
				return err
			}
			type row struct {
				Queue string `json:"queue"`
				*control.Consumer
			}
			list := []row{}
			var rows [][]string
			for _, q := range all {
				if x := q.Consumer; x != nil {
					list = append(list, row{q.Name, x})
					rows = append(rows, []string{q.Name, x.Type, consumerName(x), fmt.Sprint(x.BatchSize),
						millis(x.BatchTimeoutMS), fmt.Sprint(x.MaxRetries), dash(x.DeadLetterQueue)})
				}
			}
			return out.value(list, func() error {
				return out.list("There are no consumers", []string{"QUEUE", "TYPE", "CONSUMER", "BATCH", "TIMEOUT",
					"RETRIES", "DEAD LETTER QUEUE"}, rows)
			})
		}),
	}
}

// consumerFlags lists the product's settings under the names of wrangler's flags (W-5). A setting with a unit is a
// duration, which the API counts in that unit.
var consumerFlags = []struct {
	flag, setting, help string
	unit                time.Duration
}{
	{"batch-size", "batch_size", "messages per batch, 1 to 100", 0},
	{"batch-timeout", "max_wait_time_ms", "how long a batch waits to fill, up to 60s; a number is seconds",
		time.Millisecond},
	{"message-retries", "max_retries", "retries after the first delivery, 0 to 100", 0},
	{"max-concurrency", "max_concurrency", "batches in flight at most, 1 to 250", 0},
	{"visibility-timeout-secs", "visibility_timeout_ms", "lease of pulled messages, up to 12h; a number is seconds",
		time.Millisecond},
	{"retry-delay-secs", "retry_delay", "delay of retries that name none, up to 24h; a number is seconds", time.Second},
}

// consumersAdd makes the verb; kind is the word before it, "" for none.
func consumersAdd(env OS, f *stateFlags, http bool, kind string) *cobra.Command {
	var replace bool
	var dlq string
	values, durations := make([]int64, len(consumerFlags)), make([]duration, len(consumerFlags))
	cmd := &cobra.Command{
		Use: "add QUEUE [SCRIPT]", Short: "Make a Worker, or with --http pullers, the consumer of a queue",
		Args: cobra.RangeArgs(1, 2),
	}
	switch kind {
	case "worker":
		cmd.Use, cmd.Short, cmd.Args = "add QUEUE SCRIPT", "Make a Worker the consumer of a queue", cobra.ExactArgs(2)
	case "http":
		cmd.Use, cmd.Short, cmd.Args = "add QUEUE", "Make pullers the consumer of a queue", cobra.ExactArgs(1)
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		if http == (len(args) == 2) {
			return usage("name the Worker that consumes %s, or say --http for pull consumers", args[0])
		}
		in := control.ConsumerChange{Type: "http_pull", DeadLetterQueue: dlq, Settings: map[string]int64{}}
		if !http {
			in.Type, in.Script = "worker", args[1]
		}
		for i, s := range consumerFlags {
			switch {
			case !cmd.Flags().Changed(s.flag):
			case s.unit == 0:
				in.Settings[s.setting] = values[i]
			case durations[i].Duration%s.unit != 0:
				return usage("--%s %s: expected whole seconds", s.flag, &durations[i])
			default:
				in.Settings[s.setting] = int64(durations[i].Duration / s.unit)
			}
		}
		q, err := c.SetConsumer(ctx, args[0], in, replace)
		if err != nil {
			return err
		}
		return out.done(q, "Queue %s is now consumed by %s", q.Name, consumerName(q.Consumer))
	})
	for i, s := range consumerFlags {
		if s.unit == 0 {
			cmd.Flags().Int64Var(&values[i], s.flag, 0, s.help)
		} else {
			cmd.Flags().Var(&durations[i], s.flag, s.help)
		}
	}
	if kind == "" {
		cmd.Flags().BoolVar(&http, "http", false, "messages are pulled over HTTP")
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the consumer that the queue has")
	cmd.Flags().StringVar(&dlq, "dead-letter-queue", "", "`queue` for messages that fail for good")
	return cmd
}

func consumersRemove(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "remove QUEUE", Short: "Take a queue's consumer away; its messages wait for the next one",
		Args: cobra.ExactArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			if err := c.RemoveConsumer(ctx, args[0]); err != nil {
				return err
			}
			return out.done(struct{}{}, "Queue %s has no consumer now", args[0])
		}),
	}
}

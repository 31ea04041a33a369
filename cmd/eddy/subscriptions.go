package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

func newSubscriptions(env OS, f *stateFlags) *cobra.Command {
	cmd := group("subscriptions", "See, make and delete event subscriptions, and fire events")
	cmd.Aliases = []string{"subscription"}
	cmd.AddCommand(
		subscriptionsList(env, f),
		subscriptionsCreate(env, f),
		subscriptionsDelete(env, f),
		subscriptionsFire(env, f),
	)
	return cmd
}

func subscriptionsList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list [QUEUE]", Short: "List event subscriptions, and whether events come by themselves",
		Args: cobra.MaximumNArgs(1),
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			all, err := c.Subscriptions(ctx)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if _, err := c.Queue(ctx, args[0]); err != nil {
					return err
				}
				all = slices.DeleteFunc(all, func(s control.Subscription) bool { return s.Queue != args[0] })
			}
			return out.value(all, func() error {
				var rows [][]string
				for _, s := range all {
					fires := "by itself"
					switch {
					case !s.Enabled:
						fires = "disabled"
					case s.Unheard != "":
						fires = "by hand: " + s.Unheard
					}
					rows = append(
						rows,
						[]string{
							s.Name,
							fmt.Sprint(s.Source["type"]),
							dash(s.Queue),
							strings.Join(s.Events, ","),
							fires,
						},
					)
				}
				return out.list(
					"There are no event subscriptions",
					[]string{"NAME", "SOURCE", "QUEUE", "EVENTS", "FIRES"},
					rows,
				)
			})
		}),
	}
}

// source are the flags that name the source of a subscription or an event: its type, and what a type needs besides.
type source struct {
	typ    string
	values map[string]*string
}

func (s *source) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.typ, "source", "", "`type` of the source, such as workflows.workflow")
	s.values = map[string]*string{}
	for _, name := range []string{"worker-name", "workflow-name", "model-name", "zone-id", "domain"} {
		s.values[name] = cmd.Flags().String(name, "", "of the source, where its type has one")
	}
}

func (s *source) fields(cmd *cobra.Command) map[string]any {
	out := map[string]any{"type": s.typ}
	for name, v := range s.values {
		if cmd.Flags().Changed(name) {
			out[strings.ReplaceAll(name, "-", "_")] = *v
		}
	}
	return out
}

// required marks flags as required.
func required(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is not defined: a bug of eddy
		}
	}
}

func subscriptionsCreate(env OS, f *stateFlags) *cobra.Command {
	var from source
	var name, events string
	var disabled bool
	cmd := &cobra.Command{
		Use: "create QUEUE --source TYPE --events NAME,NAME", Short: "Have events of a source sent to a queue",
		Args: cobra.ExactArgs(1),
		Long: "Have events of a source sent to a queue. The builds of the session's Workers (workersBuilds.worker) " +
			"and what\nbecomes of instances of its workflows (workflows.workflow) come by themselves;\n" +
			"other sources do not exist locally: fire stands in for them.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		if name == "" {
			name = args[0] + " " + from.typ
		}
		enabled := !disabled
		s, err := c.Subscribe(ctx, control.SubscriptionChange{
			Name: &name, Enabled: &enabled, Source: from.fields(cmd), Events: strings.Split(events, ","),
			Destination: &control.Destination{Type: "queues.queue", QueueID: args[0]},
		})
		if err != nil {
			return err
		}
		text := fmt.Sprintf(
			"Created event subscription %s (%s): %s to queue %s",
			s.Name,
			s.ID,
			strings.Join(s.Events, ", "),
			s.Queue,
		)
		if s.Unheard != "" {
			text += "; nothing fires it here (" + s.Unheard + "), eddy queues subscriptions fire stands in"
		}
		return out.done(s, "%s", text)
	})
	from.add(cmd)
	cmd.Flags().StringVar(
		&events,
		"events",
		"",
		"`names` of events, with commas between them, such as build.succeeded,build.failed",
	)
	cmd.Flags().StringVar(&name, "name", "", "`name` of the subscription (default: queue and source)")
	cmd.Flags().BoolVar(&disabled, "disabled", false, "make it, but send nothing yet")
	required(cmd, "source", "events")
	return cmd
}

func subscriptionsDelete(env OS, f *stateFlags) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use: "delete SUBSCRIPTION", Short: "Delete an event subscription, by its id or name", Args: cobra.ExactArgs(1),
		Long: "Delete an event subscription, by its id or name; or, as wrangler has it: delete QUEUE --id ID.",
		RunE: f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
			all, err := c.Subscriptions(ctx)
			if err != nil {
				return err
			}
			if id != "" {
				queue := args[0]
				all = slices.DeleteFunc(all, func(s control.Subscription) bool {
					return s.Queue != queue || s.ID != id
				})
				args = []string{id}
			}
			var found []control.Subscription
			for _, s := range all {
				if s.ID == args[0] {
					found = []control.Subscription{s}
					break
				}
				if s.Name == args[0] {
					found = append(found, s)
				}
			}
			switch len(found) {
			case 0:
				return fmt.Errorf("no event subscription %q; eddy queues subscriptions list shows them", args[0])
			case 1:
			default:
				return fmt.Errorf(
					"%d event subscriptions are named %q; give the id, which eddy queues subscriptions list --json "+
						"shows",
					len(found),
					args[0],
				)
			}
			if err := c.Unsubscribe(ctx, found[0].ID); err != nil {
				return err
			}
			return out.done(found[0], "Deleted event subscription %s", found[0].Name)
		}),
	}
	cmd.Flags().StringVar(&id, "id", "", "`id` of the subscription of the queue that is named")
	cmd.Flags().BoolP("force", "y", false, "as in wrangler; nothing is asked anyway")
	return cmd
}

func subscriptionsFire(env OS, f *stateFlags) *cobra.Command {
	var from source
	var event, payload string
	cmd := &cobra.Command{
		Use: "fire --source TYPE --event NAME", Short: "Send an event to the queues that are subscribed to it",
		Args: cobra.NoArgs,
		Long: "Send an event to the queues that are subscribed to it, in production's form. Most sources, such as " +
			"r2 or workersAi.model,\ndo not exist locally; this stands in for them.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
		e := control.SourceEvent{Source: from.fields(cmd), Event: event}
		if payload != "" {
			if !json.Valid([]byte(payload)) {
				return usage("--payload is not valid JSON: %s", short(payload, 60))
			}
			e.Payload = json.RawMessage(payload)
		}
		fired, err := c.Fire(ctx, e)
		if err != nil {
			return err
		}
		if len(fired.Queues) == 0 {
			return fmt.Errorf(
				"no enabled subscription wants %s of %s; eddy queues subscriptions list shows them",
				event,
				from.typ,
			)
		}
		return out.done(fired, "Sent to %s", strings.Join(fired.Queues, ", "))
	})
	from.add(cmd)
	cmd.Flags().StringVar(&event, "event", "", "`name` of the event, such as instance.completed")
	cmd.Flags().StringVar(&payload, "payload", "", "what the event says, as `JSON`")
	required(cmd, "source", "event")
	return cmd
}

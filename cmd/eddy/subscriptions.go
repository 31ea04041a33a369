package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

func newSubscriptions(env OS, f *stateFlags) *cobra.Command {
	cmd := group("subscriptions", "See event subscriptions, and fire events")
	cmd.Aliases = []string{"subscription"}
	cmd.AddCommand(subscriptionsList(env, f), subscriptionsFire(env, f))
	return cmd
}

func subscriptionsList(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List event subscriptions, and whether events come by themselves", Args: cobra.NoArgs,
		RunE: f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
			all, err := c.Subscriptions(ctx)
			if err != nil {
				return err
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
					rows = append(rows, []string{s.Name, fmt.Sprint(s.Source["type"]), dash(s.Queue), strings.Join(s.Events, ","), fires})
				}
				return out.list("There are no event subscriptions", []string{"NAME", "SOURCE", "QUEUE", "EVENTS", "FIRES"}, rows)
			})
		}),
	}
}

func subscriptionsFire(env OS, f *stateFlags) *cobra.Command {
	var source, event, payload string
	fields := []string{"worker-name", "workflow-name", "model-name", "zone-id", "domain"}
	values := make([]string, len(fields))
	cmd := &cobra.Command{
		Use: "fire --source TYPE --event NAME", Short: "Send an event to the queues that are subscribed to it", Args: cobra.NoArgs,
		Long: "Send an event to the queues that are subscribed to it, in production's form. Most sources, such as r2 or workersAi.model,\ndo not exist locally; this stands in for them.",
	}
	cmd.RunE = f.run(env, func(ctx context.Context, c *control.Client, _ []string, out output) error {
		e := control.SourceEvent{Source: map[string]any{"type": source}, Event: event}
		for i, name := range fields {
			if cmd.Flags().Changed(name) {
				e.Source[strings.ReplaceAll(name, "-", "_")] = values[i]
			}
		}
		if payload != "" {
			if !json.Valid([]byte(payload)) {
				return &exitError{exitUsage, fmt.Errorf("--payload is not valid JSON: %s", short(payload, 60))}
			}
			e.Payload = json.RawMessage(payload)
		}
		fired, err := c.Fire(ctx, e)
		if err != nil {
			return err
		}
		if len(fired.Queues) == 0 {
			return fmt.Errorf("no enabled subscription wants %s of %s; eddy queues subscriptions list shows them", event, source)
		}
		return out.done(fired, "Sent to %s", strings.Join(fired.Queues, ", "))
	})
	cmd.Flags().StringVar(&source, "source", "", "`type` of the source, such as workflows.workflow")
	cmd.Flags().StringVar(&event, "event", "", "`name` of the event, such as instance.completed")
	cmd.Flags().StringVar(&payload, "payload", "", "what the event says, as `JSON`")
	for i, name := range fields {
		cmd.Flags().StringVar(&values[i], name, "", "of the source, where its type has one")
	}
	for _, name := range []string{"source", "event"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // there is such a flag
		}
	}
	return cmd
}

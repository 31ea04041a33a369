package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/running"
	"eddy/wrangler"
)

// finish completes the verbs below cmd, whose arguments name queues. Arguments that do not fit give an error with the
// verb's usage, a queue that does not exist gives an error with those that do, and shells can complete the names.
func finish(env OS, f *stateFlags, cmd *cobra.Command) *cobra.Command {
	for _, c := range cmd.Commands() {
		finish(env, f, c)
	}
	if cmd.HasSubCommands() {
		return cmd
	}
	if args := cmd.Args; args != nil {
		cmd.Args = form(args)
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var refused *running.Refusal
		if errors.As(err, &refused) && strings.Contains(refused.Message, "does not exist") &&
			!strings.HasPrefix(refused.Message, "This Worker") {
			if names := f.names(cmd.Context(), env, cmd); len(names) > 0 {
				text := "\n  there are: " + strings.Join(names, ", ")
				if len(args) > 0 {
					if meant := wrangler.DidYouMean(args[0], names); meant != "" {
						text += "\n  did you mean " + meant + "?"
					}
				}
				return &exitError{exitFailure, fmt.Errorf("%w%s", err, text)}
			}
		}
		return err
	}
	complete := func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		names := f.names(cmd.Context(), env, cmd)
		return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, typed) }),
			cobra.ShellCompDirectiveNoFileComp
	}
	if strings.Contains(cmd.Use, "QUEUE") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			if len(args) > 0 && !strings.Contains(cmd.Use, "QUEUE...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return complete(cmd, args, typed)
		}
	}
	f.completeFlags(env, cmd, complete)
	return cmd
}

// names lists the queues that a verb can name. There are none if they cannot be read.
func (f *stateFlags) names(ctx context.Context, env OS, cmd *cobra.Command) (names []string) {
	c, release, err := f.connect(ctx, env)
	if err != nil {
		return nil
	}
	lanes := strings.HasPrefix(cmd.CommandPath(), "eddy lanes")
	if lanes {
		all, _ := c.LaneQueues(ctx)
		for _, q := range all {
			names = append(names, q.Name)
		}
	} else {
		all, _ := c.Queues(ctx)
		for _, q := range all {
			names = append(names, q.Name)
		}
	}
	if release() != nil {
		return nil
	}
	return names
}

// values lists what the flags of some names accept.
var values = map[string][]string{
	"content-type": {"json", "text", "bytes"}, "log-level": {"debug", "info", "log", "warn", "error", "none"},
	"log-format": {"text", "json"},
	"durability": {"strict", "relaxed"}, "alarms": {"fire", "hold", "drop"}, "local-protocol": {"http", "https"},
	"upstream-protocol": {"http", "https"},
}

// completeFlags offers the values of flags to a shell.
func (f *stateFlags) completeFlags(env OS, cmd *cobra.Command, queues cobra.CompletionFunc) {
	complete := map[string]cobra.CompletionFunc{
		"to": queues, "dead-letter-queue": queues, "namespace": f.completeNamespaces(env), "env": f.environments(env),
		"url": func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return sessionURLs(cmd.Context(), env), cobra.ShellCompDirectiveNoFileComp
		},
	}
	for name, list := range values {
		complete[name] = cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
	}
	for name, how := range complete {
		if flag := cmd.Flag(name); flag == nil || name == "content-type" &&
			strings.HasPrefix(cmd.CommandPath(), "eddy r2") {
			continue
		}
		if _, has := cmd.GetFlagCompletionFunc(name); has {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(name, how); err != nil {
			panic(err) // a completion is registered twice: a bug of eddy
		}
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// finish completes the verbs below cmd, which name queues: arguments that do not fit are answered with the verb's own form,
// a queue that does not exist with those that do, and shells can complete the names.
func finish(env OS, f *stateFlags, cmd *cobra.Command) *cobra.Command {
	for _, c := range cmd.Commands() {
		finish(env, f, c)
	}
	if cmd.HasSubCommands() {
		return cmd
	}
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, given []string) error {
			if err := args(cmd, given); err != nil {
				return &exitError{exitUsage, fmt.Errorf("%s: %w\n  usage: %s", cmd.CommandPath(), err, cmd.UseLine())}
			}
			return nil
		}
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var refused *control.Refusal
		if errors.As(err, &refused) && strings.Contains(refused.Message, "does not exist") {
			if names := f.names(cmd.Context(), env, cmd); len(names) > 0 {
				return &exitError{exitFailure, fmt.Errorf("%w\n  there are: %s", err, strings.Join(names, ", "))}
			}
		}
		return err
	}
	complete := func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		names := f.names(cmd.Context(), env, cmd)
		return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, typed) }), cobra.ShellCompDirectiveNoFileComp
	}
	if strings.Contains(cmd.Use, "QUEUE") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 && !strings.Contains(cmd.Use, "QUEUE...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return complete(cmd, args, typed)
		}
	}
	for _, flag := range []string{"to", "dead-letter-queue"} {
		if cmd.Flags().Lookup(flag) != nil {
			if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
				panic(err) // registered twice: ours to mend
			}
		}
	}
	return cmd
}

// names are the queues that a verb can mean; none when they cannot be known.
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

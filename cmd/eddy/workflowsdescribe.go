package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/running"
	"eddy/wrangler"
)

// described is an instance with its steps (FLOW-202, FLOW-203).
type described struct {
	Status  string          `json:"status"`
	Params  json.RawMessage `json:"params"`
	Trigger struct {
		Source string `json:"source"`
	} `json:"trigger"`
	Queued   time.Time       `json:"queued"`
	Start    *time.Time      `json:"start"`
	End      *time.Time      `json:"end"`
	Error    *stepError      `json:"error"`
	Output   json.RawMessage `json:"output"`
	Rollback json.RawMessage `json:"rollback"`
	Steps    []describedStep `json:"steps"`
}

type describedStep struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Start    *time.Time      `json:"start"`
	End      *time.Time      `json:"end"`
	Success  *bool           `json:"success"`
	Finished *bool           `json:"finished"`
	Output   json.RawMessage `json:"output"`
	Error    *stepError      `json:"error"`
	Attempts []struct {
		Success *bool      `json:"success"`
		Error   *stepError `json:"error"`
	} `json:"attempts"`
}

type stepError struct{ Name, Message string }

func (e *stepError) String() string {
	if e == nil {
		return "-"
	}
	return e.Name + ": " + e.Message
}

// state says in a word what a step is at.
func (s describedStep) state() string {
	ended := func(b *bool) bool { return b != nil && *b }
	switch {
	case s.Type == "termination":
		return "terminated"
	case s.Success != nil && !*s.Success, s.Error != nil:
		return "failed"
	case ended(s.Success), ended(s.Finished):
		return "done"
	case s.Type == "step":
		return "running"
	}
	return "waiting"
}

func instancesDescribe(env OS, f *stateFlags) *cobra.Command {
	var outputs bool
	var limit int
	cmd := &cobra.Command{
		Use: "describe NAME [ID]", Short: "Describe an instance with its steps; without ID the latest one",
		Args: cobra.RangeArgs(1, 2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			id, err := a.named(args[0], append(args, "latest")[1])
			if err != nil {
				return err
			}
			all, err := flowCall[json.RawMessage](a, "GET", a.instance(args[0], id, ""), nil)
			if err != nil {
				return err
			}
			return out.value(all, func() error { return showInstance(out, args[0], id, all, outputs, limit) })
		}),
	}
	cmd.Flags().BoolVar(&outputs, "step-output", true, "show what steps gave")
	cmd.Flags().IntVar(&limit, "truncate-output-limit", 5000, "how many characters of it")
	return cmd
}

func showInstance(out output, workflow, id string, all json.RawMessage, outputs bool, limit int) error {
	var i described
	if err := json.Unmarshal(all, &i); err != nil {
		return err
	}
	facts := []any{"Workflow", workflow, "Instance", id, "Status", i.Status, "Trigger", i.Trigger.Source, "Params",
		short(string(i.Params), limit), "Queued", stamp(i.Queued), "Start", stampOr(i.Start), "End", stampOr(i.End)}
	if i.Error != nil {
		facts = append(facts, "Error", i.Error)
	}
	if !isNull(i.Output) {
		facts = append(facts, "Output", short(string(i.Output), limit))
	}
	if !isNull(i.Rollback) {
		facts = append(facts, "Rollback", short(string(i.Rollback), limit))
	}
	if err := out.facts(facts...); err != nil || len(i.Steps) == 0 {
		return err
	}
	header := []string{"STEP", "TYPE", "STATE", "ATTEMPTS", "START (UTC)", "END (UTC)", "ERROR"}
	if outputs {
		header = append(header, "OUTPUT")
	}
	var rows [][]string
	for _, s := range i.Steps {
		failure := s.Error
		if n := len(s.Attempts); n > 0 {
			failure = s.Attempts[n-1].Error
		}
		row := []string{dash(s.Name), s.Type, s.state(), fmt.Sprint(len(s.Attempts)), whenever(s.Start),
			whenever(s.End), short(failure.String(), 60)}
		if outputs {
			cell := "-"
			if !isNull(s.Output) {
				cell = short(string(s.Output), limit)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(out.w)
	return out.table(header, rows)
}

func isNull(b json.RawMessage) bool { return len(b) == 0 || string(b) == "null" }

// finishWorkflows completes the verbs below cmd: a workflow that does not exist gives an error with those that do, and
// shells can complete the names.
func finishWorkflows(env OS, f *stateFlags, cmd *cobra.Command) *cobra.Command {
	for _, c := range cmd.Commands() {
		finishWorkflows(env, f, c)
	}
	if cmd.HasSubCommands() {
		return cmd
	}
	cmd.Args = form(cmd.Args)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var refused *running.Refusal
		if !errors.As(err, &refused) || len(args) == 0 {
			return err
		}
		var text string
		switch {
		case strings.Contains(refused.Message, "workflow.not_found"):
			text = fmt.Sprintf("the session has no workflow %q", args[0])
			if f.cluster != "" {
				text = fmt.Sprintf("the configuration has no workflow %q", args[0])
			}
			if names := f.flowNames(cmd.Context(), env); len(names) > 0 {
				text += "\n  there are: " + strings.Join(names, ", ")
				if meant := wrangler.DidYouMean(args[0], names); meant != "" {
					text += "\n  did you mean " + meant + "?"
				}
			}
		case strings.HasSuffix(refused.Message, "not found.") && len(args) > 1:
			text = fmt.Sprintf("workflow %q has no instance %q\n  eddy workflows instances list %s shows them", args[0],
				args[1], args[0])
		case strings.Contains(refused.Message, "instance.already_exists"):
			text = fmt.Sprintf("workflow %q has an instance of that id already", args[0])
		default:
			return err
		}
		return &exitError{exitFailure, errors.New(text)}
	}
	none := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.Contains(cmd.Use, "NAME") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			var words []string
			switch {
			case len(args) == 0:
				words = f.flowNames(cmd.Context(), env)
			case strings.Contains(cmd.Use, "ID") && (len(args) == 1 || strings.Contains(cmd.Use, "...")):
				words = append(f.instanceIDs(cmd.Context(), env, args[0]), "latest")
			}
			return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, typed) }),
				cobra.ShellCompDirectiveNoFileComp
		}
	}
	if cmd.Flag("from-step-type") != nil {
		if err := cmd.RegisterFlagCompletionFunc("from-step-type",
			cobra.FixedCompletions(stepTypes, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // a completion is registered twice: a bug of eddy
		}
	}
	f.completeFlags(env, cmd, none)
	return cmd
}

// flowNames are the names of the session's workflows; there are none if it cannot be asked.
func (f *stateFlags) flowNames(ctx context.Context, env OS) (names []string) {
	a, err := f.flows(ctx, env)
	if err != nil {
		return nil
	}
	defer a.close()
	all, _ := flowCall[[]workflow](a, "GET", "?per_page=1000", nil)
	for _, w := range all {
		names = append(names, w.Name)
	}
	return names
}

func (f *stateFlags) instanceIDs(ctx context.Context, env OS, name string) (ids []string) {
	a, err := f.flows(ctx, env)
	if err != nil {
		return nil
	}
	defer a.close()
	list, _ := flowCall[[]workflowInstance](a, "GET", flowPath(name, "/instances?per_page=100"), nil)
	for _, i := range list {
		ids = append(ids, i.ID)
	}
	return ids
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/running"
)

// newWorkflows has wrangler's commands for workflows (FLOW-190). They speak to the session that runs them, or to the
// nodes of a cluster.
func newWorkflows(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("workflows", "See and change the Workflows of a running session, or of a cluster")
	f.add(cmd)
	f.addCluster(cmd)
	instances := group("instances", "See and change the instances of a workflow")
	instances.AddCommand(instancesList(env, f), instancesDescribe(env, f), instancesDelete(env, f))
	instances.AddCommand(instanceVerbs(env, f)...)
	cmd.AddCommand(workflowsList(env, f), workflowsDescribe(env, f), workflowsTrigger(env, f),
		workflowsDelete(env, f), instances)
	for _, short := range instanceVerbs(env, f) { // they are asked for without "instances", too
		short.Hidden = true
		cmd.AddCommand(short)
	}
	return finishWorkflows(env, f, cmd)
}

// instanceVerbs are the commands for one instance whose names are no command's for workflows.
func instanceVerbs(env OS, f *stateFlags) []*cobra.Command {
	return []*cobra.Command{instancesSendEvent(env, f), instancesTerminate(env, f), instancesRestart(env, f),
		instancesChange(env, f, "pause", "Pause", "paused"), instancesChange(env, f, "resume", "Resume", "resumed"),
		instancesTerminateAll(env, f)}
}

// flowAPI is the REST API of the session's workflows.
type flowAPI struct {
	ctx context.Context
	c   *control.Client
	end func() // nil for nothing
}

// inFlows makes the body of a verb that asks the session for its workflows.
func (f *stateFlags) inFlows(env OS, run func(a flowAPI, args []string, out output) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		a, err := f.flows(cmd.Context(), env)
		if err == nil {
			err = run(a, args, output{env.Stdout, f.json})
		}
		a.close()
		var said *exitError
		if err != nil && !errors.As(err, &said) {
			return &exitError{exitFailure, err}
		}
		return err
	}
}

// flows finds the session that runs the workflows.
func (f *stateFlags) flows(ctx context.Context, env OS) (flowAPI, error) {
	if f.cluster != "" {
		return f.flowsAway(ctx, env)
	}
	p, err := f.find(ctx, env)
	if err != nil {
		return flowAPI{}, err
	}
	if p.url == "" {
		c, _, err := control.Find(ctx, string(p.state))
		if errors.Is(err, running.ErrNotRunning) {
			return flowAPI{}, fmt.Errorf("no session runs on %s, and workflows are those of a session\n"+
				"  start one: eddy dev; instances go on by themselves then", p.state)
		}
		return flowAPI{ctx: ctx, c: c}, err
	}
	c, err := f.dial(env, p.url)
	return flowAPI{ctx: ctx, c: c}, err
}

// workflow and its like are what the API answers with.
type workflow struct {
	Name      string         `json:"name"`
	Script    string         `json:"script_name"`
	Class     string         `json:"class_name"`
	Triggered *time.Time     `json:"triggered_on"`
	Instances map[string]int `json:"instances"`
}

type workflowInstance struct {
	ID      string     `json:"id"`
	Status  string     `json:"status"`
	Created time.Time  `json:"created_on"`
	Ended   *time.Time `json:"ended_on"`
}

func flowPath(name, rest string) string { return "/" + url.PathEscape(name) + rest }

func flowCall[T any](a flowAPI, method, path string, in any) (T, error) {
	return control.Product[T](a.ctx, a.c, method, "/workflows"+path, in)
}

// named gives an instance's id, which may be written "latest".
func (a flowAPI) named(name, id string) (string, error) {
	if id != "" && id != "latest" {
		return id, nil
	}
	list, err := flowCall[[]workflowInstance](a, "GET", flowPath(name, "/instances?per_page=1"), nil)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there are no instances in workflow %q", name)
	}
	if err != nil {
		return "", err
	}
	return list[0].ID, nil
}

func (a flowAPI) instance(name, id, rest string) string {
	return flowPath(name, "/instances/"+url.PathEscape(id)+rest)
}

// pages are the flags of lists.
func pages(cmd *cobra.Command) func() string {
	page := cmd.Flags().Int("page", 1, "which `page` of the list")
	size := cmd.Flags().Int("per-page", 0, "how many a page has")
	return func() string {
		q := "?page=" + strconv.Itoa(*page)
		if *size > 0 {
			q += "&per_page=" + strconv.Itoa(*size)
		}
		return q
	}
}

func workflowsList(env OS, f *stateFlags) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the workflows of the session", Args: cobra.NoArgs}
	which := pages(cmd)
	cmd.RunE = f.inFlows(env, func(a flowAPI, _ []string, out output) error {
		all, err := flowCall[[]workflow](a, "GET", which(), nil)
		if err != nil {
			return err
		}
		return out.value(all, func() error {
			var rows [][]string
			for _, w := range all {
				rows = append(rows, []string{w.Name, w.Script, w.Class, whenever(w.Triggered)})
			}
			return out.list("There are no Workflows in the session", []string{"NAME", "SCRIPT", "CLASS",
				"TRIGGERED (UTC)"}, rows)
		})
	})
	return cmd
}

func workflowsDescribe(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "describe NAME", Short: "Describe a workflow", Args: cobra.ExactArgs(1),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			w, err := flowCall[workflow](a, "GET", flowPath(args[0], ""), nil)
			if err != nil {
				return err
			}
			return out.value(w, func() error {
				facts := []any{"Name", w.Name, "Script", w.Script, "Class", w.Class}
				words := make([]string, 0, len(w.Instances))
				for word := range w.Instances {
					words = append(words, word)
				}
				slices.Sort(words)
				for _, word := range words {
					if n := w.Instances[word]; n > 0 {
						facts = append(facts, word, n)
					}
				}
				return out.facts(facts...)
			})
		}),
	}
}

func workflowsTrigger(env OS, f *stateFlags) *cobra.Command {
	var id, params string
	cmd := &cobra.Command{
		Use: "trigger NAME [PARAMS]", Short: "Make an instance of a workflow; PARAMS is JSON",
		Args: cobra.RangeArgs(1, 2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			in := map[string]any{}
			if len(args) > 1 {
				params = args[1]
			}
			if params != "" {
				if !json.Valid([]byte(params)) {
					return usage("PARAMS %q: expected JSON, such as '{\"n\": 1}'", params)
				}
				in["params"] = json.RawMessage(params)
			}
			if id != "" {
				in["instance_id"] = id
			}
			made, err := flowCall[workflowInstance](a, "POST", flowPath(args[0], "/instances"), in)
			if err != nil {
				return err
			}
			return out.done(made, "Workflow instance \"%s\" has been triggered successfully", made.ID)
		}),
	}
	cmd.Flags().StringVar(&id, "id", "", "`id` of the instance (default a random one)")
	cmd.Flags().StringVar(&params, "params", "", "as PARAMS")
	return cmd
}

func workflowsDelete(env OS, f *stateFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete all instances of a workflow", Args: cobra.ExactArgs(1),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			err := confirm(env, force, "delete all instances of a workflow", "all instances of "+args[0], args[0])
			if err != nil {
				return err
			}
			gone, err := flowCall[map[string]any](a, "DELETE", flowPath(args[0], ""), nil)
			if err != nil {
				return err
			}
			return out.done(gone, "Deleted all instances of %s; the workflow is the configuration's", args[0])
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "do not ask")
	return cmd
}

func instancesList(env OS, f *stateFlags) *cobra.Command {
	var status, from, until string
	var reverse bool
	cmd := &cobra.Command{Use: "list NAME", Short: "List instances, the newest first", Args: cobra.ExactArgs(1)}
	which := pages(cmd)
	cmd.RunE = f.inFlows(env, func(a flowAPI, args []string, out output) error {
		q := which()
		if status != "" {
			q += "&status=" + url.QueryEscape(status)
		}
		for _, bound := range []struct{ flag, key, text, rest string }{
			{"date-start", "date_start", from, "T00:00:00Z"}, {"date-end", "date_end", until, "T23:59:59.999Z"},
		} {
			text := bound.text
			if text == "" {
				continue
			}
			if !strings.Contains(text, "T") {
				text += bound.rest
			}
			if _, err := time.Parse(time.RFC3339, text); err != nil {
				return usage("--%s %q: expected a date or a time, such as 2026-01-01 or 2026-01-01T13:00:00Z",
					bound.flag, bound.text)
			}
			q += "&" + bound.key + "=" + url.QueryEscape(text)
		}
		list, err := flowCall[[]workflowInstance](a, "GET", flowPath(args[0], "/instances"+q), nil)
		if err != nil {
			return err
		}
		if reverse {
			slices.Reverse(list)
		}
		return out.value(list, func() error {
			var rows [][]string
			for _, i := range list {
				rows = append(rows, []string{i.ID, i.Status, when(i.Created), whenever(i.Ended)})
			}
			return out.list("There are no such instances in workflow "+args[0],
				[]string{"INSTANCE", "STATUS", "CREATED (UTC)", "ENDED (UTC)"}, rows)
		})
	})
	cmd.Flags().StringVar(&status, "status", "", "only instances in this `status`")
	cmd.Flags().BoolVar(&reverse, "reverse", false, "the oldest of the page first")
	cmd.Flags().StringVar(&from, "date-start", "", "only instances made at or after this `date`")
	cmd.Flags().StringVar(&until, "date-end", "", "only instances made at or before this `date`")
	return cmd
}

// instancesChange is a verb that changes the status of an instance.
func instancesChange(env OS, f *stateFlags, verb, what, done string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " NAME ID", Short: what + " an instance; ID may be latest", Args: cobra.ExactArgs(2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			return a.change(args, map[string]any{"status": verb}, done, out)
		}),
	}
}

func (a flowAPI) change(args []string, in map[string]any, done string, out output) error {
	id, err := a.named(args[0], args[1])
	if err != nil {
		return err
	}
	now, err := flowCall[struct {
		Status    string    `json:"status"`
		Timestamp time.Time `json:"timestamp"`
	}](a, "PATCH", a.instance(args[0], id, "/status"), in)
	if err != nil {
		return err
	}
	return out.done(now, "The instance \"%s\" from %s was %s successfully", id, args[0], done)
}

func instancesTerminate(env OS, f *stateFlags) *cobra.Command {
	var rollback bool
	cmd := &cobra.Command{
		Use: "terminate NAME ID", Short: "Terminate an instance; ID may be latest", Args: cobra.ExactArgs(2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			return a.change(args, map[string]any{"status": "terminate", "rollback": rollback}, "terminated", out)
		}),
	}
	cmd.Flags().BoolVar(&rollback, "rollback", false, "roll back the steps that have begun first")
	return cmd
}

func instancesRestart(env OS, f *stateFlags) *cobra.Command {
	var name, kind string
	var count int
	cmd := &cobra.Command{
		Use: "restart NAME ID", Short: "Begin an instance anew; ID may be latest", Args: cobra.ExactArgs(2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			in := map[string]any{"status": "restart"}
			switch {
			case name != "":
				if !slices.Contains(stepTypes, kind) {
					return usage("--from-step-type %q: expected %s", kind, strings.Join(stepTypes, ", "))
				}
				in["from"] = map[string]any{"name": name, "count": count, "type": kind}
			case count != 1 || kind != "do":
				return usage("--from-step-count and --from-step-type need --from-step-name")
			}
			return a.change(args, in, "restarted", out)
		}),
	}
	cmd.Flags().StringVar(&name, "from-step-name", "", "`name` of the step to restart from; what began before stays")
	cmd.Flags().IntVar(&count, "from-step-count", 1, "which of the steps of that name, from 1")
	cmd.Flags().StringVar(&kind, "from-step-type", "do", "do, sleep or waitForEvent")
	return cmd
}

var stepTypes = []string{"do", "sleep", "waitForEvent"}

func instancesSendEvent(env OS, f *stateFlags) *cobra.Command {
	var typ, payload string
	cmd := &cobra.Command{
		Use: "send-event NAME ID", Short: "Send an event to an instance; ID may be latest", Args: cobra.ExactArgs(2),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			if typ == "" {
				return usage("--type is missing: the type that the instance waits for")
			}
			if !json.Valid([]byte(payload)) {
				return usage("--payload %q: expected JSON", payload)
			}
			id, err := a.named(args[0], args[1])
			if err != nil {
				return err
			}
			sent, err := flowCall[map[string]any](a, "POST", a.instance(args[0], id, "/events/"+url.PathEscape(typ)),
				json.RawMessage(payload))
			if err != nil {
				return err
			}
			return out.done(sent, "The event with type \"%s\" was sent to the instance \"%s\" from %s", typ, id,
				args[0])
		}),
	}
	cmd.Flags().StringVar(&typ, "type", "", "`type` of the event")
	cmd.Flags().StringVar(&payload, "payload", "{}", "`JSON` that the event brings")
	return cmd
}

func instancesDelete(env OS, f *stateFlags) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "delete NAME [ID...]", Short: "Delete instances; an ID may be latest", Args: cobra.MinimumNArgs(1),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			ids := args[1:]
			if file != "" {
				if !path.IsAbs(file) {
					dir, err := env.Getwd()
					if err != nil {
						return err
					}
					file = path.Join(dir, file)
				}
				b, err := os.ReadFile(file)
				if err != nil {
					return usage("--filename: %w", err)
				}
				var more []string
				if err := json.Unmarshal(b, &more); err != nil {
					// wrangler's text
					return usage("Unexpected JSON input from %q. Expected an array of strings.", file)
				}
				ids = append(ids, more...)
			}
			if len(ids) == 0 {
				return usage("Provide at least one workflow instance ID")
			}
			for i, id := range ids {
				var err error
				if ids[i], err = a.named(args[0], id); err != nil {
					return err
				}
			}
			type entry struct {
				ID      string `json:"id"`
				Message string `json:"message,omitempty"`
			}
			res, err := flowCall[struct {
				Deleted []entry `json:"deleted"`
				Errors  []entry `json:"errors"`
			}](a, "POST", flowPath(args[0], "/instances/batch/delete"), map[string]any{"instances": ids})
			if err != nil {
				return err
			}
			if err := out.done(res, "Deleted %s of %s", count(len(res.Deleted), "instance"), args[0]); err != nil {
				return err
			}
			if len(res.Errors) == 0 {
				return nil
			}
			text := fmt.Sprintf("%s could not be deleted", count(len(res.Errors), "instance"))
			for _, e := range res.Errors {
				text += "\n  " + e.ID + ": " + e.Message
			}
			return errors.New(text)
		}),
	}
	cmd.Flags().StringVar(&file, "filename", "", "`file` with an array of ids in JSON")
	return cmd
}

func instancesTerminateAll(env OS, f *stateFlags) *cobra.Command {
	var status string
	cmd := &cobra.Command{
		Use: "terminate-all NAME", Short: "Terminate all instances that have not ended", Args: cobra.ExactArgs(1),
		RunE: f.inFlows(env, func(a flowAPI, args []string, out output) error {
			q := ""
			if status != "" {
				q = "?status=" + url.QueryEscape(status)
			}
			done, err := flowCall[map[string]any](a, "PUT", flowPath(args[0], "/instances/terminate"+q), nil)
			if err != nil {
				return err
			}
			return out.done(done, "Terminated the instances of %s", args[0])
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only those in this `status`")
	return cmd
}

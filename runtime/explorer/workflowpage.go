package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"eddy/workflows"
)

// WorkflowList is the model of the workflows.
type WorkflowList struct {
	Workflows []WorkflowRow `json:"workflows"`
}

// WorkflowRow is a workflow with how many instances are in which state.
type WorkflowRow struct {
	Name   string         `json:"name"`
	Worker string         `json:"worker"`
	Class  string         `json:"class"`
	Counts map[string]int `json:"counts"`
}

// WorkflowPage is the model of a workflow.
type WorkflowPage struct {
	WorkflowRow
	// Status is what was asked for.
	Status    string        `json:"status,omitempty"`
	Total     int           `json:"total"`
	Instances []InstanceRow `json:"instances"`
}

// InstanceRow is an instance in a list.
type InstanceRow struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
}

// InstancePage is the model of an instance.
type InstancePage struct {
	InstanceRow
	Workflow string         `json:"workflow"`
	Params   string         `json:"params"`
	Output   string         `json:"output,omitempty"`
	Error    string         `json:"error,omitempty"`
	History  []InstanceStep `json:"history"`
}

// InstanceStep is an event in an instance's life.
type InstanceStep struct {
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Step string    `json:"step,omitempty"`
	Data string    `json:"data,omitempty"`
}

func (x *Server) workflowPages() []page {
	return []page{
		of("workflows", "workflows", "The workflows of the session.", x.workflows),
		of("workflows/{workflow}", "workflow", "A workflow: its instances, newest first.", x.workflow,
			field{"status", "of the instances"}),
		of("workflows/{workflow}/{instance}", "instance", "An instance: what it was given, its steps, its result.",
			x.instance),
	}
}

// answer waits for what a workflow answers.
func answer[T any](ctx context.Context, ask func(done func(T, error))) (v T, err error) {
	ch := make(chan struct{})
	var got T
	var failed error
	ask(func(v T, err error) { got, failed = v, err; close(ch) })
	select {
	case <-ch:
		return got, failed
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

func (x *Server) workflows(r *http.Request) (*WorkflowList, error) {
	l := &WorkflowList{Workflows: []WorkflowRow{}}
	for _, e := range x.o.Workflows() {
		p, err := answer(r.Context(), func(done func(workflows.Page,
			error)) {
			e.Workflow.List(workflows.Filter{Limit: 1}, done)
		})
		if err != nil {
			return nil, err
		}
		l.Workflows = append(l.Workflows, workflowRow(e.Name, e.Script, e.Class, p))
	}
	return l, nil
}

func workflowRow(name, script, class string, p workflows.Page) WorkflowRow {
	row := WorkflowRow{Name: name, Worker: script, Class: class, Counts: map[string]int{}}
	for s, n := range p.ByStatus {
		row.Counts[s.String()] = n
	}
	return row
}

// find returns a workflow of the session.
func (x *Server) find(name string) (workflows.Commands, WorkflowRow, error) {
	for _, e := range x.o.Workflows() {
		if e.Name == name {
			return e.Workflow, WorkflowRow{Name: e.Name, Worker: e.Script, Class: e.Class}, nil
		}
	}
	return nil, WorkflowRow{}, missing("no Worker of the session has a workflow %q", name)
}

func (x *Server) workflow(r *http.Request) (*WorkflowPage, error) {
	w, row, err := x.find(r.PathValue("workflow"))
	if err != nil {
		return nil, err
	}
	f := workflows.Filter{Limit: pageOfStored}
	if want := r.URL.Query().Get("status"); want != "" {
		for s := workflows.Status(0); s.String() != "unknown"; s++ {
			if s.String() == want {
				f.Status = &s
				break
			}
		}
	}
	p, err := answer(r.Context(), func(done func(workflows.Page, error)) { w.List(f, done) })
	if err != nil {
		return nil, err
	}
	out := &WorkflowPage{WorkflowRow: workflowRow(row.Name, row.Worker, row.Class, p), Total: p.Total,
		Status: r.URL.Query().Get("status"), Instances: []InstanceRow{}}
	for _, in := range p.List {
		out.Instances = append(out.Instances, instanceRow(in))
	}
	return out, nil
}

func instanceRow(in *workflows.Info) InstanceRow {
	return InstanceRow{in.ID, in.Status.String(), time.UnixMilli(in.Created).UTC(), time.UnixMilli(in.Modified).UTC()}
}

func (x *Server) instance(r *http.Request) (*InstancePage, error) {
	w, row, err := x.find(r.PathValue("workflow"))
	if err != nil {
		return nil, err
	}
	in, err := answer(r.Context(), func(done func(*workflows.Info, error)) {
		w.Status(r.PathValue("instance"), true,
			done)
	})
	if errors.Is(err, workflows.ErrNotFound) {
		return nil, missing("workflow %s has no instance %q", row.Name, r.PathValue("instance"))
	}
	if err != nil {
		return nil, err
	}
	p := &InstancePage{InstanceRow: instanceRow(in), Workflow: row.Name, Params: in.Params, Output: in.Output,
		History: []InstanceStep{}}
	if in.Failure != nil {
		p.Error = in.Failure.Error()
	}
	for _, e := range in.History {
		p.History = append(p.History, InstanceStep{time.UnixMilli(e.Time).UTC(), e.Type.String(), e.Step, e.Data})
	}
	return p, nil
}

func instancePath(workflow, id string) string {
	return Base + "workflows/" + url.PathEscape(workflow) + "/" + url.PathEscape(id)
}

func (x *Server) workflowActs() []act {
	acts := []act{{path: "workflows/{workflow}/trigger", about: "Creates an instance.", fields: []field{{"id",
		"of its own"},
		{"params", "JSON"}}, do: x.trigger},
		{path: "workflows/{workflow}/{instance}/send-event", about: "Sends an event to an instance.", fields: []field{
			{"type", "of the event"}, {"payload", "JSON"}}, do: x.sendEvent}}
	for _, one := range []struct {
		name, about, done string
		do                func(w workflows.Commands, id string, done func(struct{}, error))
	}{
		{"pause", "Pauses an instance.", "paused", workflows.Commands.Pause},
		{"resume", "Lets an instance go on.", "resumed", workflows.Commands.Resume},
		{"terminate", "Ends an instance.", "terminated", func(w workflows.Commands, id string, done func(struct{},
			error)) {
			w.Terminate(id, false, done)
		}},
		{"restart", "Begins an instance anew.", "restarted", func(w workflows.Commands, id string, done func(struct{},
			error)) {
			w.Restart(id, nil, done)
		}},
	} {
		acts = append(acts, act{path: "workflows/{workflow}/{instance}/" + one.name, about: one.about,
			do: func(in input) (string, string, error) {
				w, _, err := x.find(in.path("workflow"))
				if err != nil {
					return "", "", err
				}
				_, err = answer(in.ctx, func(done func(struct{}, error)) { one.do(w, in.path("instance"), done) })
				if err != nil {
					return "", "", refused("%v", err)
				}
				return one.done + " " + in.path("instance"), "", nil
			}})
	}
	return acts
}

// jsonOf checks a payload that a form brings; "" is null.
func jsonOf(text string) (json.RawMessage, error) {
	if text = strings.TrimSpace(text); text == "" {
		return json.RawMessage("null"), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, refused("%s is not JSON", short(text, 60))
	}
	return json.RawMessage(text), nil
}

func (x *Server) trigger(in input) (string, string, error) {
	w, row, err := x.find(in.path("workflow"))
	if err != nil {
		return "", "", err
	}
	params, err := jsonOf(in.get("params"))
	if err != nil {
		return "", "", err
	}
	id := in.get("id")
	if id == "" {
		id = uuid.NewString()
	}
	errs, err := answer(in.ctx, func(done func([]error, error)) {
		w.Create([]workflows.New{{ID: id, Payload: params, Shown: string(params)}}, done)
	})
	if err = errors.Join(append(slices.Clone(errs), err)...); err != nil {
		return "", "", refused("%v", err)
	}
	return "created " + id, instancePath(row.Name, id), nil
}

func (x *Server) sendEvent(in input) (string, string, error) {
	w, _, err := x.find(in.path("workflow"))
	if err != nil {
		return "", "", err
	}
	payload, err := jsonOf(in.get("payload"))
	if err != nil {
		return "", "", err
	}
	_, err = answer(in.ctx, func(done func(struct{}, error)) {
		w.SendEvent(in.path("instance"), workflows.Sent{Type: in.get("type"), Payload: payload, Shown: string(payload)},
			done)
	})
	if err != nil {
		return "", "", refused("%v", err)
	}
	return "sent " + in.get("type"), "", nil
}

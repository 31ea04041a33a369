package workflowapi

import (
	"encoding/json"
	"net/http"

	"eddy/workflows"
)

// attempt is one attempt of a step.
type attempt struct {
	Start   string          `json:"start"`
	End     *string         `json:"end"`
	Success *bool           `json:"success"`
	Error   json.RawMessage `json:"error"`
}

// step is a step in the form of the API (FLOW-203). Its members depend on its type.
type step map[string]any

// instance answers GET of one instance (FLOW-202).
func instance(r *http.Request, e Listed) (any, any, error) {
	id := r.PathValue("id")
	info, err := workflows.Call(e.Workflow, func(done func(*workflows.Info, error)) {
		e.Workflow.Status(id, true,
			done)
	})
	if err != nil {
		return nil, nil, found(id, err)
	}
	var success *bool
	if info.Status.Final() {
		ok := info.Status == workflows.Complete
		success = &ok
	}
	all := steps(info.History)
	count := 0
	for _, s := range all {
		if s["type"] == "step" {
			count++
		}
	}
	return map[string]any{"id": info.ID, "status": info.Status.String(), "params": raw(info.Params),
			"trigger": map[string]string{"source": info.Trigger.String()}, "versionId": "local",
			"queued": stamp(info.Created), "start": moment(info.Started), "end": moment(info.Ended), "steps": all,
			"success": success, "error": info.Failure, "output": raw(info.Output), "step_count": count,
			"rollback": rollback(info.History)},
		nil, nil
}

// rollback tells how the rollback of an instance ended. It is nil if there was none, or while it runs.
func rollback(history []workflows.InstanceEvent) (r any) {
	var last json.RawMessage
	for _, e := range history {
		switch e.Type {
		case workflows.RollbackStepFailure:
			var m struct{ Error json.RawMessage }
			_ = json.Unmarshal([]byte(e.Data), &m) // package workflows wrote it, so it is valid
			last = m.Error
		case workflows.RollbackComplete:
			r = map[string]any{"outcome": "complete", "error": nil}
		case workflows.RollbackFailed:
			r = map[string]any{"outcome": "failed", "error": raw(string(last))}
		}
	}
	return r
}

func raw(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}

// steps derives the steps of an instance from its history.
func steps(history []workflows.InstanceEvent) []step {
	list := []step{}
	byKey := map[string]step{}
	for _, e := range history {
		var m struct {
			Config, Result, Error, Payload json.RawMessage
			DurationMs                     int64 `json:"durationMs"`
		}
		if e.Data != "" {
			_ = json.Unmarshal([]byte(e.Data), &m) // package workflows wrote it, so it is valid
		}
		at := stamp(e.Time)
		begin := func(kind string, s step) {
			s["name"], s["start"] = e.Step, at
			byKey[kind+e.Step] = s
			list = append(list, s)
		}
		set := func(kind string, members step) {
			if s := byKey[kind+e.Step]; s != nil {
				for k, v := range members {
					s[k] = v
				}
			}
		}
		last := func(success bool) {
			if a, _ := byKey["do"+e.Step]["attempts"].([]*attempt); len(a) > 0 {
				x := a[len(a)-1]
				x.End, x.Success, x.Error = &at, &success, raw(string(m.Error))
			}
		}
		switch e.Type {
		case workflows.StepStart:
			begin("do", step{"type": "step", "end": nil, "success": nil, "output": nil, "config": m.Config,
				"attempts": []*attempt{}})
		case workflows.AttemptStart:
			if s := byKey["do"+e.Step]; s != nil {
				s["attempts"] = append(s["attempts"].([]*attempt), &attempt{Start: at, Error: raw("")})
			}
		case workflows.AttemptSuccess:
			last(true)
		case workflows.AttemptFailure:
			last(false)
		case workflows.StepSuccess:
			set("do", step{"end": at, "success": true, "output": raw(string(m.Result))})
		case workflows.StepFailure:
			set("do", step{"end": at, "success": false})
		case workflows.SleepStart:
			begin("sleep", step{"type": "sleep", "end": stamp(e.Time + m.DurationMs), "finished": false, "error": nil})
		case workflows.SleepComplete:
			set("sleep", step{"end": at, "finished": true})
		case workflows.WaitStart:
			begin("wait", step{"type": "waitForEvent", "end": nil, "finished": false, "output": nil, "error": nil})
		case workflows.WaitComplete:
			set("wait", step{"end": at, "finished": true, "output": raw(string(m.Payload))})
		case workflows.WaitTimedOut:
			set("wait", step{"end": at, "finished": true, "error": m.Error})
		case workflows.WorkflowTerminated:
			list = append(list, step{"type": "termination", "trigger": map[string]string{"source": "api"}})
		}
	}
	return list
}

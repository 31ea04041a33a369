package workflowjs

import (
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/worker"
	"eddy/workflows"
)

// Binding is a workflow in env (FLOW-110 to FLOW-120).
type Binding struct {
	// Key is the name in env. Workflow is the name of the workflow, and Script that of the Worker that has its class,
	// "" for the binding's own.
	Key, Workflow, Script string
	// Find returns the workflow, nil if no Worker that runs defines it.
	Find func() workflows.Commands
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// client is a binding in one isolate. The isolate's loop owns it.
type client struct {
	Binding
	iso *worker.Isolate
}

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	s, err := scriptOf(iso)
	if err != nil {
		return nil, err
	}
	c := &client{b, iso}
	native := iso.Runtime().NewObject()
	_ = native.Set("workflow", b.Workflow)
	_ = native.Set("key", b.Key)
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"create": c.create, "exists": c.exists, "status": c.status, "change": c.change, "send": c.send,
		"events": c.events, "crossed": crossed(iso),
	} {
		_ = native.Set(name, iso.Realm.Function(name, f))
	}
	v, err := s.bind(goja.Undefined(), native)
	if o, ok := v.(*goja.Object); ok {
		iso.Realm.SetState(o, structured.Refused("A Workflow binding cannot be serialized."))
	}
	return v, err
}

// ask sends a command when the output gate opens, and returns a promise of the answer.
func ask[T any](
	c *client, start func(w workflows.Commands, done func(T, error)), result func(T) goja.Value,
) goja.Value {
	p, settle := c.iso.Host.Scope().Deferred()
	return answered(c, p, settle, start, result)
}

// await is ask for a command that may be answered much later: it does not hold the clock.
func await[T any](
	c *client, start func(w workflows.Commands, done func(T, error)), result func(T) goja.Value,
) goja.Value {
	p, settle := c.iso.Host.Scope().Awaited()
	return answered(c, p, settle, start, result)
}

func answered[T any](c *client, p goja.Value, settle func(func() (value, failure goja.Value)),
	start func(w workflows.Commands, done func(T, error)), result func(T) goja.Value) goja.Value {
	scope := c.iso.Host.Scope()
	fail := func(err error) {
		settle(func() (goja.Value, goja.Value) { return nil, c.failure(err) })
	}
	scope.Output(func(err error) {
		if err != nil {
			fail(err)
			return
		}
		w := c.Find()
		if w == nil {
			fail(&workflows.Failure{Name: "Error", Message: c.missing()})
			return
		}
		start(w, func(v T, err error) {
			if err != nil {
				fail(err)
				return
			}
			settle(func() (goja.Value, goja.Value) { return result(v), nil })
		})
	})
	return p
}

func (c *client) missing() string {
	if c.Script == "" {
		return fmt.Sprintf("No Worker of this session defines the workflow %q.", c.Workflow)
	}
	return fmt.Sprintf("The workflow %q is the Worker %q's, which does not run: start it in this session, or in "+
		"another one on the same state directory.", c.Workflow, c.Script)
}

func (c *client) failure(err error) goja.Value {
	f, ok := err.(*workflows.Failure)
	if !ok {
		e := c.iso.Realm.NewError("Error", err.Error())
		if errors.Is(err, workflows.ErrDisconnected) {
			_ = e.Set("remote", true)
			_ = e.Set("retryable", true)
		}
		return e
	}
	text := f.Message
	if f.Name != "Error" {
		text = f.Error() // no class has that name, so the message gets it (FLOW-18)
	}
	e := c.iso.Realm.NewError("Error", text)
	_ = e.Set("remote", true)
	return e
}

func nothing(struct{}) goja.Value { return goja.Undefined() }

// create creates instances from [{id, params, shown, success, error}], and answers with a failure or null for each.
func (c *client) create(fc goja.FunctionCall) goja.Value {
	rt := c.iso.Runtime()
	var list []workflows.New
	rt.ForOf(fc.Argument(0), func(item goja.Value) bool {
		o := item.ToObject(rt)
		list = append(list, workflows.New{ID: o.Get("id").String(), Trigger: workflows.ByBinding,
			Payload: encode(c.iso, o.Get("params")), Shown: utf8(o.Get("shown").String()),
			Retention: workflows.Retention{Success: duration(o.Get("success")), Error: duration(o.Get("error"))}})
		return true
	})
	return ask(c, func(w workflows.Commands, done func([]error, error)) { w.Create(list, done) },
		func(errs []error) goja.Value {
			values := make([]any, len(errs))
			for i, err := range errs {
				if f, ok := err.(*workflows.Failure); ok {
					values[i] = failureObject(c.iso, f)
				}
			}
			return rt.NewArray(values...)
		})
}

func duration(v goja.Value) time.Duration { return milliseconds(v) }

func (c *client) exists(fc goja.FunctionCall) goja.Value {
	id := fc.Argument(0).String()
	return ask(c, func(w workflows.Commands, done func(struct{}, error)) { w.Exists(id, done) }, nothing)
}

func (c *client) status(fc goja.FunctionCall) goja.Value {
	id := fc.Argument(0).String()
	return ask(c, func(w workflows.Commands, done func(*workflows.Info, error)) { w.Status(id, false, done) },
		func(info *workflows.Info) goja.Value {
			rt := c.iso.Runtime()
			o := rt.NewObject()
			_ = o.Set("status", info.Status.String())
			_ = o.Set("output", info.Output)
			results := make([]any, len(info.Results))
			for i, r := range info.Results {
				results[i] = r
			}
			_ = o.Set("results", rt.NewArray(results...))
			if info.Failure != nil {
				_ = o.Set("failure", failureObject(c.iso, info.Failure))
			}
			return o
		})
}

// change executes a method of WorkflowInstance, which its argument names.
func (c *client) change(fc goja.FunctionCall) goja.Value {
	what, id, how := fc.Argument(0).String(), fc.Argument(1).String(), fc.Argument(2)
	return await(c, func(w workflows.Commands, done func(struct{}, error)) {
		switch what {
		case "pause":
			w.Pause(id, done)
		case "resume":
			w.Resume(id, done)
		case "terminate":
			w.Terminate(id, how.ToBoolean(), done)
		case "restart":
			var from *workflows.StepID
			if o, ok := how.(*goja.Object); ok {
				step := stepID(c.iso, o)
				from = &step
			}
			w.Restart(id, from, done)
		case "delete":
			w.Delete(id, done)
		}
	}, nothing)
}

// events answers with the events of an instance after one, as [{type, data, step, ...}]. It waits until there are some.
func (c *client) events(fc goja.FunctionCall) goja.Value {
	id, after := fc.Argument(0).String(), fc.Argument(1).ToInteger()
	return await(c,
		func(w workflows.Commands, done func([]workflows.Happened, error)) { w.Subscribe(id, after, done) },
		func(list []workflows.Happened) goja.Value {
			rt := c.iso.Runtime()
			values := make([]any, len(list))
			for i, e := range list {
				o := rt.NewObject()
				_ = o.Set("eventId", e.ID)
				_ = o.Set("timestamp", e.Time)
				_ = o.Set("type", e.Type.String())
				_ = o.Set("step", e.Step)
				_ = o.Set("data", e.Data)
				if e.Value != nil {
					_ = o.Set("value", decode(c.iso, e.Value))
				}
				values[i] = o
			}
			return rt.NewArray(values...)
		})
}

func (c *client) send(fc goja.FunctionCall) goja.Value {
	id := fc.Argument(0).String()
	e := workflows.Sent{Type: utf8(fc.Argument(1).String()), Payload: encode(c.iso, fc.Argument(2)),
		Shown: utf8(fc.Argument(3).String())}
	return ask(c, func(w workflows.Commands, done func(struct{}, error)) { w.SendEvent(id, e, done) }, nothing)
}

package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Commands are what a binding asks of a workflow. A [Workflow] does it, a [Distant] lets another session do it. Each
// method returns at once and calls done later, on any goroutine.
type Commands interface {
	// Await says that somebody waits for an answer, until the function is called.
	Await() (answered func())
	Create(list []New, done func([]error, error))
	Exists(id string, done func(struct{}, error))
	Status(id string, history bool, done func(*Info, error))
	Pause(id string, done func(struct{}, error))
	Resume(id string, done func(struct{}, error))
	Restart(id string, from *StepID, done func(struct{}, error))
	Terminate(id string, rollback bool, done func(struct{}, error))
	Delete(id string, done func(struct{}, error))
	Subscribe(id string, after int64, done func([]Happened, error))
	SendEvent(id string, e Sent, done func(struct{}, error))
	List(f Filter, done func(Page, error))
	Wakes(limit int, done func([]Wake, error))
}

// Distant is a workflow that another session has, or whichever node of a cluster. Send brings a command there; it does
// not wait.
type Distant struct{ Send func(Command) }

// Command is a command on its way to where its workflow is.
type Command struct {
	Text []byte
	// Reads says that it changes nothing, and may be sent again. Waits says that its answer may come much later.
	Reads, Waits bool
	// Answer is called once with what [Workflow.Serve] answered, or with the failure of the way.
	Answer func([]byte, error)
}

// Await implements [Commands].
func (d *Distant) Await() (answered func()) { return func() {} }

// ErrDisconnected is the error of a command that was lost with the node of a cluster that had the workflow: it may have
// been executed. The text is the platform's for a connection that broke.
var ErrDisconnected = errors.New("Network connection lost.") //nolint:staticcheck // the platform's punctuation

// asked is a command on its way to another session, as JSON.
type asked struct {
	What, ID string
	New      []New   `json:",omitempty"`
	From     *StepID `json:",omitempty"`
	Flag     bool    `json:",omitempty"` // history of status, rollback of terminate
	After    int64   `json:",omitempty"`
	Event    *Sent   `json:",omitempty"`
	Filter   *Filter `json:",omitempty"`
	Limit    int     `json:",omitempty"`
	// Several are commands, each as JSON, in the place of one.
	Several []json.RawMessage `json:",omitempty"`
}

// reads tells whether a command changes nothing.
func (a asked) reads() bool {
	return slices.Contains([]string{"exists", "status", "subscribe", "list", "wakes"}, a.What)
}

// told is the answer.
type told struct {
	Failure  *Failure          `json:",omitempty"`
	Failures []*Failure        `json:",omitempty"` // of create: one for each instance, null where it succeeded
	Info     *Info             `json:",omitempty"`
	Happened []Happened        `json:",omitempty"`
	Page     *Page             `json:",omitempty"`
	Wakes    []Wake            `json:",omitempty"`
	Several  []json.RawMessage `json:",omitempty"`
}

func (d *Distant) ask(a asked, done func(told, error)) {
	command, err := json.Marshal(a)
	if err != nil {
		done(told{}, err)
		return
	}
	waits := a.What == "subscribe" || a.What == "terminate" && a.Flag
	d.Send(Command{Text: command, Reads: a.reads(), Waits: waits, Answer: func(text []byte, err error) {
		var t told
		if err == nil {
			err = json.Unmarshal(text, &t)
		}
		if err == nil && t.Failure != nil {
			err = t.Failure
		}
		done(t, err)
	}})
}

func (d *Distant) do(a asked, done func(struct{}, error)) {
	d.ask(a, func(_ told, err error) { done(struct{}{}, err) })
}

// Create implements [Commands].
func (d *Distant) Create(list []New, done func([]error, error)) {
	d.ask(asked{What: "create", New: list}, func(t told, err error) {
		if err == nil && len(t.Failures) != len(list) {
			err = fmt.Errorf("%d instances were to be made, and the other session answered for %d", len(list),
				len(t.Failures))
		}
		if err != nil {
			done(nil, err)
			return
		}
		errs := make([]error, len(list))
		for i, f := range t.Failures {
			if f != nil {
				errs[i] = f
			}
		}
		done(errs, nil)
	})
}

// Exists implements [Commands].
func (d *Distant) Exists(id string, done func(struct{}, error)) {
	d.do(asked{What: "exists", ID: id}, done)
}

// Status implements [Commands].
func (d *Distant) Status(id string, history bool, done func(*Info, error)) {
	d.ask(asked{What: "status", ID: id, Flag: history}, func(t told, err error) { done(t.Info, err) })
}

// Pause implements [Commands].
func (d *Distant) Pause(id string, done func(struct{}, error)) {
	d.do(asked{What: "pause", ID: id}, done)
}

// Resume implements [Commands].
func (d *Distant) Resume(id string, done func(struct{}, error)) {
	d.do(asked{What: "resume", ID: id}, done)
}

// Restart implements [Commands].
func (d *Distant) Restart(id string, from *StepID, done func(struct{}, error)) {
	d.do(asked{What: "restart", ID: id, From: from}, done)
}

// Terminate implements [Commands].
func (d *Distant) Terminate(id string, rollback bool, done func(struct{}, error)) {
	d.do(asked{What: "terminate", ID: id, Flag: rollback}, done)
}

// Delete implements [Commands].
func (d *Distant) Delete(id string, done func(struct{}, error)) {
	d.do(asked{What: "delete", ID: id}, done)
}

// Subscribe implements [Commands].
func (d *Distant) Subscribe(id string, after int64, done func([]Happened, error)) {
	d.ask(asked{What: "subscribe", ID: id, After: after}, func(t told, err error) { done(t.Happened, err) })
}

// SendEvent implements [Commands].
func (d *Distant) SendEvent(id string, e Sent, done func(struct{}, error)) {
	d.do(asked{What: "send", ID: id, Event: &e}, done)
}

// List implements [Commands].
func (d *Distant) List(f Filter, done func(Page, error)) {
	d.ask(asked{What: "list", Filter: &f}, func(t told, err error) {
		if t.Page == nil {
			t.Page = &Page{}
		}
		done(*t.Page, err)
	})
}

// Wakes implements [Commands].
func (d *Distant) Wakes(limit int, done func([]Wake, error)) {
	d.ask(asked{What: "wakes", Limit: limit}, func(t told, err error) { done(t.Wakes, err) })
}

// Refused is the answer to a command that could not be executed.
func Refused(err error) []byte { return told{Failure: failureOf(err)}.text() }

func failureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{"Error", err.Error()}
}

func (t told) text() []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has texts, numbers and bytes
	}
	return text
}

// Serve executes a command that a [Distant] has sent, and calls answer once, on any goroutine. What the command fails
// with is an answer, too; the error is the workflow's own: it is closed, or its file has failed.
func (w *Workflow) Serve(command []byte, answer func([]byte, error)) {
	tell := func(t told, err error) {
		var f *Failure
		switch {
		case err == nil:
			answer(t.text(), nil)
		case errors.As(err, &f):
			answer(Refused(f), nil)
		default:
			answer(nil, err)
		}
	}
	done := func(_ struct{}, err error) { tell(told{}, err) }
	var a asked
	if err := json.Unmarshal(command, &a); err != nil {
		answer(Refused(fmt.Errorf("workflows: a command: %w", err)), nil)
		return
	}
	switch a.What {
	case "create":
		w.Create(a.New, func(errs []error, err error) {
			t := told{Failures: make([]*Failure, len(errs))}
			for i, e := range errs {
				if e != nil {
					t.Failures[i] = failureOf(e)
				}
			}
			tell(t, err)
		})
	case "exists":
		w.Exists(a.ID, done)
	case "status":
		w.Status(a.ID, a.Flag, func(info *Info, err error) { tell(told{Info: info}, err) })
	case "pause":
		w.Pause(a.ID, done)
	case "resume":
		w.Resume(a.ID, done)
	case "restart":
		w.Restart(a.ID, a.From, done)
	case "terminate":
		w.Terminate(a.ID, a.Flag, done)
	case "delete":
		w.Delete(a.ID, done)
	case "subscribe":
		w.Subscribe(a.ID, a.After, func(list []Happened, err error) { tell(told{Happened: list}, err) })
	case "send":
		if a.Event == nil {
			a.Event = &Sent{}
		}
		w.SendEvent(a.ID, *a.Event, done)
	case "several":
		w.serveSeveral(a.Several, answer)
	case "list":
		if a.Filter == nil {
			a.Filter = &Filter{}
		}
		w.List(*a.Filter, func(p Page, err error) { tell(told{Page: &p}, err) })
	case "wakes":
		w.Wakes(a.Limit, func(list []Wake, err error) { tell(told{Wakes: list}, err) })
	default:
		answer(Refused(fmt.Errorf("workflows: an unknown command %q", a.What)), nil)
	}
}

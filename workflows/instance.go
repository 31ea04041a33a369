package workflows

import (
	"time"
)

// New describes an instance that is to be created.
type New struct {
	ID      string
	Trigger Trigger
	// Payload is a structured clone or JSON, nil for none. Shown is the same value as JSON.
	Payload []byte
	Shown   string
	// Retention, where it is not 0, is used in place of the workflow's.
	Retention Retention
	Cron      string
	Scheduled int64
}

// instance is a row of the table instances.
type instance struct {
	seq                      int64
	id                       string
	status                   Status
	trigger                  Trigger
	created, modified        int64
	started, ended, pausedAt int64
	events                   int64
	payload                  []byte
	shown                    string
	output                   string // JSON, "" for none
	failure                  *Failure
	cron                     string
	scheduled                int64
	keepSuccess, keepError   int64
	rollback                 bool
}

const instanceColumns = `seq, id, status, "trigger", created, modified, started, ended, paused, events, payload, ` +
	`shown, ` +
	`output, error_name, error_message, cron, scheduled, keep_success, keep_error, rollback`

func readInstance(r row) *instance {
	in := &instance{seq: r.Int(0), id: r.Text(1), status: Status(r.Int(2)), trigger: Trigger(r.Int(3)),
		created:  r.Int(4),
		modified: r.Int(5), started: r.Int(6), ended: r.Int(7), pausedAt: r.Int(8), events: r.Int(9), shown: r.Text(11),
		output: r.Text(12), cron: r.Text(15), scheduled: r.Int(16), keepSuccess: r.Int(17), keepError: r.Int(18),
		rollback: r.Int(19) != 0}
	if !r.Null(10) {
		in.payload = r.Bytes(10)
	}
	in.failure = readFailure(r, 13)
	return in
}

func readFailure(r row, at int) *Failure {
	if r.Null(at) {
		return nil
	}
	return &Failure{r.Text(at), r.Text(at + 1)}
}

// find returns the instance of an id, nil if there is none. An instance that has a life is found in memory, any other
// in the file.
func (t *turn) find(id string) *instance {
	var in *instance
	t.query("SELECT "+instanceColumns+" FROM instances WHERE id=?", func(r row) { in = readInstance(r) }, id)
	if in != nil {
		if l := t.w.lives[in.seq]; l != nil {
			return l.in
		}
	}
	return in
}

// change is like find, and returns ErrNotFound if there is no such instance.
func (t *turn) change(id string) (*instance, error) {
	if in := t.find(id); in != nil {
		return in, nil
	}
	return nil, ErrNotFound
}

// Create creates instances, all in one turn. done gets one error for each, nil where the instance was created.
func (w *Workflow) Create(list []New, done func([]error, error)) {
	command(w, func(t *turn) ([]error, error) {
		errs := make([]error, len(list))
		for i, n := range list {
			errs[i] = t.create(n)
		}
		return errs, nil
	}, done)
}

func (t *turn) create(n New) error {
	if t.find(n.ID) != nil {
		return ErrExists
	}
	var payload any
	if n.Payload != nil {
		payload = n.Payload
	}
	var cron any
	if n.Cron != "" {
		cron = n.Cron
	}
	t.exec(`INSERT INTO instances(id, status, "trigger", created, modified, wake, payload, shown, cron, scheduled, `+
		`keep_success, keep_error) VALUES(?,?,?,?,?,0,?,?,?,?,?,?)`, n.ID, int64(Queued), int64(n.Trigger), t.now,
		t.now,
		payload, n.Shown, cron, n.Scheduled, n.Retention.Success.Milliseconds(), n.Retention.Error.Milliseconds())
	in := t.find(n.ID)
	t.queued(in)
	return nil
}

func (t *turn) queued(in *instance) {
	t.happened(in, WorkflowQueued, "", meta{"params": shown(in.shown),
		"trigger": map[string]string{"source": in.trigger.String()}})
}

// Exists reports ErrNotFound to done if no instance has the id.
func (w *Workflow) Exists(id string, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		if t.find(id) == nil {
			return struct{}{}, ErrNotFound
		}
		return struct{}{}, nil
	}, done)
}

// finish ends an instance.
func (t *turn) finish(in *instance, status Status, output string, failure *Failure) {
	in.status, in.output, in.failure, in.ended = status, output, failure, t.now
	t.answerRollback(in.seq, nil)
	keep := t.w.o.Retention.Error
	if status == Complete {
		keep = t.w.o.Retention.Success
	}
	if own := in.keepError; status != Complete && own > 0 {
		keep = time.Duration(own) * time.Millisecond
	} else if own := in.keepSuccess; status == Complete && own > 0 {
		keep = time.Duration(own) * time.Millisecond
	}
	var out, name, message any
	if output != "" {
		out = output
	}
	if failure != nil {
		name, message = failure.Name, failure.Message
	}
	t.exec("UPDATE instances SET status=?, output=?, error_name=?, error_message=?, ended=?, modified=?, wake=NULL, "+
		"paused=NULL, expires=? WHERE seq=?", int64(status), out, name, message, t.now, t.now,
		t.now+keep.Milliseconds(), in.seq)
	switch status {
	case Complete:
		t.happened(in, WorkflowSuccess, "", meta{"result": shown(output)})
	case Errored:
		t.happened(in, WorkflowFailure, "", meta{"error": failure})
	case Terminated:
		t.happened(in, WorkflowTerminated, "", meta{"trigger": map[string]string{"source": "api"}})
	}
}

// forget removes all that an instance has stored. The instance itself stays.
func (t *turn) forget(seq int64) {
	t.exec("DELETE FROM chunks WHERE step IN (SELECT step FROM steps WHERE instance=?)", seq)
	t.exec("DELETE FROM steps WHERE instance=?", seq)
	t.exec("DELETE FROM events WHERE instance=?", seq)
	t.exec("DELETE FROM history WHERE instance=?", seq)
}

// forgetFrom removes a step, the steps that began after it, and the events that no step has taken. The history stays,
// because it tells what happened.
func (t *turn) forgetFrom(in *instance, s *step) {
	const later = "FROM steps WHERE instance=? AND ord>=(SELECT ord FROM steps WHERE step=?)"
	t.exec("DELETE FROM chunks WHERE step IN (SELECT step "+later+")", in.seq, s.row)
	t.exec("DELETE "+later, in.seq, s.row)
	t.exec("DELETE FROM events WHERE instance=?", in.seq)
}

// Finish ends an instance whose run has returned or thrown. output is what run returned, as JSON; an empty text stands
// for undefined.
func (l *Life) Finish(output string, failure *Failure, done func(struct{}, error)) {
	l.command(func(t *turn) error {
		t.drop(l)
		if failure != nil {
			t.finish(l.in, Errored, "", failure)
		} else {
			t.finish(l.in, Complete, output, nil)
		}
		return nil
	}, done)
}

// command runs a command of a life in a turn. It answers [ErrOver] if the life has ended.
func (l *Life) command(f func(t *turn) error, done func(struct{}, error)) {
	command(l.w, func(t *turn) (struct{}, error) {
		if err := t.live(l); err != nil {
			return struct{}{}, err
		}
		l.calls++
		return struct{}{}, f(t)
	}, done)
}

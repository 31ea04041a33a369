package workflows

import "fmt"

// Pause stops an instance that runs or waits. The attempts that are running end first (FLOW-128). In other statuses
// Pause does nothing.
func (w *Workflow) Pause(id string, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		in, err := t.change(id)
		if err != nil || in.status != Running && in.status != Waiting && in.status != Queued {
			return struct{}{}, err
		}
		if l := w.lives[in.seq]; l != nil && l.attempts > 0 {
			in.status = WaitingForPause
			t.exec("UPDATE instances SET status=?, modified=? WHERE seq=?", int64(in.status), t.now, in.seq)
			t.happened(in, WorkflowWaitingForPause, "", nil)
			return struct{}{}, nil
		}
		t.paused(in)
		return struct{}{}, nil
	}, done)
}

func (t *turn) paused(in *instance) {
	in.status, in.pausedAt = Paused, t.now
	t.exec("UPDATE instances SET status=?, paused=?, wake=NULL, modified=? WHERE seq=?", int64(Paused), t.now, t.now,
		in.seq)
	t.happened(in, WorkflowPaused, "", nil)
	t.cut(in.seq, ErrPaused)
}

// Resume gives a paused instance a new life, and moves the times that it waits for by the length of the pause. An
// instance in waitingForPause runs on as if nobody had paused it (FLOW-129). In other statuses Resume does nothing.
func (w *Workflow) Resume(id string, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		in, err := t.change(id)
		switch {
		case err != nil:
		case in.status == WaitingForPause:
			in.status = Running
			t.exec("UPDATE instances SET status=?, modified=? WHERE seq=?", int64(Running), t.now, in.seq)
			t.happened(in, WorkflowRunning, "", nil)
		case in.status == Paused:
			t.exec("UPDATE steps SET due=due+? WHERE instance=? AND state=?", t.now-in.pausedAt, in.seq, int64(waits))
			in.status, in.pausedAt = Queued, 0
			t.exec("UPDATE instances SET status=?, paused=NULL, wake=0, modified=? WHERE seq=?", int64(Queued), t.now,
				in.seq)
			t.happened(in, WorkflowRunning, "", nil)
		}
		return struct{}{}, err
	}, done)
}

// Terminate ends an instance (FLOW-127). With rollback the instance gets one more life, which rolls back the steps that
// have begun, the last one first (FLOW-81); the instance has the status running until that life ends.
func (w *Workflow) Terminate(id string, rollback bool, done func(struct{}, error)) {
	answer := func(t *turn, err error) {
		t.after = append(t.after, func(failed error) {
			if failed != nil {
				err = failed
			}
			done(struct{}{}, err)
		})
	}
	refuse := func(err error) { done(struct{}{}, err) }
	err := w.post(request{refuse: refuse, run: func(t *turn) {
		in, err := t.change(id)
		if err == nil && in.status.Final() {
			err = ErrFinite
		}
		if err != nil {
			answer(t, err)
			return
		}
		t.cut(in.seq, ErrTerminated)
		if !rollback || t.begunSteps(in) == 0 {
			t.finish(in, Terminated, "", nil)
			answer(t, nil)
			return
		}
		in.status, in.rollback = Running, true
		t.exec("UPDATE instances SET status=?, rollback=1, paused=NULL, wake=0, modified=? WHERE seq=?",
			int64(Running), t.now, in.seq)
		w.rollingBack[in.seq] = append(w.rollingBack[in.seq], refuse)
	}})
	if err != nil {
		refuse(err)
	}
}

// answerRollback answers everybody who waits for the end of an instance's rollback.
func (t *turn) answerRollback(seq int64, err error) {
	waiting := t.w.rollingBack[seq]
	if len(waiting) == 0 {
		return
	}
	delete(t.w.rollingBack, seq)
	t.after = append(t.after, func(failed error) {
		if failed != nil {
			err = failed
		}
		for _, done := range waiting {
			done(err)
		}
	})
}

// begunSteps counts the do steps of an instance that have begun.
func (t *turn) begunSteps(in *instance) (n int) {
	t.query("SELECT count(*) FROM steps WHERE instance=? AND kind=?", func(r row) { n = int(r.Int(0)) }, in.seq,
		int64(Do))
	return n
}

// Terminate ends the instance of a life that has rolled it back.
func (l *Life) Terminate(done func(struct{}, error)) {
	l.command(func(t *turn) error {
		t.drop(l)
		t.finish(l.in, Terminated, "", nil)
		return nil
	}, done)
}

// Restart begins an instance anew, whatever its status, and removes all that it has stored (FLOW-125). With from,
// Restart keeps what began before that step (FLOW-126).
func (w *Workflow) Restart(id string, from *StepID, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		in, err := t.change(id)
		if err != nil {
			return struct{}{}, err
		}
		if from == nil {
			t.cut(in.seq, ErrRestarted)
			t.forget(in.seq)
			t.again(in)
			return struct{}{}, nil
		}
		s := t.step(in, *from)
		if s == nil {
			return struct{}{}, &Failure{"WorkflowError",
				fmt.Sprintf("(instance.cannot_restart) Step %q not found in execution history", from.Name)}
		}
		t.cut(in.seq, ErrRestarted)
		t.forgetFrom(in, s)
		t.again(in)
		return struct{}{}, nil
	}, done)
}

// again queues an instance once more.
func (t *turn) again(in *instance) {
	*in = instance{seq: in.seq, id: in.id, status: Queued, trigger: in.trigger, created: in.created, modified: t.now,
		payload: in.payload, shown: in.shown, cron: in.cron, scheduled: in.scheduled, keepSuccess: in.keepSuccess,
		keepError: in.keepError, events: in.events}
	t.answerRollback(in.seq, nil)
	t.exec("UPDATE instances SET status=?, modified=?, started=NULL, ended=NULL, paused=NULL, wake=0, expires=NULL, "+
		"rollback=0, output=NULL, error_name=NULL, error_message=NULL WHERE seq=?", int64(Queued), t.now, in.seq)
	t.queued(in)
}

// Delete removes an instance. Its id can be used again (FLOW-130).
func (w *Workflow) Delete(id string, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		in, err := t.change(id)
		if err != nil {
			return struct{}{}, err
		}
		t.remove(in.seq)
		return struct{}{}, nil
	}, done)
}

func (t *turn) remove(seq int64) {
	t.cut(seq, ErrDeleted)
	t.answerRollback(seq, nil)
	t.unwatch(seq)
	t.forget(seq)
	t.exec("DELETE FROM instances WHERE seq=?", seq)
}

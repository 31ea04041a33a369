package workflows

import "encoding/json"

// EventType is a kind of event in an instance's history. The numbers are the reference's (FLOW-155).
type EventType int

// The kinds of events.
const (
	WorkflowQueued EventType = iota
	WorkflowStart
	WorkflowSuccess
	WorkflowFailure
	WorkflowTerminated
	StepStart
	StepSuccess
	StepFailure
	SleepStart
	SleepComplete
	AttemptStart
	AttemptSuccess
	AttemptFailure
	_ // used inside the reference only
	WaitStart
	WaitComplete
	WaitTimedOut
	RollbackStart
	RollbackStepStart
	RollbackAttemptStart
	RollbackAttemptSuccess
	RollbackAttemptFailure
	RollbackStepSuccess
	RollbackStepFailure
	RollbackComplete
	RollbackFailed
	WorkflowRunning
	WorkflowPaused
	WorkflowWaitingForPause
)

// eventNames are the names of the events that a subscriber sees (FLOW-142, FLOW-143).
var eventNames = map[EventType]string{
	WorkflowQueued: "workflow_queued", WorkflowStart: "workflow_started", WorkflowRunning: "workflow_running",
	WorkflowPaused: "workflow_paused", WorkflowWaitingForPause: "workflow_waiting_for_pause",
	WorkflowSuccess: "workflow_completed", WorkflowFailure: "workflow_errored",
	WorkflowTerminated: "workflow_terminated",
	StepStart:          "step_started", StepSuccess: "step_completed", StepFailure: "step_errored",
	AttemptStart: "attempt_started", AttemptSuccess: "attempt_completed", AttemptFailure: "attempt_errored",
	SleepStart: "sleep_started", SleepComplete: "sleep_completed",
	WaitStart: "wait_started", WaitComplete: "wait_completed", WaitTimedOut: "wait_timed_out",
	RollbackStart: "rollback_started", RollbackComplete: "rollback_completed", RollbackFailed: "rollback_errored",
	RollbackStepStart: "rollback_step_started", RollbackStepSuccess: "rollback_step_completed",
	RollbackStepFailure:  "rollback_step_errored",
	RollbackAttemptStart: "rollback_attempt_started", RollbackAttemptSuccess: "rollback_attempt_completed",
	RollbackAttemptFailure: "rollback_attempt_errored",
}

func (t EventType) String() string { return eventNames[t] }

// InstanceEvent is one entry of an instance's history.
type InstanceEvent struct {
	Workflow, Instance string
	// ID counts the events of one instance from 1.
	ID   int64
	Type EventType
	Time int64 // in ms
	// Step is the step's name with its count. It is empty for an event of the whole instance.
	Step string
	// Data is the reference's metadata as JSON (FLOW-156).
	Data string
}

// meta holds the data of an event before it becomes JSON.
type meta map[string]any

func (m meta) json() string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // a meta holds texts, numbers and JSON, which never fail to encode
	}
	return string(b)
}

// shown makes JSON text a member of a meta. No text becomes null.
func shown(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}

// happened appends an event to an instance's history.
func (t *turn) happened(in *instance, typ EventType, step string, m meta) {
	in.events++
	text := ""
	if m != nil {
		text = m.json()
	}
	t.exec("INSERT INTO history(instance, n, at, type, step, data) VALUES(?,?,?,?,?,?)",
		in.seq, in.events, t.now, int64(typ), step, text)
	t.exec("UPDATE instances SET events=? WHERE seq=?", in.events, in.seq)
	if t.w.o.Observe == nil && len(t.w.watching) == 0 {
		return
	}
	e := InstanceEvent{Workflow: t.w.o.Name, Instance: in.id, ID: in.events, Type: typ, Time: t.now, Step: step,
		Data: text}
	t.tell(in, e)
	if t.w.o.Observe != nil {
		t.then(func() { t.w.o.Observe(e) })
	}
}

// history calls f for the events of an instance whose ID is above after, for at most limit of them. A limit of -1 means
// all.
func (t *turn) history(in *instance, after int64, limit int, f func(InstanceEvent)) {
	t.query("SELECT n, at, type, step, data FROM history WHERE instance=? AND n>? ORDER BY n LIMIT ?", func(r row) {
		f(InstanceEvent{Workflow: t.w.o.Name, Instance: in.id, ID: r.Int(0), Time: r.Int(1), Type: EventType(r.Int(2)),
			Step: r.Text(3), Data: r.Text(4)})
	}, in.seq, after, limit)
}

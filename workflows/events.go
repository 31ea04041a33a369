package workflows

import (
	"encoding/binary"
	"strconv"
	"time"
)

// Sent is an event for an instance. Payload is a structured clone or JSON; Shown is the same value as JSON.
type Sent struct {
	Type    string
	Payload []byte
	Shown   string
}

// Received is the result of a waitForEvent. Begun.Failure is set when the time to wait was over first.
type Received struct {
	Begun
	Type    string
	Payload []byte
	Time    int64 // when the event arrived, in ms
}

// event is a row of the table events: an event that no step has taken yet.
type event struct {
	row int64
	Sent
	at int64
}

// SendEvent gives an event to the step that has waited longest for its type. If none waits, it keeps the event for the
// next one (FLOW-61). It drops an event for an instance that has ended, as the reference does (FLOW-64).
func (w *Workflow) SendEvent(id string, e Sent, done func(struct{}, error)) {
	command(w, func(t *turn) (struct{}, error) {
		in, err := t.change(id)
		if err != nil || in.status.Final() {
			return struct{}{}, err
		}
		t.arrived(in, &event{Sent: e, at: t.now})
		return struct{}{}, nil
	}, done)
}

func (t *turn) arrived(in *instance, e *event) {
	var s *step
	t.query("SELECT "+stepColumns+" FROM steps WHERE instance=? AND kind=? AND state=? AND config=? ORDER BY ord "+
		"LIMIT 1",
		func(r row) { s = readStep(r) }, in.seq, int64(Wait), int64(waits), e.Type)
	if s == nil || s.due <= t.now && in.status != Paused {
		t.exec("INSERT INTO events(instance, type, payload, shown, at) VALUES(?,?,?,?,?)", in.seq, e.Type, e.Payload,
			e.Shown, e.at)
		return
	}
	t.take(in, s, e)
	l := t.w.lives[in.seq]
	if l == nil {
		t.exec("UPDATE instances SET wake=0 WHERE seq=? AND wake>0", in.seq) // a paused instance keeps its status
		return
	}
	l.stirred = true
	for _, x := range l.waits {
		if x.step.row == s.row {
			x.step.state, x.step.value = s.state, s.value
			t.stopWaiting(x)
			x.told(t)
			t.settle(l)
			return
		}
	}
}

// oldest returns the oldest event of a type that no step has taken, nil if there is none.
func (t *turn) oldest(in *instance, typ string) *event {
	var e *event
	t.query("SELECT event, type, payload, shown, at FROM events WHERE instance=? AND type=? ORDER BY event LIMIT 1",
		func(r row) {
			e = &event{row: r.Int(0), Sent: Sent{r.Text(1), r.Bytes(2), r.Text(3)}, at: r.Int(4)}
		}, in.seq, typ)
	return e
}

// take makes an event the result of a step.
func (t *turn) take(in *instance, s *step, e *event) {
	if e.row != 0 {
		t.exec("DELETE FROM events WHERE event=?", e.row)
	}
	s.value = joinTime(e.at, e.Payload)
	t.store(s, Value{Clone: s.value, Shown: e.Shown, Chunks: -1})
	t.happened(in, WaitComplete, s.Label(), meta{"payload": shown(e.Shown), "type": e.Type,
		"timestamp": time.UnixMilli(e.at).UTC().Format("2006-01-02T15:04:05.000Z")})
}

// timedOut ends a step whose time to wait for an event is over.
func (t *turn) timedOut(in *instance, s *step, timeout time.Duration) {
	s.state, s.failure = failed, Timeout(timeout)
	t.exec("UPDATE steps SET state=?, due=0, error_name=?, error_message=? WHERE step=?", int64(failed), s.failure.Name,
		s.failure.Message, s.row)
	t.happened(in, WaitTimedOut, s.Label(), meta{"error": s.failure})
}

// Timeout is the failure of an attempt or a wait that took too long (FLOW-95).
func Timeout(d time.Duration) *Failure {
	return &Failure{"WorkflowTimeoutError",
		"Execution timed out after " + strconv.FormatFloat(inMilliseconds(d), 'f', -1, 64) + "ms"}
}

// joinTime prepends an event's time of arrival to its payload.
func joinTime(at int64, payload []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at)), payload...)
}

func splitTime(b []byte) (at int64, payload []byte) { return int64(binary.BigEndian.Uint64(b)), b[8:] }

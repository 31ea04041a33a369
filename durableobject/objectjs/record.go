package objectjs

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eddy/durableobject"
	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// recording is the entry of one event of an object, nil without a journal. Loop of its home only.
type recording struct {
	i     *instance
	entry *journal.Entry
	began time.Time
	cpu   time.Duration // of the object before the event
}

// record begins the entry of an event, and makes the event the cause of what it does. It is called when the event has
// passed the input gate.
func (i *instance) record(kind journal.Kind, hops *eventloop.Hops, causes ...cause.Cause) *recording {
	e := i.h.iso.BeginEntry(kind, hops, causes...)
	if e == nil {
		return nil
	}
	e.Entrypoint = i.h.ns.class.Name
	e.Object = &journal.Object{Namespace: i.h.ns.key, ID: i.object.ID.String(), Name: i.title}
	r := &recording{i: i, entry: e, began: i.h.now(), cpu: i.scope.CPU()}
	i.recordings = append(i.recordings, r)
	return r
}

// end gives the entry to the journal, once.
func (r *recording) end(failed bool) {
	if r == nil || r.entry == nil {
		return
	}
	e := r.entry
	r.entry = nil
	r.i.recordings = slices.DeleteFunc(r.i.recordings, func(o *recording) bool { return o == r })
	e.At, e.Wall, e.Outcome = r.began.UnixMicro(), r.i.h.now().Sub(r.began), "ok"
	e.CPU = max(0, r.i.scope.CPU()-r.cpu)
	if failed {
		e.Outcome = "exception"
	}
	r.i.h.iso.EndEntry(e)
}

// endRecordings ends the entries of what is in progress when the object is reset, in the order in which it began: f is
// what nobody there could catch.
func (i *instance) endRecordings(f *rpc.RemoteError) {
	for _, r := range slices.Clone(i.recordings) {
		r.entry.Exceptions = append(r.entry.Exceptions, journal.Exception{Name: f.Name, Message: f.Message,
			At: i.h.now().UnixMilli()})
		r.end(true)
	}
}

// recordCall begins the entry of an RPC call.
func (i *instance) recordCall(op *rpc.Op, hops *eventloop.Hops) *recording {
	r := i.record(journal.RPC, hops)
	if r != nil {
		r.entry.RPCMethod = strings.Join(op.Path, ".")
		i.h.iso.Onset(r.entry, func() string { return `{"type":"jsrpc"}` })
	}
	return r
}

// recordFetch begins the entry of a request.
func (e *fetchEvent) recordFetch() {
	e.recording = e.inst.record(journal.Fetch, &e.hops)
	if e.recording != nil {
		e.recording.entry.Request = &journal.Request{Method: e.request.Method, URL: e.request.URL,
			Header: e.request.Header.Clone()}
		e.inst.h.iso.Onset(e.recording.entry, func() string {
			return worker.FetchInfo(e.request.Method, e.request.URL, e.request.CF, e.request.Header)
		})
		if e.body != nil {
			e.noted = &journal.BodyNotes{}
			e.body = e.noted.Reader(e.body)
		}
	}
}

// recordAlarm begins the entry of an alarm, whose cause is the event that set it.
func (r *alarmRun) recordAlarm() {
	i := r.i
	var hops eventloop.Hops
	hops.Cause = i.h.iso.Journal().AlarmCause(alarmName(i.alarmKey()))
	if r.recording = i.record(journal.Alarm, &hops); r.recording != nil {
		r.recording.entry.AlarmAt, r.recording.entry.AlarmRetries = r.info.Scheduled.UnixMilli(), r.info.RetryCount
		i.h.iso.Loop.SetHops(hops)
		i.h.iso.Onset(r.recording.entry, func() string {
			return `{"type":"alarm","scheduledTime":` + strconv.FormatInt(r.info.Scheduled.UnixMilli(), 10) + `}`
		})
	}
}

// noteAlarm keeps what sets an alarm, for the alarm's own entry.
func (i *instance) noteAlarm() {
	if e := i.h.iso.Recording(); e != nil {
		i.h.iso.Journal().SetAlarm(alarmName(i.alarmKey()), e.Cause())
	}
}

// forgetAlarm forgets what set an alarm that is over.
func (i *instance) forgetAlarm() { i.h.iso.Journal().SetAlarm(alarmName(i.alarmKey()), cause.Cause{}) }

// alarmName is how the journal calls an alarm.
func alarmName(key durableobject.AlarmKey) string { return key.Namespace + "/" + key.ID.String() }

// recordSocket begins the entry of an event of a hibernatable WebSocket. from is its cause, as a rule the event that
// accepted the socket.
func (i *instance) recordSocket(e *websocket.End, m websocket.Message, from cause.Cause) *recording {
	var hops eventloop.Hops
	hops.Cause = from
	r := i.record(journal.Socket, &hops)
	if r == nil {
		return nil
	}
	i.h.iso.Loop.SetHops(hops)
	s := m.Event()
	s.Tags, s.Attachment = slices.Clone(e.Tags), slices.Clone(e.Attachment)
	r.entry.Socket = &s
	i.h.iso.Onset(r.entry, func() string {
		info := `{"type":"` + s.Type + `"`
		if s.Type == "close" {
			info += `,"code":` + strconv.Itoa(s.Code) + `,"wasClean":` + strconv.FormatBool(s.Code != 1006)
		}
		return `{"type":"hibernatableWebSocket","info":` + info + `}}`
	})
	return r
}

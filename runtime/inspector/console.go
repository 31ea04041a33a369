package inspector

import (
	"time"

	"github.com/chromedp/cdproto/runtime"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/worker"
)

// said is a line of a console, kept for clients that come later.
type said struct{ event map[string]any }

// maxSaid is how many lines are kept.
const maxSaid = 1000

// consoleType is the protocol's name of a level.
var consoleType = map[host.ConsoleLevel]string{
	host.LevelDebug: "debug", host.LevelLog: "log", host.LevelInfo: "info", host.LevelWarn: "warning",
	host.LevelError: "error",
}

// consoleGroup is the group of objects that a console has shown.
const consoleGroup = "console"

// hear tells clients what a Worker says and which of its errors nobody catches, beside whoever hears it already.
func (r *realm) hear(o *worker.Options) {
	log, uncaught := o.Log, o.Uncaught
	o.Log = func(e host.ConsoleLine) {
		if log != nil {
			log(e)
		}
		r.consoleCalled(e)
	}
	o.Uncaught = func(scope *eventloop.Scope, ex *worker.Exception) {
		if uncaught != nil {
			uncaught(scope, ex)
		}
		r.uncaught(ex)
	}
}

// consoleCalled tells of a line. Loop goroutine.
func (r *realm) consoleCalled(e host.ConsoleLine) {
	t := r.target
	text := []*runtime.RemoteObject{{Type: "string", Value: encoded(e.Text)}}
	event := map[string]any{
		"type": consoleType[e.Level], "args": text, "executionContextId": r.number, "timestamp": millis(e.Time)}
	if trace := r.trace(); trace != nil {
		event["stackTrace"] = trace
	}
	s := t.server
	s.mu.Lock()
	if t.said = append(t.said, said{event}); len(t.said) > maxSaid {
		t.said = t.said[len(t.said)-maxSaid:]
	}
	listening := false
	for _, c := range t.clients {
		listening = listening || c.looks
	}
	s.mu.Unlock()
	if !listening {
		return
	}
	if len(e.Args) > 0 {
		values := map[string]any{}
		for k, v := range event {
			values[k] = v
		}
		var args []*runtime.RemoteObject
		for _, v := range e.Args {
			args = append(args, r.objects.remote(v, consoleGroup, true))
		}
		values["args"], event = args, values
	}
	t.toRuntimes("Runtime.consoleAPICalled", event)
}

// trace is the calls that are under way.
func (r *realm) trace() *runtime.StackTrace {
	var frames []*runtime.CallFrame
	for _, c := range r.stack() {
		frames = append(frames, r.traceFrame(c))
	}
	if len(frames) == 0 {
		return nil
	}
	return &runtime.StackTrace{CallFrames: frames}
}

// uncaught tells of an error that nobody catches.
func (r *realm) uncaught(ex *worker.Exception) {
	s := r.target.server
	s.mu.Lock()
	s.exceptions++
	n := s.exceptions
	s.mu.Unlock()
	d := &runtime.ExceptionDetails{
		ExceptionID: n, Text: "Uncaught", ExecutionContextID: runtime.ExecutionContextID(r.number),
		Exception: &runtime.RemoteObject{Type: "object", Subtype: "error", ClassName: ex.Name, Description: ex.Stack},
	}
	if len(ex.Frames) > 0 {
		f := ex.Frames[0]
		d.URL, d.LineNumber, d.ColumnNumber = f.File, int64(f.Line-1), int64(f.Column-1)
	}
	r.target.toRuntimes("Runtime.exceptionThrown", map[string]any{
		"timestamp": millis(r.iso.Loop.Clock().Now()), "exceptionDetails": d})
}

func millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

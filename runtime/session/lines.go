package session

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/journal"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// lines writes what the session tells of its Workers, queues and objects. Any goroutine.
type lines struct {
	*report.Reporter
	// several says that there is more than one Worker. Each line then names its Worker.
	several bool
	// dir is the working directory, which frames are shown relative to.
	dir string
	// project is what commands of the working directory need to find the session, as " -c orders"; "" for nothing.
	project string
	// exception is called with each exception that nobody caught. It may be nil.
	exception func(worker string, ex *worker.Exception)
}

// console writes a line of console output. console.debug is shown like the others; method tells it apart.
func (l lines) console(worker string, e host.ConsoleLine) {
	level := map[host.ConsoleLevel]report.Level{
		host.LevelDebug: report.Log, host.LevelInfo: report.Info, host.LevelLog: report.Log,
		host.LevelWarn: report.Warn, host.LevelError: report.Error,
	}[e.Level]
	text := e.Text
	if l.Color() && e.Coloured != "" {
		text = e.Coloured
	}
	if l.several {
		text = l.Paint("dim", "["+worker+"] ") + text
	}
	l.Line(level, "console", text, report.F("worker", worker), report.F("method", string(e.Level)))
}

// uncaught writes an exception that nobody caught, with the user's own lines (RT14).
func (l lines) uncaught(worker string, ex *worker.Exception) {
	if l.exception != nil {
		l.exception(worker, ex)
	}
	l.thrown(worker, "Uncaught ", ex)
}

// rejected writes the reason of a promise that nobody handles.
func (l lines) rejected(worker string, ex *worker.Exception) {
	l.thrown(worker, "Uncaught (in promise) ", ex)
}

// thrown writes an exception with its frames as the user names files: src/index.ts:10:31.
func (l lines) thrown(worker, how string, ex *worker.Exception) {
	text := l.relative(how + ex.Stack)
	if ex.Code != "" {
		text += "\n" + ex.Code
	}
	if l.several {
		text = "[" + worker + "] " + text
	}
	l.Line(report.Error, "exception", text, report.F("worker", worker), report.F("name", ex.Name),
		report.F("message", ex.Message))
}

// relative shows frames as the user names files: src/index.ts:10:31.
func (l lines) relative(stack string) string {
	if l.dir == "" {
		return stack
	}
	return strings.ReplaceAll(stack, "file://"+strings.TrimSuffix(filepath.ToSlash(l.dir), "/")+"/", "")
}

// notice writes something about a Worker that its script is not told.
func (l lines) notice(name, text string) {
	if l.several {
		text = "[" + name + "] " + text
	}
	l.Line(report.Warn, "notice", text, report.F("worker", name))
}

// outgrown tells of an isolate that keeps more than it may: several Workers or not, the line names the one at fault.
func (l lines) outgrown(name string, e *eventloop.KeptError) {
	l.Line(report.Error, "memory", "["+name+"] "+e.Report(), report.F("worker", name),
		report.F("message", e.Error()), report.F("kept", e.Bytes), report.F("limit", e.Limit))
}

// waits tells of an event whose handler has not answered for long.
func (l lines) waits(name string, w worker.Waits) {
	text := w.String()
	if l.several {
		text = "[" + name + "] " + text
	}
	l.Line(report.Warn, "waiting", text, report.F("worker", name), report.F("event", w.Event),
		report.F("ms", w.For.Milliseconds()),
		report.F("timers", w.Timers), report.F("calls", w.Calls))
}

// computes writes about an event whose handler computes for long, and where.
func (l lines) computes(name string, c worker.Computes) {
	text := c.String() + l.relative(c.At.Stack)
	if c.At.Code != "" {
		text += "\n" + c.At.Code
	}
	if l.several {
		text = "[" + name + "] " + text
	}
	place := ""
	if len(c.At.Frames) > 0 {
		f := c.At.Frames[0]
		place = l.relative(fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column))
	}
	l.Line(report.Warn, "computing", text, report.F("worker", name), report.F("event", c.Event),
		report.F("ms", c.For.Milliseconds()), report.F("at", place))
}

// whatNext says, of a batch of which some messages failed, when they are tried again, or where they went and what the
// user can do.
func whatNext(a queues.Activity) (text string) {
	if a.Retry > 0 {
		when := "now"
		switch {
		case a.RetryIn >= time.Second:
			when = "in " + a.RetryIn.Round(time.Second).String()
		case a.RetryIn > 0:
			when = "in " + report.Duration(a.RetryIn)
		}
		text += fmt.Sprintf(" – retry %d of %d %s", a.Retry, a.MaxRetries, when)
	}
	if len(a.Dead) > 0 {
		text += fmt.Sprintf(" → %s: eddy dlq show %[1]s %s", a.DeadLetterQueue, a.Dead[0].ID.String()[:shownID])
		if more := len(a.Dead) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more: eddy dlq list %s)", more, a.DeadLetterQueue)
		}
	}
	if a.Dropped > 0 {
		without := "the consumer has no dead_letter_queue"
		if a.Lane != "" {
			without = "createDOQueue() was given no deadLetter()"
		}
		text += fmt.Sprintf(" – %d deleted: %s", a.Dropped, without)
	}
	return text
}

// shownID is how many digits of an id a line shows. eddy dlq accepts the beginning of an id.
const shownID = 4

// activity turns what happens in the broker into lines (C-33, C-34). It runs on the broker's goroutine.
func (l lines) activity(a queues.Activity) {
	switch a.Kind {
	case queues.ActivityBatch:
		if !l.Shows(report.Info) {
			return
		}
		color := "yellow"
		switch a.Acked {
		case a.Count:
			color = "green"
		case 0:
			color = "red"
		}
		fields := []report.Field{
			report.F("queue", a.Queue), report.F("acked", a.Acked), report.F("total", a.Count),
			report.F("ms", a.Duration.Milliseconds()),
		}
		if a.Retry > 0 {
			fields = append(fields, report.F("retry", a.Retry), report.F("maxRetries", a.MaxRetries),
				report.F("retryInMs", a.RetryIn.Milliseconds()))
		}
		share := l.Paint(color, fmt.Sprintf("%d/%d", a.Acked, a.Count))
		took := l.Paint("dim", "("+report.Duration(a.Duration)+")")
		l.Line(report.Info, "queue", fmt.Sprintf("QUEUE %s %s%s %s", a.Queue, share, whatNext(a), took), fields...)
	case queues.ActivityDeadLettered:
		for _, m := range a.Messages {
			l.Line(report.Warn, "dead-letter",
				fmt.Sprintf("Moving message %q on queue %q to dead letter queue %q after %d failed attempt%s...",
					m.ID, a.Queue, a.DeadLetterQueue, m.Attempts, plural(m.Attempts)),
				report.F("queue", a.Queue), report.F("dead_letter_queue", a.DeadLetterQueue),
				report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityDropped:
		for _, m := range a.Messages {
			l.Line(report.Warn, "dropped", fmt.Sprintf("Dropped message %q on queue %q after %d failed attempt%s!",
				m.ID, a.Queue, m.Attempts, plural(m.Attempts)),
				report.F("queue", a.Queue), report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityRetried:
		if !l.Shows(report.Debug) {
			return
		}
		for _, m := range a.Messages {
			l.Line(report.Debug, "retry", fmt.Sprintf("Retrying message %q on queue %q...", m.ID, a.Queue),
				report.F("queue", a.Queue), report.F("id", m.ID.String()), report.F("attempts", m.Attempts))
		}
	case queues.ActivityExpired:
		l.Line(report.Warn, "expired", fmt.Sprintf("%d message%s on queue %q reached the end of the retention "+
			"period and %s deleted.",
			a.Count, plural(a.Count), a.Queue, map[bool]string{true: "was", false: "were"}[a.Count == 1]),
			report.F("queue", a.Queue), report.F("count", a.Count))
	}
}

var plainWord = lazyregexp.New(`^[\w./@%+=:,-]+$`)

// projectOf are the flags with which commands find a session that has these configurations.
func projectOf(configs []string) string {
	switch {
	case len(configs) == 0:
		return ""
	case plainWord.MatchString(configs[0]):
		return " -c " + configs[0]
	}
	return " -c '" + strings.ReplaceAll(configs[0], "'", `'\''`) + "'"
}

// failedDelivery says how a delivery that has failed becomes a file that runs again, when it fails for the first time:
// those after it are of the same trace.
func (l lines) failedDelivery(e *journal.Entry) {
	if e.Delivery == nil || !e.Failed() || !l.Shows(report.Info) {
		return
	}
	for i := range e.Delivery.Messages {
		if m := &e.Delivery.Messages[i]; m.Outcome == journal.Retry && m.Attempts > 1 || m.Outcome == "" {
			return
		}
	}
	trace := hex.EncodeToString(e.Trace[:4])
	// The command has a line of its own, so that it can be copied as it stands.
	l.Line(report.Info, "capture", l.Paint("dim", fmt.Sprintf("This makes it a test:\neddy capture%s --trace %s > "+
		"%s.replay.jsonl", l.project, trace, e.Delivery.Queue)), report.F("queue", e.Delivery.Queue),
		report.F("trace", hex.EncodeToString(e.Trace[:])))
}

// objectActivity turns what happens to objects into lines.
func (l lines) objectActivity(e objectjs.ObjectActivity) {
	name := e.Name
	if name == "" && len(e.ID) >= 8 {
		name = e.ID[:8] + "…"
	}
	fields := []report.Field{report.F("namespace", e.Namespace), report.F("id", e.ID), report.F("name", e.Name)}
	switch e.Kind {
	case "alarm":
		outcome := l.Paint("green", "ok")
		if e.Err != nil {
			outcome = l.Paint("red", "exception")
		}
		retry := ""
		if e.Retry > 0 {
			retry = fmt.Sprintf(" retry %d", e.Retry)
		}
		l.Line(report.Info, "alarm", fmt.Sprintf("ALARM %s %s%s %s %s", e.Namespace, name, retry, outcome,
			l.Paint("dim", "("+report.Duration(e.Took)+")")),
			append(fields, report.F("ok", e.Err == nil), report.F("retry", e.Retry),
				report.F("ms", e.Took.Milliseconds()))...)
	case "alarm-dropped":
		l.Line(report.Warn, "alarm", fmt.Sprintf("Alarm of %s %s was given up after %d tries.", e.Namespace, name,
			e.Retry+1), fields...)
	case "reset":
		l.Line(report.Warn, "object", fmt.Sprintf("Durable Object %s %s was reset: %v", e.Namespace, name, e.Err),
			fields...)
	default:
		if !l.Shows(report.Debug) {
			return
		}
		l.Line(report.Debug, "object", fmt.Sprintf("OBJECT %s %s %s", e.Kind, e.Namespace, name), fields...)
	}
}

// failed tells of a reload or restart that failed; after says what serves now, "" for nothing to say.
func (l lines) failed(kind, worker string, err error, after string) {
	text := Explain(err, l.Color())
	if after != "" {
		text += "\n" + l.Paint("dim", after)
	}
	l.Line(report.Error, kind, text, report.F("worker", worker), report.F("ok", false))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

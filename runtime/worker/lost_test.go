package worker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
)

// An error of ours fails the event that met it: as an exception that the script may catch where a function of ours was
// called, else by ending the event, and then the isolate asks to be replaced. Both are reported with a stack.
func TestInternalErrors(t *testing.T) {
	var reports []*eventloop.InternalError
	lost := 0
	w := start(t, script("lost_faults.js"), func(o *Options) {
		o.InternalError = func(err *eventloop.InternalError) { reports = append(reports, err) }
		o.Lost = func(error) { lost++ }
		o.Install = append(o.Install, func(iso *Isolate) error {
			write := func(m map[string]int) { m["x"] = 1 }
			bug := func() { write(nil) }
			_ = iso.Runtime().Set(
				"faulty", iso.Realm.Function("faulty", func(goja.FunctionCall) goja.Value { bug(); return nil }))
			return iso.Runtime().Set("unguarded", bug)
		})
	})
	const text = "internal error; reference = "
	for n, path := range []string{"/caught", "/thrown", "/hard", "/hard-now"} {
		_, body, err := get(t, w, "http://localhost"+path)
		if err != nil {
			body = strings.TrimPrefix(err.Error(), "Error: ")
		}
		if !strings.HasPrefix(body, text) || len(body) != len(text)+24 {
			t.Errorf("%s: %q, %v", path, body, err)
		}
		if hard := n >= 2; hard != (Outcome(err) == "internalError") {
			t.Errorf("%s: outcome %q", path, Outcome(err))
		}
		if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "alive" {
			t.Error(body, err)
		}
		if len(reports) != n+1 || !strings.Contains(reports[n].Report(), "nil map") ||
			!strings.Contains(reports[n].Report(), "lost_test.go") {
			t.Errorf("%s: reports %v", path, reports)
		}
	}
	if lost != 1 {
		t.Errorf("the isolate was given up %d times", lost)
	}
}

// An event that takes memory without end is ended with the platform's text.
func TestMemoryLimit(t *testing.T) {
	lost := make(chan struct{}, 1)
	w := start(t, `export default { fetch(r) {
		if (r.url.endsWith("fill")) for (const all = [];;) try { all.push(new Uint8Array(1 << 16).fill(1)) } catch {}
		return new Response("alive");
	} }`, func(o *Options) {
		o.CPULimit, o.MemoryLimit = time.Hour, 32<<20
		o.InternalError = func(err *eventloop.InternalError) { t.Error(err.Report()) }
		o.Lost = func(error) { lost <- struct{}{} }
	})
	_, _, err := get(t, w, "http://localhost/fill")
	if !errors.Is(err, ErrMemoryLimit) || err.Error() != "Worker exceeded memory limit." ||
		Outcome(err) != "exceededMemory" {
		t.Error(err)
	}
	<-lost
	if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "alive" {
		t.Error(body, err)
	}
}

// A panic while the Worker starts is an error of the start.
func TestInternalErrorAtStart(t *testing.T) {
	_, err := tryStart(t, `export default {}; unguarded()`, func(o *Options) {
		o.InternalError = func(*eventloop.InternalError) {}
		o.Install = append(o.Install, func(iso *Isolate) error {
			return iso.Runtime().Set("unguarded", func() { panic("assertion") })
		})
	})
	var internal *eventloop.InternalError
	if !errors.As(err, &internal) || internal.Cause != "assertion" {
		t.Error(err)
	}
}

package events

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/webapitest"
)

//go:embed testdata/handlers.js
var handlers string

func TestHandlerEvents(t *testing.T) {
	r := webapitest.New(t, Install)
	table(t, r, [][2]string{
		{`new FetchEvent("fetch")`, "throws TypeError: Illegal constructor"},
		{`FetchEvent.prototype instanceof ExtendableEvent && TraceEvent === TailEvent`, "true"},
	})
	var got []string
	take := func(kind string) func(goja.Value) {
		return func(v goja.Value) { got = append(got, kind+" "+v.String()) }
	}
	r.On(func() {
		rt := r.Host.Runtime()
		if _, err := rt.RunString(handlers); err != nil {
			t.Fatal(err)
		}
		g := rt.GlobalObject()
		Fire(r.Host, g, NewFetch(r.Host, FetchEvent{
			ExtendableEvent: ExtendableEvent{WaitUntil: take("wait")}, Request: rt.ToValue("request "),
			RespondWith: take("respond"),
		}))
		Fire(r.Host, g, NewScheduled(r.Host, ScheduledEvent{
			ExtendableEvent: ExtendableEvent{WaitUntil: take("cron")}, Cron: "* * * * * ", ScheduledTime: 5,
			NoRetry: func() { got = append(got, "no retry") },
		}))
	})
	if s := strings.Join(got, "|"); s != "wait promise|respond request fetchtrue|no retry|cron * * * * * 5" {
		t.Error(s)
	}
	r.Expect(`try { late.respondWith(1) } catch (x) { errors.push(x.message) } return errors.join("|")`,
		"InvalidStateError: FetchEvent.respondWith() has already been called; it can only be called "+
			"once.|FetchEvent.respondWith() has already been called; it can only be called once.")
}

package eventsource

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

func TestEventSourceFrom(t *testing.T) {
	r := newRunner(t)
	r.Expect(`
		const bytes = s => Uint8Array.from([...s], c => c.charCodeAt(0));
		const chunks = ["data: fir", "st\n\nevent: named\ndata: second\n\n", "data: third\n\n"];
		const source = EventSource.from(
			new ReadableStream({ async pull(c) { await scheduler.wait(10); c.enqueue(bytes(chunks.shift()));
			if (!chunks.length) c.close() } }));
		const out = [source.readyState, source.url, source.withCredentials];
		source.onmessage = e => out.push(e.data);
		source.addEventListener("named", e => out.push("named " + e.data + e.origin));
		await new Promise(done => source.onerror = e => { out.push(e.error.message, source.readyState); done() });
		return out.join("|")`, "1||false|first|named secondnull|third|The server disconnected.|2")
}

func TestEventSourceFaces(t *testing.T) {
	r := newRunner(t)
	table(t, r, [][2]string{
		{`new EventSource("not a valid url")`,
			"throws SyntaxError: Cannot open an EventSource to 'not a valid url'. The URL is invalid."},
		{`new EventSource("http://a", {withCredentials: true})`,
			"throws NotSupportedError: The init.withCredentials option is not supported. It must be false or " +
				"undefined."},
		{`EventSource.from(1)`,
			"throws TypeError: Failed to execute 'from' on 'EventSource': parameter 1 is not of type " +
				"'ReadableStream'."},
		{`[EventSource.OPEN, EventSource.prototype.CLOSED, "onopen" in EventSource.prototype].join()`, "1,2,true"},
	})
}

// holdingTransport holds the clock from each request on.
type holdingTransport struct {
	hold    func(reason string) func()
	release func()
}

func (t *holdingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.release()
	t.release = t.hold("a request of a test")
	return http.DefaultTransport.RoundTrip(req)
}

// The source reconnects after its time with the last event id, and gives up on a wrong status.
func TestEventSourceReconnects(t *testing.T) {
	round := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		round++
		if round == 3 {
			http.Error(w, "no more", http.StatusGone)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream;charset=utf-8")
		fmt.Fprintf(w, "retry: 5000\nid: id%d\ndata: %s %s %s\n\n", round, r.Header.Get("Accept"),
			r.Header.Get("Cache-Control"), r.Header.Get("Last-Event-ID"))
	}))
	defer s.Close()
	r := newRunner(t)
	r.On(func() {
		// Nothing in the source holds the clock while the network is at work. The transport of this test does, until
		// the test lets time go on.
		out := &holdingTransport{hold: r.Clock.Hold, release: r.Clock.Hold("a test")}
		r.Host.Outbound = out
		_ = r.Host.Runtime().Set("U", s.URL)
		_ = r.Host.Runtime().Set("letGo", func() { out.release() })
	})
	r.Expect(`
		const out = [];
		const source = new EventSource(U);
		source.onopen = () => out.push("open" + source.readyState);
		source.onmessage = e => out.push(e.data + " " + e.lastEventId + (e.origin === U));
		await new Promise(resolve => source.onerror = e => {
			out.push(e.error.message + source.readyState); if (source.readyState == 2) resolve(); letGo() });
		return out.join("\n")`,
		"open1\ntext/event-stream no-cache  id1true\nThe server disconnected.0\n"+
			"open1\ntext/event-stream no-cache id1 id2true\nThe server disconnected.0\n"+
			"The response status code was 410.2")
}

func newRunner(t testing.TB) *webapitest.Runner {
	return webapitest.New(t, timers.Install, events.Install, url.Install, streams.Install, fetch.Install, Install)
}

// table runs one expression per line; the result is what String() makes of its value, or the error it throws.
func table(t *testing.T, r *webapitest.Runner, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		r.Expect("return "+c[0], c[1])
	}
}

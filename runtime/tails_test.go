package runtime

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var tailedWorker = script("tails", "tailed.js")

var tailWorker = script("tails", "tail.js")

// A tail consumer of the same session hears of every event of a Worker when it is over, as on the platform: what was
// logged, what nobody caught, how it ended; secrets are hidden unless it asks.
func TestTailConsumers(t *testing.T) {
	p := newProject(t,
		"w.jsonc", `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01", "limits": { "cpu_ms": 50 },
		"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
			"queue": "q", "max_batch_timeout": 1 }] }, "services": [{ "binding": "SELF", "service": "w" }],
		"tail_consumers": [{ "service": "tailer" }, { "service": "absent" }] }`, "index.js", tailedWorker,
		"t.jsonc", `{ "name": "tailer", "main": "tail.js", "compatibility_date": "2026-04-01" }`, "tail.js", tailWorker)
	s := p.serve(using("w", "t"))
	tailer, err := s.Handler("tailer")
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	heard := func(want ...string) {
		t.Helper()
		events++
		s.out.await("[tailer] heard", events)
		if got := body(t, tailer); got != strings.Join(want, "\n") {
			t.Errorf("the consumer heard\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	}
	const at = `"worker":"w","at":1775044800000`
	url := s.web.URL
	s.ask("GET", "/logs", "", "Accept", "x/y")
	heard(`{"outcome":"ok",` + at + `,"logs":[["log","a",1,null,null,{"x":1},[1],"1970-01-01T00:00:00.000Z"],["warn",` +
		`"w"],["error","TypeError: te"],["debug","1"],["info",{}],["log",{}],["log","() => 1"],["log","%s is %d","x",` +
		`5],["log"],["log","later"]],"exceptions":[],"event":["GET","` + url + `/logs",null,"x/y","DFW",201]}`)
	s.ask("GET", "/logs/secret/00112233445566778899aabbccddeeff", "", "Cookie", "a=b")
	heard(`{"outcome":"exception",`+at+`,"logs":[],"exceptions":[["TypeError",`+
		`"Incorrect type for Promise: the Promise did not resolve to 'Response'.",false]],"event":["GET","`+url+
		`/logs/secret/REDACTED","REDACTED",null,"DFW",null]}`,
		url+"/logs/secret/00112233445566778899aabbccddeeff", "a=b",
		"TraceItem{wallTime,cpuTime,truncated,executionModel,outcome,durableObjectId,preview,tailAttributes,"+
			"scriptTags,dispatchNamespace,scriptVersion,entrypoint,scriptName,diagnosticsChannelEvents,exceptions,"+
			"logs,eventTimestamp,event} FetchEventInfo{request,response} Request{url,method,headers,cf} undefined "+
			"undefined",
		"true 1 function")
	s.ask("GET", "/wait", "")
	heard(`{"outcome":"ok",` + at + `,"logs":[],"exceptions":[["RangeError","waited",true]],"event":["GET","` + url +
		`/wait",null,null,"DFW",200]}`)
	s.ask("GET", "/throw", "")
	heard(`{"outcome":"exception",` + at + `,"logs":[],"exceptions":[["TypeError","thrown",true]],"event":["GET","` +
		url + `/throw",null,null,"DFW",null]}`)
	s.ask("GET", "/spin", "")
	heard(`{"outcome":"exceededCpu",` + at + `,"logs":[],"exceptions":[],"event":["GET","` + url +
		`/spin",null,null,"DFW",null]}`)
	s.ask("GET", "/cdn-cgi/handler/scheduled?cron=5+*+*+*+*", "")
	heard(`{"outcome":"ok",` + at + `,"logs":[],"exceptions":[],"event":{"cron":"5 * * * *",` +
		`"scheduledTime":1775044800000}}`)
	s.ask("GET", "/rpc", "")
	s.out.await("[tailer] heard", events+2)
	events++
	heard(`{"outcome":"ok",`+at+`,"logs":[],"exceptions":[],"event":{"rpcMethod":"hello"}}`,
		`{"outcome":"ok",`+at+`,"logs":[],"exceptions":[],"event":["GET","`+url+`/rpc",null,null,"DFW",200]}`)
	s.ask("GET", "/send", "")
	heard(`{"outcome":"ok",` + at + `,"logs":[],"exceptions":[],"event":["GET","` + url +
		`/send",null,null,"DFW",200]}`)
	s.clock.Advance(t.Context(), time.Second)
	heard(`{"outcome":"exception","worker":"w","at":1775044801000,"logs":[],"exceptions":[["Error","queue fails",` +
		`true]],"event":{"batchSize":1,"queue":"q"}}`)
	s.Banner(0)
	s.wantLines("tail absent", "runs nowhere now: nothing is sent")
}

// body is what a handler answers with.
func body(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
	return w.Body.String()
}

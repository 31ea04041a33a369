package inspector

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Pages of other sites and names that such a site may have bound to this machine are refused; debuggers' own pages and
// programs without an Origin are not.
func TestForeign(t *testing.T) {
	d := start(t)
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"", "", 200}, {"localhost:9229", "", 200}, {"[::1]:9229", "", 200}, {"10.0.0.7:9229", "", 200},
		{"app.localhost", "", 200}, {"evil.test:9229", "", 403}, {"127.0.0.1.evil.test", "", 403},
		{"localhost.evil.test", "", 403},
		{"", "devtools://devtools", 200}, {"", "http://localhost:5173", 200}, {"", "http://127.0.0.1", 200},
		{"", "vscode-webview://x", 200}, {"", "https://devtools.devprod.cloudflare.dev", 200},
		{"", "https://evil.test", 403}, {"", "null", 403}, {"", "http://localhost.evil.test", 403},
		{"", "%", 403}, {"", "http://10.0.0.7", 403}, {"", "https://devtools.devprod.cloudflare.dev.evil.test", 403},
	} {
		r, err := http.NewRequest("GET", d.web.URL+"/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = c.host; c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.status {
			t.Errorf("Host %q, Origin %q: %d, expected %d", c.host, c.origin, res.StatusCode, c.status)
		}
		g, err := d.connect(r.Header)
		if c.host == "" && (err == nil) != (c.status == 200) {
			t.Errorf("Origin %q: the upgrade gives %v", c.origin, err)
		}
		if g != nil {
			g.conn.CloseNow()
		}
	}
}

// Many clients see one pause. When the one goes that has let it happen, the others keep it; when the last has gone
// without a word, the script goes on, and so does the session.
func TestManyClients(t *testing.T) {
	d := start(t)
	var all []*person
	for range 20 {
		all = append(all, d.attach())
	}
	if err := all[0].call("Debugger.setBreakpointByUrl", map[string]any{"urlRegex": "index.ts$", "lineNumber": 3},
		nil); err != nil {
		t.Fatal(err)
	}
	answer := d.get("/")
	for _, g := range all {
		g.wait("Debugger.paused")
	}
	late := d.attach()
	late.wait("Debugger.paused")
	for _, g := range all {
		g.conn.CloseNow()
	}
	var got struct{ Result struct{ Value int } }
	if err := late.call("Runtime.evaluate", map[string]any{"expression": "6 * 7"}, &got); err != nil ||
		got.Result.Value != 42 || len(answer) > 0 {
		t.Errorf("%v, %v, answered: %v", got, err, len(answer) > 0)
	}
	late.conn.CloseNow()
	if status := <-answer; status != 200 {
		t.Errorf("status %d", status)
	}
	if status := <-d.get("/"); status != 200 { // its breakpoint has gone with the client
		t.Errorf("status %d", status)
	}
}

// An endless expression of a console ends when the client says so, and the Worker goes on.
func TestTerminate(t *testing.T) {
	d := start(t)
	g, other := d.attach(), d.attach()
	g.write([]byte(`{"id":1000,"method":"Runtime.evaluate","params":{"expression":"console.log('in'); for (;;);"}}`))
	g.wait("Runtime.consoleAPICalled")
	if err := other.call("Runtime.terminateExecution", nil, nil); err != nil {
		t.Fatal(err)
	}
	for {
		if e := g.read(); e.ID == 1000 {
			break
		}
	}
	if status := <-d.get("/"); status != 200 {
		t.Errorf("status %d", status)
	}
}

// The methods that editors call without need are answered, and what is not served is refused by name.
func TestMethods(t *testing.T) {
	d := start(t)
	g := d.attach()
	for _, method := range []string{"Runtime.runIfWaitingForDebugger", "Debugger.setAsyncCallStackDepth",
		"Debugger.setBlackboxPatterns", "NodeWorker.enable", "NodeRuntime.enable", "Target.setAutoAttach",
		"Profiler.enable", "HeapProfiler.enable", "Network.enable", "Debugger.setInstrumentationBreakpoint"} {
		if err := g.call(method, nil, nil); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	for method, want := range map[string]string{
		"Nope.nope": "'Nope.nope' wasn't found", "HeapProfiler.takeHeapSnapshot": "cannot list the objects",
		"Profiler.takePreciseCoverage": "eddy test --coverage", "Debugger.restartFrame": "cannot begin a call again",
		"Profiler.stop": "No recording profiles found", "HeapProfiler.stopSampling": "was not started",
	} {
		if err := g.call(method, nil, nil); err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("%s: %v, expected %q", method, err, want)
		}
	}
	for path, want := range map[string]string{"/json/version": `"Protocol-Version":"1.3"`,
		"/json/list": `"webSocketDebuggerUrl":"ws://`, "/json/protocol": `"domain":"Profiler"`} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://127.0.0.1:9229"+path, nil)
		if d.server.ServeHTTP(w, r); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// FuzzServe: whatever a client sends, it gets JSON with the number of the request or nothing, and the Worker's loop
// goes on.
func FuzzServe(f *testing.F) {
	for name := range methods {
		f.Add(`{"id":1,"method":"` + name + `","params":{}}`)
		f.Add(`{"id":1,"method":"` + name + `","params":{"objectId":"1.1","scriptId":"1","callFrameId":"1.0",` +
			`"expression":"[1, {a: 2n}]","lineNumber":-1,"url":"x","location":{"scriptId":"1","lineNumber":1e9}}}`)
	}
	for _, text := range []string{"", "null", "[]", "{", `{"id":"x"}`, `{"id":1,"method":7}`,
		`{"id":9e99,"method":"Debugger.enable"}`, `{"id":1,"method":"Debugger.enable","params":[]}`,
		`{"id":1,"method":"Runtime.evaluate","params":{"expression":"throw null","contextId":-1}}`,
		`{"id":1,"method":"Runtime.evaluate","params":{"expression":"new Proxy({}, {ownKeys() { throw 1 }})",` +
			`"generatePreview":true}}`,
		`{"id":1,"method":"Runtime.callFunctionOn","params":{"functionDeclaration":"){(","executionContextId":1}}`,
		`{"id":1,"method":"Debugger.setBreakpointByUrl","params":{"urlRegex":"(","lineNumber":1}}`,
		`{"id":1,"method":"Debugger.searchInContent","params":{"scriptId":"1","query":"(","isRegex":true}}`,
		"{\"id\":1,\"method\":\"\\ud800\"}"} {
		f.Add(text)
	}
	d := start(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "for") || strings.Contains(text, "while") {
			return // what a person evaluates may compute for ever
		}
		c := &client{target: d.server.target("shop")}
		c.out.more = make(chan struct{}, 1)
		c.serve([]byte(text))
		if err := d.worker.Loop.Do(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		c.gone()
		c.out.Lock()
		defer c.out.Unlock()
		for _, data := range c.out.list {
			var e event
			if err := json.Unmarshal(data, &e); err != nil {
				t.Errorf("%q: %s: %v", text, data, err)
			}
		}
	})
}

// What a client is owed comes although the script that it lets go on ends the program at once.
func TestAnswerBeforeTheEnd(t *testing.T) {
	for range 8 {
		d := start(t)
		g := d.attach()
		if err := g.call("Debugger.setBreakpointByUrl", map[string]any{"urlRegex": "index.ts$", "lineNumber": 3},
			nil); err != nil {
			t.Fatal(err)
		}
		answer := d.get("/")
		g.wait("Debugger.paused")
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			<-answer
			d.server.Close()
		}()
		if err := g.call("Debugger.resume", nil, nil); err != nil {
			t.Fatal(err)
		}
		<-closed
		for err := error(nil); err == nil; { // what else was told, then the end
			_, _, err = g.conn.Read(context.Background())
		}
	}
}

// What a client has set is gone with Debugger.disable, before its answer, while another client stays.
func TestDisable(t *testing.T) {
	d := start(t)
	stays, g := d.attach(), d.attach()
	at := map[string]any{"urlRegex": "index.ts$", "lineNumber": 3}
	for range 2 {
		g.call("Debugger.enable", nil, nil)
		if err := g.call("Debugger.setBreakpointByUrl", at, nil); err != nil {
			t.Fatal(err)
		}
		answer := d.get("/")
		g.wait("Debugger.paused")
		stays.wait("Debugger.paused")
		if err := stays.call("Debugger.resume", nil, nil); err != nil {
			t.Fatal(err)
		}
		<-answer
		if err := g.call("Debugger.disable", nil, nil); err != nil {
			t.Fatal(err)
		}
		<-d.get("/") // nobody stops it
	}
	stays.call("Debugger.disable", nil, nil)
	g.call("Debugger.enable", nil, nil)
	if err := g.call("Debugger.setBreakpointByUrl", at, nil); err != nil {
		t.Fatal(err)
	}
	answer := d.get("/")
	g.wait("Debugger.paused")
	if err := g.call("Debugger.disable", nil, nil); err != nil { // of the last one lets the script go on
		t.Fatal(err)
	}
	<-answer
}

// A client that goes while a script is about to stop does not leave it stopped.
func TestGoneAtAPause(t *testing.T) {
	d := start(t)
	for range 100 {
		g := d.attach()
		if err := g.call("Debugger.setBreakpointByUrl", map[string]any{"urlRegex": "index.ts$", "lineNumber": 3},
			nil); err != nil {
			t.Fatal(err)
		}
		answer := d.get("/")
		g.conn.CloseNow()
		<-answer
	}
}

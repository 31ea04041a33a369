package browser

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/clock"
)

// fakeVariable makes the test's program a browser.
const fakeVariable = "EDDY_TEST_FAKE_BROWSER"

func TestMain(m *testing.M) {
	switch os.Getenv(fakeVariable) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Fprintln(os.Stderr, "no usable sandbox")
		os.Exit(1)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "noise\nDevTools listening on ws://%s/devtools/browser/own\n", l.Addr())
	panic(http.Serve(l, &fake{}))
}

// fake is a browser as far as the DevTools protocol needs one here: it answers commands, and echoes what it does not
// know.
type fake struct {
	mu    sync.Mutex
	asked []string // commands, and paths of requests
}

func (f *fake) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, what)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.note(r.Method + " " + r.URL.RequestURI())
	if r.Header.Get("Upgrade") == "" {
		if r.URL.Path == "/json/version" {
			fmt.Fprintf(w, `{"webSocketDebuggerUrl": "ws://%s/devtools/browser/own"}`, r.Host)
			return
		}
		fmt.Fprintf(w, `{"path": %q, "host": %v, "origin": %q}`, r.URL.RequestURI(), r.Host != "browser",
			r.Header.Get("Origin"))
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow() //nolint:errcheck // the test is over
	for {
		_, data, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		for _, line := range f.answers(data) {
			if ws.Write(context.Background(), websocket.MessageText, []byte(line)) != nil {
				return
			}
		}
	}
}

func (f *fake) answers(data []byte) []string {
	var c struct {
		ID     int
		Method string
		Params struct{ Expression, URL, Format, HTML string }
	}
	if json.Unmarshal(data, &c) != nil {
		return []string{string(data)}
	}
	f.note(c.Method)
	result := `{}`
	var events []string
	switch c.Method {
	case "Target.createTarget":
		result = `{"targetId": "t"}`
	case "Target.attachToTarget":
		result = `{"sessionId": "s"}`
	case "Page.navigate":
		if strings.Contains(c.Params.URL, "nowhere") {
			result = `{"loaderId": "l", "errorText": "net::ERR_NAME_NOT_RESOLVED"}`
			break
		}
		result = `{"loaderId": "l"}`
		events = []string{`{"method": "Page.lifecycleEvent", "params": {"loaderId": "other", "name": "load"}}`,
			`{"method": "Page.lifecycleEvent", "params": {"loaderId": "l", "name": "networkIdle"}}`}
	case "Page.captureScreenshot":
		result = `{"data": "UE5H"}`
	case "Page.printToPDF":
		result = `{"data": "UERG"}`
	case "Runtime.evaluate":
		ask := c.Params.Expression[strings.LastIndex(c.Params.Expression, "\n).")+3:]
		value, err := json.Marshal(ask)
		if err != nil {
			panic(err)
		}
		result = `{"result": {"value": ` + string(value) + `}}`
		if strings.HasPrefix(ask, "waitFor") {
			result = `{"result": {}, "exceptionDetails": {"text": "Uncaught", ` +
				`"exception": {"description": "Error: nothing"}}}`
		}
	}
	return append(events, fmt.Sprintf(`{"id": %d, "result": %s}`, c.ID, result))
}

// running serves browsers that are the fake at an address.
func running(t *testing.T) (*Browsers, *httptest.Server, *fake, *clock.Virtual) {
	t.Helper()
	f := &fake{}
	chrome := httptest.NewServer(f)
	t.Cleanup(chrome.Close)
	cl := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	cl.Pause()
	b := New(Options{Setting: chrome.URL, Clock: cl})
	srv := httptest.NewServer(b)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close(); _ = b.Close() })
	return b, srv, f, cl
}

func ask(t *testing.T, method, url, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(b))
}

func acquireOne(t *testing.T, srv *httptest.Server, query string) (id string) {
	t.Helper()
	var got struct{ SessionID string }
	if status, text := ask(t, "GET", srv.URL+"/v1/acquire"+query, ""); status != 200 ||
		json.Unmarshal([]byte(text), &got) != nil || got.SessionID == "" {
		t.Fatal(status, text)
	}
	return got.SessionID
}

// The routes, old and new, answer as the platform's (BIND-81, BIND-82): sessions, limits, history, and what is carried
// on to the browser, without an Origin that it would not let in.
func TestRoutes(t *testing.T) {
	_, srv, _, _ := running(t)
	id := acquireOne(t, srv, "")
	session := `{"sessionId":"` + id + `","startTime":1775044800000}`
	base := srv.URL + "/v1/devtools/browser/" + id
	for _, c := range []struct{ ask, want string }{
		{"GET " + srv.URL + "/v1/sessions", `200 {"sessions":[` + session + `]}`},
		{"GET " + srv.URL + "/v1/devtools/session", `200 [` + session + `]`},
		{"GET " + srv.URL + "/v1/devtools/session/" + id, `200 ` + session},
		{"GET " + srv.URL + "/v1/devtools/session/other", `404 {"error":"Session not found"}`},
		{"GET " + srv.URL + "/v1/limits", `200 {"activeSessions":[{"id":"` + id +
			`"}],"allowedBrowserAcquisitions":5,` +
			`"maxConcurrentSessions":6,"timeUntilNextAllowedBrowserAcquisition":0}`},
		{"GET " + srv.URL + "/v1/history", `200 {"history":[]}`},
		{"GET " + base + "/json/list", `200 {"path": "/json/list", "host": true, "origin": ""}`},
		{"GET " + base + "/json", `200 {"path": "/json/list", "host": true, "origin": ""}`},
		{"GET " + base + "/json/protocol", `200 {"path": "/json/protocol", "host": true, "origin": ""}`},
		{"PUT " + base + "/json/new?url=http%3A%2F%2Fx%2F",
			`200 {"path": "/json/new?http%3A%2F%2Fx%2F", "host": true, ` +
				`"origin": ""}`},
		{"GET " + base + "/json/activate/t1", `200 {"path": "/json/activate/t1", "host": true, "origin": ""}`},
		{"GET " + base + "/json/close/t1", `200 {"path": "/json/close/t1", "host": true, "origin": ""}`},
		{"GET " + srv.URL + "/v1/devtools/browser/other/json/list", `404 {"error":"Browser not found"}`},
		{"GET " + srv.URL + "/v1/connectDevtools", `400 browser_session must be set`},
		{"GET " + srv.URL + "/v1/connectDevtools?browser_session=other", `404 {"error":"Browser not found"}`},
		{"DELETE " + base, `200 {"status":"closed"}`},
		{"GET " + srv.URL + "/v1/sessions", `200 {"sessions":[]}`},
		{"GET " + srv.URL + "/v1/history", `200 {"history":[{"sessionId":"` + id + `","startTime":1775044800000,` +
			`"endTime":1775044800000,"closeReason":1,"closeReasonText":"NormalClosure"}]}`},
	} {
		method, url, _ := strings.Cut(c.ask, " ")
		if status, text := ask(t, method, url, ""); fmt.Sprint(status, " ", text) != c.want {
			t.Errorf("%s: %d %s\nwant %s", c.ask, status, text, c.want)
		}
	}
}

// A client speaks with the browser by the plain protocol, several at once, and by the older framing, one at a time; a
// browser that is closed takes its connections along (BIND-82).
func TestConnections(t *testing.T) {
	_, srv, _, _ := running(t)
	id := acquireOne(t, srv, "")
	connect := func(path string) *websocket.Conn {
		t.Helper()
		ws, res, err := websocket.Dial(t.Context(), srv.URL+path, nil)
		if err != nil || res.Header.Get("Cf-Browser-Session-Id") != id && !strings.Contains(path, "/page/") {
			t.Fatal(path, res, err)
		}
		t.Cleanup(func() { _ = ws.CloseNow() })
		return ws
	}
	say := func(ws *websocket.Conn, kind websocket.MessageType, b []byte) []byte {
		t.Helper()
		if err := ws.Write(t.Context(), kind, b); err != nil {
			t.Fatal(err)
		}
		_, got, err := ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first, second := connect("/v1/devtools/browser/"+id), connect("/v1/devtools/browser/"+id)
	page := connect("/v1/devtools/browser/" + id + "/page/t1")
	for _, ws := range []*websocket.Conn{first, second, page} {
		if got := say(ws, websocket.MessageText, []byte("echo")); string(got) != "echo" {
			t.Errorf("got %q", got)
		}
	}
	old := connect("/v1/connectDevtools?browser_session=" + id)
	frame := append(binary.LittleEndian.AppendUint32(nil, 5), "hello"...)
	if err := old.Write(t.Context(), websocket.MessageText, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if err := old.Write(t.Context(), websocket.MessageBinary, frame[:6]); err != nil {
		t.Fatal(err)
	}
	if got := say(old, websocket.MessageBinary, frame[6:]); !bytes.Equal(got, frame) {
		t.Errorf("framed: %q", got)
	}
	if status, text := ask(t, "GET", srv.URL+"/v1/connectDevtools?browser_session="+id, ""); status != 409 {
		t.Errorf("a second one: %d %s", status, text)
	}
	ask(t, "DELETE", srv.URL+"/v1/devtools/browser/"+id, "")
	for _, ws := range []*websocket.Conn{first, second, page, old} {
		if _, _, err := ws.Read(t.Context()); err == nil {
			t.Error("a connection outlives its browser")
		}
	}
}

// Six browsers run at once; the next one is refused with 429. One that nobody uses is closed after a minute, or after
// what keep_alive says, at most ten minutes (BIND-83).
func TestLimits(t *testing.T) {
	b, srv, _, cl := running(t)
	ids := []string{acquireOne(t, srv, "?keep_alive=120000"), acquireOne(t, srv, "?keep_alive=99999999")}
	for range 4 {
		ids = append(ids, acquireOne(t, srv, ""))
	}
	if status, text := ask(t, "GET", srv.URL+"/v1/acquire", ""); status != 429 || !strings.Contains(text, "6 at once") {
		t.Errorf("the seventh: %d %s", status, text)
	}
	left := func(want int) {
		t.Helper()
		for len(b.views()) > want { // closing goes on beside the clock
			if t.Context().Err() != nil {
				t.Fatal("too many are left")
			}
		}
		if n := len(b.views()); n != want {
			t.Errorf("%d are left, want %d", n, want)
		}
	}
	cl.Advance(t.Context(), time.Minute)
	left(2)
	cl.Advance(t.Context(), time.Minute)
	left(1)
	if b.views()[0].SessionID != ids[1] {
		t.Error("another one is left")
	}
	cl.Advance(t.Context(), 8*time.Minute)
	left(0)
}

// Quick actions open a page, wait as they are told, and give the result in the platform's form; what has no local form
// is refused by name (BIND-80, BIND-84).
func TestQuickActions(t *testing.T) {
	b, srv, f, _ := running(t)
	for _, c := range []struct{ action, options, want string }{
		{"screenshot", `{"url": "http://x/", "gotoOptions": {"waitUntil": "networkidle0"}}`, `200 PNG`},
		{"screenshot", `{"html": "<p>", "screenshotOptions": {"type": "jpeg", "quality": 50, "encoding": "base64"}}`,
			`200 UE5H`},
		{"pdf", `{"html": "<p>", "pdfOptions": {"format": "A4", "margin": {"top": "1cm", "left": 96}}}`, `200 PDF`},
		{"content", `{"html": "<p>"}`, `200 {"result":"content()","success":true}`},
		{"markdown", `{"html": "<p>"}`, `200 {"result":"markdown()","success":true}`},
		{"links", `{"html": "<p>", "visibleLinksOnly": true}`, `200 {"result":"links(true,false)","success":true}`},
		{"scrape", `{"html": "<p>", "elements": [{"selector": "li"}]}`,
			`200 {"result":"scrape([{\"selector\":\"li\"}])","success":true}`},
		{"snapshot", `{"html": "<p>"}`, `200 {"result":{"content":"content()","screenshot":"UE5H"},"success":true}`},
		{"json", `{"html": "<p>"}`, `400 quickAction(\"json\") has no local form`},
		{"content", `{"html": "<p>", "cookies": []}`, `400 unknown field \"cookies\"`},
		{"content", `{}`, `400 either url or html`},
		{"content", `{"url": "http://nowhere/"}`, `400 net::ERR_NAME_NOT_RESOLVED`},
		{"content", `{"url": "http://x/", "gotoOptions": {"waitUntil": "never"}}`, `400 waitUntil knows no \"never\"`},
		{"content", `{"html": "<p>", "waitForSelector": {"selector": "a"}}`, `400 Error: nothing`},
		{"pdf", `{"html": "<p>", "pdfOptions": {"width": "wide"}}`, `400 is no length`},
		{"scrape", `{"html": "<p>"}`, `400 should have elements`},
	} {
		status, text := ask(t, "POST", srv.URL+"/v1/quick-action/"+c.action, c.options)
		wanted, part, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(status) != wanted || status == 200 && text != part || !strings.Contains(text, part) {
			t.Errorf("%s %s: %d %s", c.action, c.options, status, text)
		}
	}
	if n := len(b.views()); n > 0 {
		t.Errorf("%d browsers are left", n)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if all := strings.Join(f.asked, " "); !strings.Contains(all, "Page.enable Page.setLifecycleEventsEnabled") {
		t.Errorf("asked: %s", all)
	}
}

// A browser is a process with a profile of its own, which both end with it and with the session. What a killed session
// has left is removed. One that does not start says why, and where none is installed the error says what to do.
func TestProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	profiles := t.TempDir()
	if err := os.MkdirAll(filepath.Join(profiles, "999999999-old"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := New(Options{Setting: self, Profiles: profiles, Clock: clock.Real{}})
	t.Setenv(fakeVariable, "1")
	a, err := b.acquire(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.acquire(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(profiles)
	if err != nil || len(list) != 2 {
		t.Errorf("profiles: %v, %v", list, err)
	}
	b.close(a.id, 1, "")
	<-a.process.done
	third, err := b.acquire(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	end(third.process.cmd)    // it ends by itself
	for len(b.views()) != 1 { // which is noticed beside this test
		if t.Context().Err() != nil {
			t.Fatal("a browser that has ended is still listed")
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	<-other.process.done
	if list, err = os.ReadDir(profiles); err != nil || len(list) != 0 {
		t.Errorf("profiles at the end: %v, %v", list, err)
	}
	if _, err := b.acquire(t.Context(), 0); err == nil {
		t.Error("a browser after the end")
	}
	t.Setenv(fakeVariable, "broken")
	b = New(Options{Setting: self, Profiles: profiles, Clock: clock.Real{}})
	if _, err := b.acquire(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "no usable sandbox") {
		t.Errorf("a broken one: %v", err)
	}
	if _, err := New(Options{Setting: "/nowhere/chrome", Profiles: profiles, Clock: clock.Real{}}).acquire(t.Context(),
		0); err == nil || !strings.Contains(err.Error(), "/nowhere/chrome of the settings") {
		t.Errorf("one that is not there: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	places = nil
	if _, err := New(Options{Profiles: profiles, Clock: clock.Real{}}).acquire(t.Context(), 0); err == nil ||
		!strings.Contains(err.Error(), "apt-get install chromium") {
		t.Errorf("without a browser: %v", err)
	}
}

// Chunks of the older framing come from a Worker: whatever they are, they are messages or a refusal.
func FuzzChunks(f *testing.F) {
	f.Add([]byte{5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o'}, 3)
	f.Add([]byte{255, 255, 255, 255}, 1)
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		at = min(max(at, 0), len(b))
		var u, whole unframer
		var parts [][]byte
		for _, chunk := range [][]byte{b[:at], b[at:]} {
			got, err := u.add(chunk)
			if err != nil {
				return
			}
			parts = append(parts, got...)
		}
		all, err := whole.add(b)
		if err != nil || len(all) != len(parts) {
			t.Errorf("%d messages in chunks, %d at once, %v", len(parts), len(all), err)
		}
	})
}

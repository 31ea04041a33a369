package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"eddy/runtime/explorer"
)

// explored is a session with the explorer's pages.
type explored struct {
	*served
	dir  string // of the project
	live *bufio.Scanner
}

// startExplored starts the shop with the journal on and listens to the live stream.
func startExplored(t *testing.T, change ...func(*Options)) *explored {
	p := newProject(t, "wrangler.jsonc", script("explorer", "wrangler.jsonc"), "index.js",
		script("explorer", "index.js"))
	s := p.serve(append(change, func(o *Options) { o.Journal = JournalOn })...)
	res, err := http.Get(s.web.URL + "/cdn-cgi/eddy/live")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return &explored{s, p.dir, bufio.NewScanner(res.Body)}
}

// until asks for a page again, after each word of the live stream, until it holds a text.
func (e *explored) until(path, want string) string {
	e.t.Helper()
	for {
		if _, body := e.ask("GET", "/cdn-cgi/eddy/"+path, ""); strings.Contains(body, want) {
			return body
		}
		for e.live.Scan() && e.live.Text() != "event: change" {
		}
		if e.live.Err() != nil {
			e.t.Fatalf("%s never has %q: %v", path, want, e.live.Err())
		}
	}
}

// form posts an act as a page does.
func (e *explored) form(path string, values ...string) (*http.Response, string) {
	e.t.Helper()
	_, page := e.ask("GET", "/cdn-cgi/eddy/time", "")
	form := url.Values{"token": {between(page, `name="token" value="`, `"`)}}
	for i := 0; i+1 < len(values); i += 2 {
		form.Add(values[i], values[i+1])
	}
	return e.ask("POST", "/cdn-cgi/eddy/"+path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Origin", "http://localhost")
}

// act posts an act as a script does, and returns what was done.
func (e *explored) act(path, body string) string {
	e.t.Helper()
	res, answer := e.ask("POST", "/cdn-cgi/eddy/"+path, body, "Content-Type", "application/json")
	var done struct{ Said string }
	if err := json.Unmarshal([]byte(answer), &done); err != nil || res.StatusCode != 200 {
		e.t.Fatalf("%s: %d %s", path, res.StatusCode, answer)
	}
	return done.Said
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// markup is a body that would be markup, that reorders text and that a terminal obeys.
const markup = `"><script src=//x></script><img onerror=x>{{.}}` + "\u202eevil\x00\x1b[2J\x9b😀'"

// A failing message is seen failing, dying, being edited and replayed, in pages that a browser and a script can read.
func TestExplorerMessageLife(t *testing.T) {
	e := startExplored(t)
	e.ask("POST", "/send", "bad")
	e.until("queues/jobs", ">delayed")
	e.clock.Advance(t.Context(), 10*time.Second)
	page := e.until("dead-letters/jobs-dlq", "TypeError: cannot do bad")
	id := between(page, `name="ids" value="`, `"`)
	e.until("messages/"+id[:8], id)
	life := e.until("messages/"+id, "Attempt 3")
	for _, want := range []string{"Attempt 1", "Attempt 2", "POST http", "index.js:", "job bad", "1000ms later",
		"a dead letter of", "cannot do &#34; &#43; message.body"} {
		if !strings.Contains(life, want) {
			t.Errorf("the life of the message lacks %q:\n%s", want, life)
		}
	}
	if _, diff := e.ask("GET", "/cdn-cgi/eddy/dead-letters/jobs-dlq/"+id+"?body=a+good+one&content_type=text",
		""); !strings.Contains(diff, "<del>-bad</del>\n<ins>+a good one</ins>") {
		t.Errorf("the edit shows no diff:\n%s", diff)
	}
	long := strings.Repeat("é", 60_000)
	res, _ := e.form("dead-letters/jobs-dlq/edit", "id", id, "body", long, "content_type", "text", "compare", "1")
	if _, diff := e.ask("GET", res.Header.Get("Location"), ""); !strings.Contains(diff, "<ins>+"+long) {
		t.Errorf("a large edit leads to %s and shows no diff", res.Header.Get("Location"))
	}
	if res, _ := e.ask("GET", "/cdn-cgi/eddy/dead-letters/jobs-dlq/"+id+"?draft=none", ""); res.StatusCode != 404 {
		t.Errorf("an edit that nobody sent: %d", res.StatusCode)
	}
	res, _ = e.form("dead-letters/jobs-dlq/edit", "id", id, "body", "a good one", "content_type", "text", "replay",
		"1",
		"note", "a typo")
	if res.StatusCode != 303 || !strings.HasPrefix(res.Header.Get("Location"), "/cdn-cgi/eddy/messages/"+id+"?said=") {
		t.Fatalf("edit: %d, to %s", res.StatusCode, res.Header.Get("Location"))
	}
	if _, said := e.ask("GET", res.Header.Get("Location"), ""); !strings.Contains(said, "edited and replayed "+id) {
		t.Errorf("the page does not say what was done:\n%s", said)
	}
	life = e.until("messages/"+id, "It waits in no queue")
	e.until("messages/"+id, ": ack")
	if !strings.Contains(life, "a typo") {
		t.Errorf("the life lacks the note:\n%s", life)
	}
}

// Every page stands with hostile bodies, keys and names: nothing of them becomes markup, nothing loads or frames
// anything, and the model is JSON at the same address.
func TestExplorerHostile(t *testing.T) {
	e := startExplored(t)
	e.ask("POST", "/send", markup)
	e.ask("POST", "/send", strings.Repeat("x", 120_000)+"good")
	e.ask("POST", "/stored", markup)
	e.act("workflows/refund/trigger", `{"id": "one", "params": "{\"a\": \"<b>\"}"}`)
	e.act("queues/jobs/send", `{"body": "1\n2\n\n3", "lines": true, "delay": 60}`)
	if res, body := e.ask("POST", "/cdn-cgi/handler/email?from=a@b.c&to=d@e.f", markup); res.StatusCode == 200 {
		t.Errorf("email: %s", body)
	}
	e.clock.Advance(t.Context(), 10*time.Second)
	page := e.until("dead-letters/jobs-dlq", "TypeError: cannot do")
	dead := between(page, `name="ids" value="`, `"`)
	objects := e.until("objects", "/cdn-cgi/eddy/objects/shop-Cart/")
	object := between(objects, `/cdn-cgi/eddy/objects/shop-Cart/`, `"`)
	events := e.until("events", "POST http")
	trace := between(events, "/cdn-cgi/eddy/traces/", `#`)
	q := url.QueryEscape
	for _, path := range []string{"", "queues", "queues/jobs", "queues/jobs?state=delayed&text=2",
		"queues/jobs?text=" + q(markup),
		"messages/" + dead, "dead-letters", "dead-letters/jobs-dlq", "dead-letters/jobs-dlq?error=" + q(markup),
		"dead-letters/jobs-dlq/" + dead, "dead-letters/jobs-dlq/" + dead + "?content_type=text&body=" + q(markup),
		"objects", "objects?q=" + q(markup), "objects/shop-Cart/" + object,
		"objects/shop-Cart/" + object + "?sql=" + q("SELECT *, x'00', 1.5, NULL FROM items"),
		"objects/shop-Cart/" + object + "?sql=" + q(markup), "lanes", "events", "events?q=" + q(markup),
		"events?q=queue:jobs+error+attempt:>1+dur:>=0", "traces/" + trace, "time", "stores", "kv/cache",
		"kv/cache?key=" + q(markup), "d1/db1", "d1/db1?sql=" + q("SELECT * FROM t"), "r2/files",
		"r2/files?key=" + q(markup), "workflows", "workflows/refund", "workflows/refund/one", "email"} {
		res, body := e.ask("GET", "/cdn-cgi/eddy/"+path, "")
		if res.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
			continue
		}
		checkPage(t, path, res, body)
		e.settles(path, res.Header.Get("ETag"))
		res, model := e.ask("GET", "/cdn-cgi/eddy/"+path, "", "Accept", "application/json")
		if !json.Valid([]byte(model)) || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s as JSON: %d %s", path, res.StatusCode, model)
		}
	}
	for path, status := range map[string]int{"nope": 404, "queues/nope": 404, "messages/zz": 400, "messages/0123": 404,
		"traces/0123456": 404, "kv/..%2f..%2fetc": 404, "email/..%2fx": 404, "workflows/x": 404,
		"workflows/refund/x":     404,
		"objects/shop-Cart/0000": 404, "events?q=dur:x": 400, "asset/..%2fdoc.go": 404} {
		res, body := e.ask("GET", "/cdn-cgi/eddy/"+path, "")
		if res.StatusCode != status {
			t.Errorf("%s: %d, want %d: %s", path, res.StatusCode, status, body)
		}
		if !strings.HasPrefix(path, "asset") {
			checkPage(t, path, res, body)
		}
	}
}

// settles asks for a page until it is the one that was asked for before: what the Worker did a moment ago may still
// become an event between two looks, and then nothing is left that may change the page.
func (e *explored) settles(path, tag string) {
	e.t.Helper()
	for range 200 {
		res, _ := e.ask("GET", "/cdn-cgi/eddy/"+path, "", "If-None-Match", tag)
		if res.StatusCode == 304 {
			return
		}
		tag = res.Header.Get("ETag")
	}
	e.t.Errorf("%s is another page whenever it is asked for", path)
}

// checkPage checks the headers of a page and that none of the hostile body became markup.
func checkPage(t *testing.T, path string, res *http.Response, body string) {
	t.Helper()
	if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp,
		"default-src 'self'; frame-ancestors 'none'") {
		t.Errorf("%s: Content-Security-Policy %q", path, csp)
	}
	z := html.NewTokenizer(strings.NewReader(body))
	field := false // in a text field, which holds what is edited as it is
	for z.Next() != html.ErrorToken {
		tok := z.Token()
		if tok.Type == html.TextToken && !field && strings.ContainsAny(tok.Data, "\x00\x1b\u202e\u009b") {
			t.Errorf("%s has control characters in %q", path, tok.Data)
		}
		if tok.Data == "textarea" {
			field = tok.Type == html.StartTagToken
		}
		if tok.Type != html.StartTagToken && tok.Type != html.SelfClosingTagToken {
			continue
		}
		for _, a := range tok.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" && !strings.HasPrefix(a.Val,
				"/cdn-cgi/eddy/asset/") ||
				tok.Data == "img" || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("%s has %s", path, tok)
			}
		}
		if tok.Data == "script" && (len(tok.Attr) != 2 || tok.Attr[1].Key != "src") {
			t.Errorf("%s has %s", path, tok)
		}
	}
}

// Acts need the token of a page or are JSON, and do what they say.
func TestExplorerActs(t *testing.T) {
	e := startExplored(t)
	for _, c := range []struct {
		body, kind string
		status     int
	}{
		{"by=1s", "application/x-www-form-urlencoded", 403},
		{"token=guessed&by=1s", "application/x-www-form-urlencoded", 403},
		{`{"by": "1s"}`, "text/plain", 403},
		{`{"by": "1s"`, "application/json", 400},
		{`{"by": {}}`, "application/json", 400},
		{`{"by": "soon"}`, "application/json", 400},
		{`{"by": "1s"}`, "application/json", 200},
	} {
		if res, body := e.ask("POST", "/cdn-cgi/eddy/time/advance", c.body, "Content-Type",
			c.kind); res.StatusCode != c.status {
			t.Errorf("%s as %s: %d %s, want %d", c.body, c.kind, res.StatusCode, body, c.status)
		}
	}
	if res, _ := e.form("time/advance", "by", "1s", "back", "https://evil.example/"); res.StatusCode != 303 ||
		!strings.HasPrefix(res.Header.Get("Location"), "/cdn-cgi/eddy/?said=") {
		t.Errorf("an act leads to %s", res.Header.Get("Location"))
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	want(e.act("queues/jobs/pause", `{}`), "deliveries are paused")
	want(e.act("queues/jobs/send", `{"body": "\"good\"\n\"good\"", "lines": true}`), "sent 2 messages")
	want(e.act("queues/jobs/send", `{"body": "AAE=", "content_type": "bytes"}`), "sent 1 message")
	var found struct {
		Matches  int
		Messages []struct{ Ref, ID string }
	}
	_, model := e.ask("GET", "/cdn-cgi/eddy/queues/jobs?text=good&format=json", "")
	if err := json.Unmarshal([]byte(model), &found); err != nil || found.Matches != 2 {
		t.Fatalf("%v: %s", err, model)
	}
	want(e.act("queues/jobs/remove", `{"ref": ["`+found.Messages[0].Ref+`"]}`), "removed 1 message")
	want(e.act("queues/jobs/purge", `{}`), "deleted 2 messages")
	want(e.act("queues/jobs/resume", `{}`), "deliveries go on")
	want(e.act("crons/run", `{"worker": "shop", "cron": "*/5 * * * *"}`), "ran */5 * * * * of shop")
	want(e.act("kv/cache/put", `{"key": "a", "value": "aGk=", "base64": true, "metadata": "{}"}`), "stored a")
	e.until("kv/cache?key=a", ">hi</textarea>")
	want(e.act("kv/cache/delete", `{"key": "a"}`), "deleted a")
	want(e.act("r2/files/put", `{"key": "a/b", "value": "hi"}`), "stored a/b")
	e.until("r2/files?key=a%2fb", "<pre>hi</pre>")
	want(e.act("r2/files/delete", `{"key": "a/b"}`), "deleted a/b")
	e.ask("POST", "/stored", "ann")
	want(e.act("d1/db1/run", `{"sql": "INSERT INTO t VALUES ('x'); SELECT 1", "write": true}`), "ran 2 statements")
	e.until("d1/db1?sql=SELECT+count(*)+AS+n+FROM+t", "<td>2</td>")
	e.until("d1/db1?sql=DELETE+FROM+t", `role="alert"`)
	object := between(e.until("objects", "shop-Cart/"), `/cdn-cgi/eddy/objects/shop-Cart/`, `"`)
	want(e.act("objects/shop-Cart/"+object+"/sql", `{"sql": "DELETE FROM items", "write": true}`),
		"done, 0 rows came back")
	e.until("objects/shop-Cart/"+object+"?sql=DELETE+FROM+items", `role="alert"`)
	e.until("time", ">alarm<")
	want(e.act("objects/shop-Cart/"+object+"/alarm/drop", `{}`), "the alarm is deleted")
	e.ask("POST", "/stored", "ann")
	want(e.act("objects/shop-Cart/"+object+"/alarm/fire", `{}`), "the alarm rings")
	want(e.act("queues/jobs/send", `{"body": "\"good\"", "delay": 1000}`), "sent 1 message")
	e.until("time", ">delay<")
	want(e.act("queues/jobs/deliver", `{}`), "what is ready goes out now; 1 message had a delay")
	past := e.until("objects/shop-Cart/"+object, "Back to here")
	before := between(past, `name="bookmark" value="`, `"`)
	want(e.act("objects/shop-Cart/"+object+"/sql", `{"sql": "INSERT INTO items VALUES ('lost')", "write": true}`),
		"done, 0 rows came back")
	e.until("objects/shop-Cart/"+object+"?sql=SELECT+name+FROM+items", "<td>lost</td>")
	said := e.act("objects/shop-Cart/"+object+"/restore", `{"bookmark": "`+before+`"}`)
	e.ask("POST", "/stored", "ann") // the next event finds what it was
	if _, page := e.ask("GET", "/cdn-cgi/eddy/objects/shop-Cart/"+object+"?sql=SELECT+name+FROM+items",
		""); strings.Contains(page,
		"<td>lost</td>") || !strings.HasPrefix(said, "the object is what it was; the bookmark that undoes this: ") {
		t.Errorf("restored: %s\n%s", said, page)
	}
	want(e.act("objects/shop-Cart/"+object+"/evict", `{}`), "taken out of memory")
	// An object that is not in memory goes back at once.
	_, undo, _ := strings.Cut(said, "undoes this: ")
	e.act("objects/shop-Cart/"+object+"/restore", `{"bookmark": "`+undo+`"}`)
	e.until("objects/shop-Cart/"+object+"?sql=SELECT+name+FROM+items", "<td>lost</td>")
	if res, answer := e.ask("POST", "/cdn-cgi/eddy/objects/shop-Cart/"+object+"/restore", `{"bookmark": "none"}`,
		"Content-Type", "application/json"); res.StatusCode != 409 {
		t.Errorf("a bookmark that is none: %d %s", res.StatusCode, answer)
	}
	want(e.act("objects/shop-Cart/"+object+"/delete", `{}`), "deleted the object "+object)
	want(e.act("workflows/refund/trigger", `{"id": "one"}`), "created one")
	want(e.act("workflows/refund/one/send-event", `{"type": "approved", "payload": "{\"by\": \"ann\"}"}`),
		"sent approved")
	e.clock.Advance(t.Context(), time.Second)
	e.until("workflows/refund/one", "&#34;by&#34;: &#34;ann&#34;")
	want(e.act("workflows/refund/one/restart", `{}`), "restarted one")
	want(e.act("workflows/refund/one/terminate", `{}`), "terminated one")
}

// wrangler's addresses of its explorer lead to eddy's, and its API stays where it was.
func TestExplorerAddresses(t *testing.T) {
	e := startExplored(t)
	for _, path := range []string{"/cdn-cgi/eddy", "/cdn-cgi/explorer", "/cdn-cgi/explorer/",
		"/cdn-cgi/local/explorer"} {
		if res, _ := e.ask("GET", path, ""); res.StatusCode != 302 || res.Header.Get("Location") != "/cdn-cgi/eddy/" {
			t.Errorf("%s: %d to %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	if res, _ := e.ask("GET", "/cdn-cgi/local/explorer/api/workflows", ""); res.StatusCode != 200 {
		t.Errorf("the API of workflows: %d", res.StatusCode)
	}
	if res, _ := e.ask("GET", "/cdn-cgi/eddy/", "", "Sec-Fetch-Site", "cross-site"); res.StatusCode != 403 {
		t.Errorf("a page of another site: %d", res.StatusCode)
	}
	_, doc := e.ask("GET", "/cdn-cgi/eddy/openapi.json", "")
	var api struct {
		OpenAPI string
		Paths   map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(doc), &api); err != nil || api.OpenAPI != "3.1.1" || len(api.Paths) < 40 {
		t.Errorf("the OpenAPI document: %v, %d paths", err, len(api.Paths))
	}
}

// A trace is captured, replayed and made a file of the project from its page.
func TestExplorerCapture(t *testing.T) {
	var replayed string
	e := startExplored(t, func(o *Options) {
		o.Replay = func(_ context.Context, lines []byte) (string, bool, error) {
			replayed = string(lines)
			return "it " + markup, true, nil
		}
	})
	e.ask("POST", "/send", "good")
	page := e.until("events?q=queue:jobs", "QUEUE jobs")
	trace := between(page, `/cdn-cgi/eddy/traces/`, `#`)
	e.until("traces/"+trace, "POST http") // the request's event may end after that of the batch
	res, file := e.ask("GET", "/cdn-cgi/eddy/traces/"+trace+"/capture", "")
	if res.Header.Get("Content-Disposition") != `attachment; filename="`+trace[:12]+`.replay.jsonl"` ||
		!strings.Contains(file, `"kind":"queue"`) || strings.Count(file, "\n") != 2 {
		t.Errorf("captured: %v\n%s", res.Header, file)
	}
	res, _ = e.form("traces/" + trace + "/replay")
	_, shown := e.ask("GET", res.Header.Get("Location"), "")
	if checkPage(t, "the replay", res, shown); replayed != file || !strings.Contains(shown,
		"Something came otherwise") {
		t.Errorf("replayed %q:\n%s", replayed, shown)
	}
	said := e.act("traces/"+trace+"/regression", `{"name": "good"}`)
	written, err := os.ReadFile(filepath.Join(e.dir, "good.replay.jsonl"))
	if err != nil || string(written) != file || !strings.HasSuffix(said, "good.replay.jsonl, which eddy test runs") {
		t.Errorf("%s: %v\n%s", said, err, written)
	}
	for _, body := range []string{`{"name": "good"}`, `{"name": "../x"}`, `{}`} {
		if res, answer := e.ask("POST", "/cdn-cgi/eddy/traces/"+trace+"/regression", body, "Content-Type",
			"application/json"); res.StatusCode != 400 {
			t.Errorf("%s: %d %s", body, res.StatusCode, answer)
		}
	}
}

// workQueue is a work queue that remembers what was done to it.
type workQueue struct{ done []string }

func (w *workQueue) Topics(context.Context) ([]explorer.TopicRow, error) {
	return []explorer.TopicRow{{Topic: "app.default.<orders>", Ready: 2, Claimed: 1}}, nil
}

func (w *workQueue) Jobs(_ context.Context, topic string, _ int) ([]explorer.JobRow, error) {
	return []explorer.JobRow{{ID: "j1", Topic: topic, State: "ready", Payload: markup},
		{ID: "j2", Topic: topic, State: "claimed", Bytes: []byte(markup)}}, nil
}

func (w *workQueue) Dead(_ context.Context, topic string, _ int) ([]explorer.JobRow, error) {
	return []explorer.JobRow{{ID: "j3", Origin: "app.default.<orders>", Error: markup}}, nil
}

func (w *workQueue) Requeue(_ context.Context, topic string, ids []string) (int, error) {
	w.done = append(w.done, fmt.Sprint("requeue ", topic, ids))
	return 1, nil
}

func (w *workQueue) Drain(_ context.Context, topic string) (int, error) {
	w.done = append(w.done, "drain "+topic)
	return 2, nil
}

func (w *workQueue) Close(context.Context) error { return nil }

// The Go work queue that eddy dev was told of has pages of its own; a session without one says how it gets one.
func TestExplorerWork(t *testing.T) {
	q := &workQueue{}
	e := startExplored(t, func(o *Options) {
		o.Work = func(context.Context) (explorer.WorkQueue, error) { return q, nil }
	})
	const topic = "work/app.default.%3Corders%3E"
	for path, want := range map[string]string{"": ">Work queue</a>", "work": "app.default.&lt;orders&gt;</a>",
		topic: "00000000  22 3e 3c 73"} {
		res, page := e.ask("GET", "/cdn-cgi/eddy/"+path, "")
		checkPage(t, path, res, page)
		if !strings.Contains(page, want) {
			t.Errorf("%q lacks %s:\n%s", path, want, page)
		}
	}
	e.act(topic+"/requeue", `{"ids": ["j3"]}`)
	e.act(topic+"/requeue", `{"all": true}`)
	if said := e.act(topic+"/drain", `{}`); said != "removed 2 jobs" {
		t.Errorf("drain said %q", said)
	}
	if res, _ := e.ask("POST", "/cdn-cgi/eddy/"+topic+"/requeue", `{}`, "Content-Type",
		"application/json"); res.StatusCode != 400 {
		t.Errorf("nothing was ticked: %d", res.StatusCode)
	}
	want := "[requeue app.default.<orders>[j3] requeue app.default.<orders>[] drain app.default.<orders>]"
	if got := fmt.Sprint(q.done); got != want {
		t.Errorf("done: %s", got)
	}
	bare := startExplored(t)
	if res, page := bare.ask("GET", "/cdn-cgi/eddy/work", ""); res.StatusCode != 404 ||
		!strings.Contains(page, "--work-dsn") || strings.Contains(page, ">Work queue</a>") {
		t.Errorf("without a work queue: %d %s", res.StatusCode, page)
	}
}

// Messages are found by when they were sent, lines become as many batches as they need, what is ticked alone is
// delivered, and the leases of pullers are shown with their ends.
func TestExplorerQueue(t *testing.T) {
	e := startExplored(t)
	e.act("queues/jobs/pause", `{}`)
	lines := strings.TrimSuffix(strings.Repeat("1\n", 250), "\n")
	if said := e.act("queues/jobs/send", `{"body": `+strconv.Quote(lines)+`, "lines": true}`); said !=
		"sent 250 messages" {
		t.Errorf("lines: %s", said)
	}
	e.clock.Advance(t.Context(), time.Hour)
	e.act("queues/jobs/send", `{"body": "2", "delay": 60}`)
	for query, want := range map[string]int{"": 251, "since=30m": 1, "until=30m": 250, "since=30m&until=20m": 0,
		"state=delayed&since=1h": 1} {
		var found struct{ Matches int }
		_, model := e.ask("GET", "/cdn-cgi/eddy/queues/jobs?format=json&"+query, "")
		if err := json.Unmarshal([]byte(model), &found); err != nil || found.Matches != want {
			t.Errorf("%q: %d match, %v, want %d", query, found.Matches, err, want)
		}
	}
	for path, body := range map[string]string{"queues/jobs/deliver": `{"chosen": true}`, "queues/jobs/remove": `{}`,
		"queues/jobs/send": `{"body": "1\nfog", "lines": true}`} {
		if res, answer := e.ask("POST", "/cdn-cgi/eddy/"+path, body, "Content-Type",
			"application/json"); res.StatusCode != 400 {
			t.Errorf("%s: %d %s", path, res.StatusCode, answer)
		}
	}
	if res, page := e.ask("GET", "/cdn-cgi/eddy/queues/jobs?since=soon", ""); res.StatusCode != 400 {
		t.Errorf("since soon: %d %s", res.StatusCode, page)
	}
	e.act("queues/pulled/send", `{"body": "1"}`)
	_, model := e.ask("GET", "/cdn-cgi/eddy/queues/pulled?format=json", "")
	if res, answer := e.ask("POST", "/cdn-cgi/eddy/client/v4/accounts/a/queues/"+between(model, `"id": "`, `"`)+
		"/messages/pull", `{}`, "Content-Type", "application/json", "Authorization",
		"Bearer a"); res.StatusCode != 200 {
		t.Fatalf("pull: %d %s", res.StatusCode, answer)
	}
	e.until("queues/pulled", "Open leases")
	e.until("queues/pulled?state=in+flight", ">lease <code>")
}

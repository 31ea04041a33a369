package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"eddy/runtime"
	"eddy/runtime/control"
	"eddy/runtime/testrun"
)

func shop(t *testing.T) runtime.Options {
	t.Helper()
	dir, err := filepath.Abs("../runtimetest/testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	return runtime.Options{Dir: dir}
}

// client is a test in another language: all it has is the API of a session.
type client struct {
	t       *testing.T
	handler http.Handler
}

func newClient(t *testing.T) client {
	t.Helper()
	o := shop(t)
	searcher := NewSearcher(o, 3)
	o.Explorer = searcher
	s, err := runtime.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		searcher.End()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	h, err := s.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	return client{t, h}
}

// ask gives the status and what is in the answer.
func ask[T any](c client, method, path, body string) (status int, v T) {
	c.t.Helper()
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, httptest.NewRequest(method, "/cdn-cgi/eddy/api"+path, strings.NewReader(body)))
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		c.t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
	return w.Code, v
}

func (c client) send(method, url string) int {
	c.t.Helper()
	_, sent := ask[control.Sent](c, "POST", "/explore/requests", fmt.Sprintf(`{"method":%q,"url":%q}`, method, url))
	return sent.Request
}

func (c client) response(number int) control.TrialResponse {
	c.t.Helper()
	_, r := ask[control.TrialResponse](c, "GET", fmt.Sprint("/explore/requests/", number), "")
	return r
}

// search runs a scenario in each trial, until the search is over. It returns what is wrong, "" for nothing.
func (c client) search(input string, scenario func() string) control.Exploration {
	c.t.Helper()
	_, now := ask[control.Exploration](c, "POST", "/explore", input)
	for now.State == "running" {
		verdict, err := json.Marshal(control.Verdict{Error: scenario()})
		if err != nil {
			c.t.Fatal(err)
		}
		_, now = ask[control.Exploration](c, "POST", "/explore/verdict", string(verdict))
	}
	return now
}

// counts sends two requests that count, both before the first is answered.
func (c client) counts() string {
	first, second := c.send("POST", "/count"), c.send("POST", "/count")
	c.response(first)
	c.response(second)
	if got := c.response(c.send("GET", "/n")).Body; got != "2" {
		return fmt.Sprintf("counted to %s, want 2", got)
	}
	return ""
}

// A client finds what a test in Go finds: the same seed, the same steps, on one core and on two.
func TestSearcher(t *testing.T) {
	direct, err := Search(t.Context(), 50, Options{Runtime: shop(t), Seed: 3}, func(run *Trial) error {
		var sent []*Request
		for range 2 {
			r, err := run.Send("", httptest.NewRequest("POST", "/count", nil))
			if err != nil {
				return err
			}
			sent = append(sent, r)
		}
		for _, r := range sent {
			if _, err := r.Response(); err != nil {
				return err
			}
		}
		r, err := run.Send("", httptest.NewRequest("GET", "/n", nil))
		if err != nil {
			return err
		}
		res, err := r.Response()
		if err != nil {
			return err
		}
		if body, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(body, []byte("2")) {
			return fmt.Errorf("counted to %s, want 2", body)
		}
		return nil
	})
	if err != nil || direct.Err == nil {
		t.Fatal(direct, err)
	}
	c := newClient(t)
	shown := func(f testrun.Finding) string {
		return fmt.Sprintf("seed %d, %d tried, %d distinct: %v\n%s", f.Seed, f.Tried, f.Distinct, f.Err, f.Steps)
	}
	for i := range 4 {
		before := goruntime.GOMAXPROCS(1 + i%2)
		now := c.search(`{"orders":50}`, c.counts)
		goruntime.GOMAXPROCS(before)
		got := shown(testrun.Finding{Seed: now.Seed, Tried: now.Tried, Distinct: now.Distinct,
			Err: fmt.Errorf("%s", now.Error), Steps: now.Steps})
		if now.State != "failed" || got != shown(direct) {
			t.Fatalf("run %d: %s, %s\nwant %s", i, now.State, got, shown(direct))
		}
	}
	again := c.search(fmt.Sprintf(`{"orders":1,"seed":%d}`, direct.Seed), c.counts)
	if again.Steps != direct.Steps {
		t.Errorf("its seed again gives\n%s\nwant\n%s", again.Steps, direct.Steps)
	}
}

// With crashes a consumer that does not know its messages again counts one twice. Queues are looked into and drained
// in the trial's own session.
func TestSearcherCrashes(t *testing.T) {
	c := newClient(t)
	pens := func() string {
		ask[control.Count](c, "POST", "/explore/session/queues/orders/messages",
			`{"messages":[{"body":"{\"item\":\"pen\"}"}]}`)
		if _, list := ask[[]control.Message](c, "GET", "/explore/session/queues/orders/messages", ""); len(list) != 1 {
			t.Errorf("the queue has %d messages", len(list))
		}
		if status, now := ask[control.Clock](c, "POST", "/explore/session/queues/orders/drain", ""); status != 200 ||
			now.MovedMS < 5000 {
			t.Errorf("drain: %d %+v", status, now)
		}
		if got := c.response(c.send("GET", "/pens")).Body; got != "1" {
			return "sold " + got + " pens"
		}
		return ""
	}
	if now := c.search(`{"orders":5}`, pens); now.State != "passed" || now.Tried != 5 || now.Trial != 6 {
		t.Errorf("without crashes: %+v", now)
	}
	now := c.search(`{"orders":200,"seed":8,"crash":true}`, pens)
	if now.State != "failed" || now.Error != "sold 2 pens" || !strings.Contains(now.Steps, "the Workers crash") {
		t.Errorf("%+v", now)
	}
}

// What a handler of requests throws is its response. An exception that nobody catches, as that of a consumer, fails the
// trial, unless the client takes exceptions.
func TestSearcherExceptions(t *testing.T) {
	c := newClient(t)
	throws := func() string {
		if got := c.response(c.send("GET", "/throw")); got.Exception != "Error: out of paper" {
			t.Errorf("%+v", got)
		}
		ask[control.Count](c, "POST", "/explore/session/queues/orders/messages",
			`{"messages":[{"body":"{\"item\":\"unicorn\"}"}]}`)
		ask[control.Clock](c, "POST", "/explore/session/queues/orders/drain", "")
		return ""
	}
	now := c.search(`{"orders":1}`, throws)
	if now.State != "failed" || !strings.Contains(now.Error, "shop: Error: no unicorns") {
		t.Errorf("%+v", now)
	}
	if now := c.search(`{"orders":1,"exceptions":true}`, throws); now.State != "passed" {
		t.Errorf("%+v", now)
	}
}

// What cannot be is refused: a trial before a search, a response twice, a Worker that there is not.
func TestSearcherRefuses(t *testing.T) {
	c := newClient(t)
	refused := func(method, path, body, want string) {
		t.Helper()
		status, failure := ask[struct{ Error struct{ Message string } }](c, method, path, body)
		if status < 400 || !strings.Contains(failure.Error.Message, want) {
			t.Errorf("%s %s: %d %q, want %q", method, path, status, failure.Error.Message, want)
		}
	}
	none := "begin a search with POST /explore"
	for _, r := range [][3]string{{"GET", "/explore", ""}, {"POST", "/explore/verdict", "{}"},
		{"POST", "/explore/requests", `{"url":"/"}`}, {"GET", "/explore/requests/1", ""},
		{"GET", "/explore/session/queues", ""}} {
		refused(r[0], r[1], r[2], none)
	}
	refused("POST", "/explore", `{"orders":-1}`, "orders of -1 is negative")
	if status, now := ask[control.Exploration](c, "POST", "/explore", `{"orders":1}`); status != 200 || now.Trial != 1 {
		t.Fatal(status, now)
	}
	refused("POST", "/explore/requests", `{"url":"/","worker":"nobody"}`, `there is no Worker "nobody"`)
	refused("POST", "/explore/requests", `{"url":"n"}`, "expected a path")
	refused("GET", "/explore/requests/1", "", "no response to request 1")
	if got := c.response(c.send("GET", "/")); got.Body != "hello" || got.Status != 200 {
		t.Errorf("%+v", got)
	}
	refused("GET", "/explore/requests/1", "", "no response to request 1")
	refused("GET", "/explore/requests/x", "", "expected a number")
	if status, now := ask[control.Exploration](c, "POST", "/explore", `{"orders":1,"seed":9}`); status != 200 ||
		now.Trial != 1 || now.Seed != 9 {
		t.Errorf("a second search: %d %+v", status, now)
	}
	if status, _ := ask[struct{}](c, "DELETE", "/explore", ""); status != 200 {
		t.Error(status)
	}
	refused("POST", "/explore/verdict", "{}", none)
}

// What is wrong with the project is told where the first trial would begin.
func TestSearcherExplains(t *testing.T) {
	s := NewSearcher(runtime.Options{Dir: t.TempDir()}, 1)
	_, err := s.Begin(t.Context(), control.Search{})
	if err == nil || !strings.Contains(err.Error(), "wrangler") {
		t.Error(err)
	}
}

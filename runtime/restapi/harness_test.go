package restapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// bench is an API over a broker in memory on a virtual clock, with one Worker "w" that consumes and one, "silent", that
// has no queue().
type bench struct {
	t      *testing.T
	api    *API
	broker *queues.Broker
	clock  *clock.Virtual
}

func newBench(t *testing.T) *bench {
	t.Helper()
	v := clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	t.Cleanup(v.Pause()) // idle time must not pass: retention would end
	b, _, err := queues.Open(queues.Options{FS: logstore.NewMemFS(), Dir: "q", Clock: v})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{
		Broker: b, SideFile: filepath.Join(t.TempDir(), "control.json"),
		Scripts: func() []Script {
			return []Script{{Name: "w", Producers: []string{"bound"}, HasQueue: true}, {Name: "silent"}}
		},
		Failed: func(err error) { t.Errorf("failure: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bench{t, a, b, v}
}

// call sends a request to a path below the account and gives status and envelope.
func (b *bench) call(method, path, body string) (int, map[string]any) {
	b.t.Helper()
	r := httptest.NewRequest(method, Prefix+"/accounts/any"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "text/plain;charset=UTF-8") // as wrangler does (T-3)
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	var e map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		b.t.Fatalf("%s %s: no JSON: %v: %s", method, path, err, w.Body)
	}
	return w.Code, e
}

// ok calls and gives the result of a call that must succeed.
func (b *bench) ok(method, path, body string) any {
	b.t.Helper()
	status, e := b.call(method, path, body)
	if status != http.StatusOK || e["success"] != true || len(e["errors"].([]any)) != 0 {
		b.t.Fatalf("%s %s %s: %d %v", method, path, body, status, e)
	}
	return e["result"]
}

// refused calls and expects status and code.
func (b *bench) refused(method, path, body string, status, code int) {
	b.t.Helper()
	got, e := b.call(method, path, body)
	errs := e["errors"].([]any)
	if got != status || e["success"] != false || e["result"] != nil || len(errs) == 0 ||
		errs[0].(map[string]any)["code"] != float64(code) {
		b.t.Errorf("%s %s %s: got %d %v, want %d with code %d", method, path, body, got, e, status, code)
	}
}

// create makes a queue through the API and gives its id.
func (b *bench) create(name string) string {
	b.t.Helper()
	return b.ok("POST", "/queues", `{"queue_name":"`+name+`"}`).(map[string]any)["queue_id"].(string)
}

// at digs a value out of decoded JSON: keys and indexes.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

func compact(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

package control

import (
	"context"
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
	"eddy/runtime/restapi"
)

// bench is an API over a broker in memory on a virtual clock, with one Worker "w" that consumes and one, "silent", that
// has no queue().
type bench struct {
	t      *testing.T
	api    *API
	broker *queues.Broker
	clock  *clock.Virtual
	// warnings are what the developer was told.
	warnings []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	v := clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	t.Cleanup(v.Pause()) // idle time must not pass: retention would end
	b, _, err := queues.Open(queues.Options{FS: logstore.NewMemFS(), Dir: "q", Clock: v})
	if err != nil {
		t.Fatal(err)
	}
	bench := &bench{t: t, broker: b, clock: v}
	a, err := New(Options{
		Broker: b, Clock: v, SideFile: filepath.Join(t.TempDir(), "control.json"),
		Scripts: func() []Script {
			return []Script{{Name: "w", Producers: []string{"bound"}, HasQueue: true}, {Name: "silent"}}
		},
		Warn:   func(s string) { bench.warnings = append(bench.warnings, s) },
		Failed: func(err error) { t.Errorf("failure: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	bench.api = a
	return bench
}

// call sends a request to a path below the account and gives status and envelope.
func (b *bench) call(method, path, body string) (int, map[string]any) {
	b.t.Helper()
	r := httptest.NewRequest(method, restapi.Prefix+"/accounts/any"+path, strings.NewReader(body))
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

// create makes a queue through the API and gives its id.
func (b *bench) create(name string) string {
	b.t.Helper()
	return b.ok("POST", "/queues", `{"queue_name":"`+name+`"}`).(map[string]any)["queue_id"].(string)
}

func (b *bench) client() *Client { return Local(b.api) }

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

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var background = context.Background()

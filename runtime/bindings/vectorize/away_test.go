package vectorize

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
)

func open(t testing.TB) *VectorIndex {
	t.Helper()
	x := New(Options{Path: filepath.Join(t.TempDir(), "x.sqlite"), Relaxed: true,
		Clock: clock.NewVirtual(time.UnixMilli(1_775_000_000_000), 1)})
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// What another node asks and answers is what this one does: also refusals, and the caller's own settings.
func TestAway(t *testing.T) {
	x := open(t)
	var reads []bool
	away := AwayIndex{Metric: "euclidean", Way: func(a objectstore.Ask) (objectstore.Told, error) {
		reads = append(reads, a.Reads)
		return x.Serve(a.Head, bytes.NewReader(a.Body))
	}}
	for _, c := range []struct {
		operation, body, want string
		status                int
		reads                 bool
	}{
		{"upsert", `{"vectors": [{"id": "a", "values": [3, 4]}]}`, `{"mutationId":`, 200, false},
		{"query", `{"vector": [0, 0]}`, `"score":5`, 200, true},
		{"getByIds", `{"ids": ["a"]}`, `[{"id":"a","values":[3,4]}]`, 200, true},
		{"query", `{"vector": [1]}`, `"code":40006`, 400, true},
		{"info", ``, `"vectorCount":1`, 200, true},
	} {
		w := httptest.NewRecorder()
		away.ServeHTTP(w, httptest.NewRequest("POST", "http://vector-search/"+c.operation, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.operation, w.Code, w.Body, c.status, c.want)
		}
		if reads[len(reads)-1] != c.reads {
			t.Errorf("%s reads only: %v", c.operation, !c.reads)
		}
	}
	lost := AwayIndex{Way: func(objectstore.Ask) (objectstore.Told, error) {
		return objectstore.Told{}, objectstore.ErrDisconnected
	}}
	w := httptest.NewRecorder()
	lost.ServeHTTP(w, httptest.NewRequest("GET", "http://vector-search/info", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "Network connection lost.") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Serve([]byte(`{"op":"info"}`), strings.NewReader("")); !errors.Is(err, objectstore.ErrClosed) {
		t.Errorf("a closed one: %v", err)
	}
}

// Whatever another node sends, the index answers.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"op":"query","metric":"euclidean"}`), []byte(`{"vector":[1],"filter":{"a":{"$in":[1]}}}`))
	f.Add([]byte(`{"op":"insert","dimensions":1}`), []byte(`{"vectors":[{"id":"a","values":[1],"metadata":{"a":1}}]}`))
	f.Add([]byte(`{"op":"none"}`), []byte(`{`))
	f.Fuzz(func(t *testing.T, head, body []byte) {
		x := open(t)
		told, err := x.Serve(head, bytes.NewReader(body))
		if err == nil {
			if _, err = io.Copy(io.Discard, told.Body); err != nil {
				t.Error(err)
			}
		}
	})
}

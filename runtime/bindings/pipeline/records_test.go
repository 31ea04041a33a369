package pipeline

import (
	"bytes"
	"io"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
)

func open(t testing.TB, path string) *Records {
	t.Helper()
	r := NewRecords(RecordsOptions{Index: path, Clock: clock.NewVirtual(time.UnixMilli(1_775_000_000_000), 1)})
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// Records are read in the order in which they came, wherever they are; what is too large is refused (BIND-130).
func TestAway(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	away := Away{func(a objectstore.Ask) (objectstore.Told, error) { return r.Serve(a.Head, bytes.NewReader(a.Body)) }}
	send := func(lines string) int {
		w := httptest.NewRecorder()
		away.ServeHTTP(w, httptest.NewRequest("POST", "https://pipelines/send", strings.NewReader(lines)))
		return w.Code
	}
	want := ""
	for _, lines := range []string{"{\"n\":1}\n{\"n\":2}\n", "", "{\"n\":3}\n"} {
		want += lines
		if code := send(lines); code != 200 {
			t.Errorf("%q: %d", lines, code)
		}
	}
	if code := send(strings.Repeat("x", maxRequest+1)); code != 413 {
		t.Errorf("too large: %d", code)
	}
	got := ""
	for after := int64(0); ; {
		b, err := away.Next(after)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Lines) == 0 {
			break
		}
		after = b.Number
		got += string(b.Lines)
	}
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever another node sends, the records answer.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"op":"add"}`), []byte("{}\n"))
	f.Add([]byte(`{"op":"next","after":-1}`), []byte{})
	f.Fuzz(func(t *testing.T, head, body []byte) {
		told, err := open(t, filepath.Join(t.TempDir(), "x.sqlite")).Serve(head, bytes.NewReader(body))
		if err == nil && told.Body != nil {
			if _, err := io.Copy(io.Discard, told.Body); err != nil {
				t.Error(err)
			}
		}
	})
}

package analytics

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

//go:embed testdata/points.js
var points string

// written is what the Worker of testdata/points.js answers to a path, and the store that it writes into.
func written(t *testing.T, path string) (body string, s *Store) {
	t.Helper()
	dir := t.TempDir()
	entry := filepath.Join(dir, "index.js")
	if err := os.WriteFile(entry, []byte(points), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: dir, Entry: entry})
	if err != nil {
		t.Fatal(err)
	}
	flags, errs := worker.ResolveFlags("2026-04-01", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s = New(Options{Path: filepath.Join(dir, "analytics.sqlite"), Clock: clock.Real{}})
	t.Cleanup(func() { _ = s.Close() })
	w, err := worker.Start(context.Background(), worker.Options{
		Name: "w", Script: &worker.Script{Bundle: b}, Flags: flags,
		Bindings: []worker.Binding{Binding{"A", "first", s}, Binding{"B", "second", s}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	req, _ := http.NewRequest("GET", "http://localhost"+path, nil)
	res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(all), s
}

func tabs(t *testing.T, s *Store, query string) string {
	t.Helper()
	a, err := s.Query(t.Context(), query+" FORMAT TabSeparated")
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := a.Write()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A data point is checked as production does and kept; both bindings are of one class, which is no global (B5).
func TestDataPoints(t *testing.T) {
	got, s := written(t, "/")
	const illegal = "TypeError: Illegal invocation: function called with incorrect `this` reference. See " +
		"https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details."
	want := strings.Join([]string{"LocalAnalyticsEngineDataset", "[object LocalAnalyticsEngineDataset]", "0",
		"undefined",
		"undefined", "undefined", "undefined", "undefined", "undefined", "true", "undefined", illegal,
		"TypeError: Illegal constructor",
		"TypeError: Failed to execute 'writeDataPoint' on 'LocalAnalyticsEngineDataset': parameter 1 is not of type " +
			"'AnalyticsEngineEvent'.",
		"TypeError: writeDataPoint(): Maximum of 20 blobs supported.",
		"TypeError: writeDataPoint(): Maximum of 20 doubles supported.",
		"TypeError: writeDataPoint(): Maximum of 1 indexes supported.", "undefined",
		"TypeError: writeDataPoint(): Size of indexes[0] exceeds 96 bytes).", "undefined",
		"TypeError: writeDataPoint(): Cumulative size of blobs exceeds 16384 bytes).",
		"TypeError: Incorrect type for the 'blobs' field on 'AnalyticsEngineEvent': the provided value is not of " +
			"type " +
			"'Array'.",
		"TypeError: Incorrect type for the 'doubles' field on 'AnalyticsEngineEvent': the provided value is not of " +
			"type " +
			"'Array'.",
		"TypeError: writeDataPoint(): Maximum of 20 blobs supported.",
		"TypeError: Cannot convert a Symbol value to a string"}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for query, want := range map[string]string{
		"SHOW TABLES": "first\nsecond\n",
		"SELECT dataset, _sample_interval, index1, blob1, blob2, blob3, blob4, blob5, blob6, double1, double2, " +
			"double3, " +
			"double4, double5 FROM first WHERE index1 = 'i'": "first\t1\ti\ta\t\t5\tB\tCD\t\t1.5\t2\tnan\t-inf\t0\n",
		"SELECT count(), max(length(blob1)), max(length(index1)) FROM first": "7\t16384\t96\n",
		"SELECT timestamp > now() - INTERVAL '1' HOUR FROM second":           "1\n",
	} {
		if got := tabs(t, s, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// An invocation may write 250 points.
func TestPointsOfAnInvocation(t *testing.T) {
	_, s := written(t, "/many")
	if got := tabs(t, s, "SELECT count(), max(double1) FROM first"); got != "250\t249\n" {
		t.Errorf("got %q", got)
	}
}

// The SQL API answers over HTTP, by POST and GET; a mistake is a 422 with its place. Points of three months ago are
// gone at the next start. After Clear there is nothing, and after Close no answer.
func TestSQLAPI(t *testing.T) {
	path := filepath.Join(t.TempDir(), "analytics.sqlite")
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	open := func(now time.Time) (*Store, *httptest.Server) {
		s := New(Options{Path: path, Clock: clock.NewVirtual(now, 1)})
		return s, httptest.NewServer(SQLAPI{s})
	}
	s, srv := open(now)
	for range 1500 {
		s.Write(dialect.Point{Dataset: "d", Time: now, SampleInterval: 1})
	}
	ask := func(srv *httptest.Server, query string) string {
		t.Helper()
		res, err := http.Post(srv.URL, "text/plain", strings.NewReader(query))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Status + " " + res.Header.Get("Content-Type") + " " + string(b)
	}
	for query, want := range map[string]string{
		"SELECT count() AS n FROM " +
			"d": `200 OK application/json {"meta":[{"name":"n","type":"UInt64"}],"data":[{"n":"1500"}],` +
			`"rows":1}`,
		"SELECT timestamp FROM d LIMIT 1 FORMAT TabSeparated": "200 OK text/tab-separated-values; charset=UTF-8 " +
			"2026-04-01 12:00:00\n",
		"SELECT": "422 Unprocessable Entity text/plain; charset=utf-8 line 1, column 7: expected an expression, but " +
			"the " +
			"statement ends\n",
	} {
		if got := ask(srv, query); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	res, err := http.Get(srv.URL + "?query=SHOW+TABLES+FORMAT+TabSeparated")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || string(b) != "d\n" {
		t.Errorf("by GET: %q, %v", b, err)
	}
	srv.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	later := now.Add(93 * 24 * time.Hour)
	s, srv = open(later)
	defer srv.Close()
	s.Write(dialect.Point{Dataset: "d", Time: later, SampleInterval: 1})
	if got := ask(srv, "SELECT count() FROM d FORMAT TabSeparated"); !strings.HasSuffix(got, " 1\n") {
		t.Errorf("after three months: %s", got)
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	if got := ask(srv, "SELECT count() FROM d"); !strings.HasPrefix(got, "422") || !strings.Contains(got, "nothing "+
		"was written") {
		t.Errorf("after Clear: %s", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.Write(dialect.Point{Dataset: "d", Time: later})
	if _, err := s.Query(t.Context(), "SHOW TABLES"); err == nil || errors.As(err, new(*dialect.Mistake)) {
		t.Errorf("after Close: %v", err)
	}
}

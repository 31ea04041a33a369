package analytics

import (
	"context"
	_ "embed"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

//go:embed testdata/points.js
var points string

// A data point is taken, whatever it is, and nothing is kept (B5). Each binding tells its owner of every point, and
// both are of one class, which is no global.
func TestDataPoints(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "index.js")
	if err := os.WriteFile(entry, []byte(points), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: filepath.Dir(entry), Entry: entry})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	tell := func(key string) Binding { return Binding{Key: key, First: func() { told = append(told, key) }} }
	flags, errs := worker.ResolveFlags("2026-04-01", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	w, err := worker.Start(context.Background(), worker.Options{
		Name: "w", Script: &worker.Script{Bundle: b}, Flags: flags,
		Bindings: []worker.Binding{tell("A"), tell("B"), Binding{Key: "C"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	req, _ := http.NewRequest("GET", "http://localhost/", nil)
	res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	const want = "LocalAnalyticsEngineDataset,[object LocalAnalyticsEngineDataset],0," +
		"undefined,undefined,undefined,true,TypeError,TypeError,undefined"
	if err != nil || string(body) != want {
		t.Errorf("got %s, %v\nwant %s", body, err, want)
	}
	if len(told) != 3 || told[0] != "A" || told[1] != "A" || told[2] != "B" {
		t.Errorf("told of %v", told)
	}
}

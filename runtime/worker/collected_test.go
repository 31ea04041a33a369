package worker

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
)

// Nothing of the process keeps an isolate that has ended: reloads and tests make hundreds of them.
func TestEndedIsolateIsCollected(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(script("worker_ends.js")), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: dir, Entry: file})
	if err != nil {
		t.Fatal(err)
	}
	flags, _ := ResolveFlags("2026-04-01", []string{"nodejs_compat"})
	ended := func() weak.Pointer[goja.Runtime] {
		w, err := Start(context.Background(), Options{Name: "ends", Flags: flags, Script: &Script{Bundle: b}})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, _, err := get(t, w, "http://localhost/"); err != nil {
			t.Fatal(err)
		}
		return weak.Make(w.Runtime())
	}()
	for range 100 {
		if runtime.GC(); ended.Value() == nil {
			return
		}
	}
	t.Error("the runtime of an isolate that has ended is alive after 100 collections")
}

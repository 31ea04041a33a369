package declarations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

// TestMain lets the test's own program stand for workerd: it answers with what it was asked.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "serve" {
		os.Exit(m.Run())
	}
	if os.Getenv("WORKERD_FAILS") != "" {
		fmt.Fprintln(os.Stderr, "no such library")
		os.Exit(1)
	}
	script, err := os.ReadFile("worker.mjs")
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("{\"event\":\"other\"}\n{\"event\":\"listen\",\"socket\":\"http\",\"port\":%d}\n",
		l.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "unknown") {
			w.WriteHeader(500)
		}
		_, _ = io.WriteString(w, string(script)+r.URL.Path)
	})))
}

// install puts a workerd into node_modules of a folder.
func install(t *testing.T, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "@cloudflare", "workerd-"+platforms[goruntime.GOOS+"/"+goruntime.GOARCH], "bin")
	name := "workerd"
	if goruntime.GOOS == "windows" {
		name += ".exe"
	}
	for _, err := range []error{
		os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, name), program, 0o755),
		os.MkdirAll(filepath.Join(dir, "workerd"), 0o755),
		os.WriteFile(filepath.Join(dir, "workerd", "package.json"), []byte(`{"version":"1.20260101.0"}`), 0o600),
		os.WriteFile(filepath.Join(dir, "workerd", "worker.mjs"), []byte("script "), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorkerdDeclares(t *testing.T) {
	dir := t.TempDir()
	install(t, filepath.Join(dir, "node_modules"))
	w, err := FindWorkerd(filepath.Join(dir, "apps", "one"))
	if err != nil || w.Version != "1.20260101.0" {
		t.Fatal(w, err)
	}
	text, err := w.Declare(context.Background(), "2026-09-01", []string{"nodejs_compat", "a_flag"})
	if want := "script /2026-09-01+a_flag+no_nodejs_compat+no_nodejs_compat_v2"; err != nil || text != want {
		t.Errorf("%q %v, want %q", text, err, want)
	}
	if _, err := w.Declare(context.Background(), "2026-01-01", []string{"unknown"}); err == nil ||
		!strings.Contains(err.Error(), "workerd answers: script /2026-01-01+unknown") {
		t.Errorf("a refusal: %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := w.Declare(ended, "2026-01-01", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	t.Setenv("WORKERD_FAILS", "1")
	if _, err := w.Declare(context.Background(), "2026-01-01", nil); err == nil ||
		!strings.Contains(err.Error(), "no such library") {
		t.Errorf("a workerd that cannot start: %v", err)
	}
}

// wrangler may bring the workerd, in a place of its own.
func TestWorkerdOfWrangler(t *testing.T) {
	for _, place := range []string{"node_modules/wrangler/node_modules", "store/wrangler@4/node_modules"} {
		dir := t.TempDir()
		install(t, filepath.Join(dir, filepath.FromSlash(place)))
		if place != "node_modules/wrangler/node_modules" { // as pnpm lays it out
			real := filepath.Join(dir, filepath.FromSlash(place), "wrangler")
			for _, err := range []error{
				os.MkdirAll(real, 0o755), os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755),
				os.Symlink(real, filepath.Join(dir, "node_modules", "wrangler")),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if w, err := FindWorkerd(dir); err != nil || w.Version != "1.20260101.0" {
			t.Errorf("%s: %v %v", place, w, err)
		}
	}
	dir := t.TempDir() // where another package brought a workerd as well
	install(t, filepath.Join(dir, "node_modules"))
	install(t, filepath.Join(dir, "node_modules", "wrangler", "node_modules"))
	if w, err := FindWorkerd(dir); err != nil || !strings.Contains(w.script, "wrangler") {
		t.Errorf("wrangler's own: %v %v", w, err)
	}
	if _, err := FindWorkerd(t.TempDir()); !errors.Is(err, ErrNoWorkerd) {
		t.Errorf("a project without: %v", err)
	}
}

func TestHeader(t *testing.T) {
	w := &Workerd{Version: "1.2.3"}
	flags := []string{"b", "a"}
	header := w.Header("2026-01-01", flags)
	if header != "// Runtime types generated with workerd@1.2.3 2026-01-01 a,b" || flags[0] != "b" {
		t.Errorf("%q %q", header, flags)
	}
	if !SameRuntime(header, "2026-01-01", []string{"a", "b"}) || SameRuntime(header, "2026-01-02", flags) ||
		SameRuntime(header, "2026-01-01", nil) || SameRuntime("", "2026-01-01", flags) {
		t.Error("a header is the same whatever the version, and for its date and flags only")
	}
}

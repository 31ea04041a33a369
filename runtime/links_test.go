//go:build unix

package runtime

import (
	"bytes"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/report"
)

// A symbolic link in the place of any file of the state directory is refused, replaced, or read: what it leads to is
// never written to. The session says what is wrong, or goes on.
func TestLinksAreNotWrittenThrough(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", privateConfig, "index.js", privateWorker)
	listen := func(o *Options) { o.Listen, o.Port = true, -1 }
	s := p.serve(listen)
	s.expect("/", "kept")
	s.end()
	var files []string
	state := filepath.Join(p.dir, ".wrangler", "state")
	if err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"running.json", "queues/00000002.log", "queues.mark.tmp", "control.json"} {
		if path := filepath.Join(state, "v3", "eddy", more); !strings.Contains(strings.Join(files, "\n"), path) {
			files = append(files, path)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	whole := filepath.Join(t.TempDir(), "whole")
	must(os.CopyFS(whole, os.DirFS(state)))
	for _, file := range files {
		must(os.RemoveAll(state))
		must(os.CopyFS(state, os.DirFS(whole)))
		victim := filepath.Join(t.TempDir(), "victim")
		content, err := os.ReadFile(file)
		if err != nil {
			content = []byte("not eddy's")
		}
		must(os.WriteFile(victim, content, 0o600))
		must(os.RemoveAll(file))
		must(os.Symlink(victim, file))
		if s, err := p.start(listen); err == nil {
			s.read("/")
			s.end()
		}
		if after, err := os.ReadFile(victim); err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s was written through the link: %d bytes, were %d (%v)", file, len(after), len(content), err)
		}
	}
}

// Another session that begins on the same path after the state directory was moved away has a state of its own: the
// first one acknowledges nothing any more, says why, and touches nothing there.
func TestStateOfAnotherSession(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", privateConfig, "index.js", privateWorker)
	first, err := Start(t.Context(), Options{Dir: p.dir, Persist: true, Reporter: report.New(report.Options{
		Out: io.Discard})})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := first.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
		return w.Body.String()
	}
	if got := ask(); got != "kept" {
		t.Fatalf("got %s", got)
	}
	state := filepath.Join(p.dir, ".wrangler", "state")
	if err := os.Rename(state, state+".away"); err != nil {
		t.Fatal(err)
	}
	second := p.serve()
	second.expect("/", "kept")
	if got := ask(); got == "kept" {
		t.Error("the first session acknowledges what nobody finds again")
	} else if !strings.Contains(got, "removed or replaced") {
		t.Errorf("the first session says: %s", got)
	}
	second.expect("/", "kept")
	if err := first.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "removed or replaced") {
		t.Errorf("the first session ends with %v", err)
	}
	second.end()
	third := p.serve()
	third.expect("/", "kept")
}

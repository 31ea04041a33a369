package assets

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/wrangler"
)

// site makes a directory of files: name and text in turn.
func site(t testing.TB, cfg wrangler.Assets, files ...string) (*Site, error) {
	t.Helper()
	cfg.Directory = t.TempDir()
	if cfg.HTMLHandling == "" {
		cfg.HTMLHandling = "auto-trailing-slash"
	}
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(cfg.Directory, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return New(&cfg, Options{NavigationPrefersAssets: true})
}

func ask(t testing.TB, s *Site, path string, header ...string) (res *http.Response, body string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := s.Handle(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// Lines of the files of rules that do not count are told, with file and line; the others count.
func TestMistakesInRules(t *testing.T) {
	s, err := site(t, wrangler.Assets{}, "a.txt", "a", "b.txt", "b",
		"_headers", "X-Early: 1\n/*\n  no colon\n  X-Fine: 1\n/empty\n/a*b*\n  X-No: 1\n/b*\n  X-B: 1\n  : v\n"+
			"  X Y: z\n  X-V:\n",
		"_redirects", "/only\n/a /b 999\nc /a.txt # a comment\n/e https://x.example 200\n/* /index.html 200\n"+
			"/c /b.txt\n"+
			"/p relative\nhttps://x.example/a /b\n/d/:a /b.txt 301\n/*/x/* /b.txt\n")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range s.Mistakes() {
		fmt.Fprintf(&got, "%s:%d %s: %s\n", filepath.Base(m.File), m.Line, m.Text, m.Why)
	}
	golden, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(golden) {
		t.Errorf("%s\nwant\n%s", got.String(), golden)
	}
	if res, _ := ask(t, s, "/a.txt"); res.Header.Get("X-Fine") != "1" {
		t.Errorf("headers %v", res.Header)
	}
	for path, want := range map[string]string{"/c": "/a.txt", "/d/x": "/b.txt"} {
		if res, _ := ask(t, s, path); res.Header.Get("Location") != want {
			t.Errorf("%s goes to %q, want %q", path, res.Header.Get("Location"), want)
		}
	}
	cfg := wrangler.Assets{Directory: filepath.Join(t.TempDir(), "nowhere")}
	if _, err := New(&cfg, Options{}); err == nil || !strings.Contains(err.Error(), "assets.directory") {
		t.Errorf("a missing directory gave %v", err)
	}
}

// A file changed on disk is served as it is, under a new ETag.
func TestEditedFile(t *testing.T) {
	s, err := site(t, wrangler.Assets{}, "a.txt", "one")
	if err != nil {
		t.Fatal(err)
	}
	res, body := ask(t, s, "/a.txt")
	tag := res.Header.Get("Etag")
	if body != "one" || tag == "" {
		t.Fatalf("%q, ETag %q", body, tag)
	}
	if res, body := ask(t, s, "/a.txt", "If-None-Match", "W/"+tag); res.StatusCode != http.StatusNotModified ||
		body != "" {
		t.Errorf("the same file: %d %q", res.StatusCode, body)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("longer"), 0o666); err != nil {
		t.Fatal(err)
	}
	if res, body := ask(t, s, "/a.txt", "If-None-Match", tag); res.StatusCode != http.StatusOK || body != "longer" ||
		res.Header.Get("Etag") == tag {
		t.Errorf("the edited file: %d %q, ETag %s", res.StatusCode, body, res.Header.Get("Etag"))
	}
}

// A base path is part of the URL, not of the directory.
func TestBasePath(t *testing.T) {
	s, err := site(t, wrangler.Assets{BasePath: "/app"}, "index.html", "root", "about.html", "about")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/app/": "200 root", "/app/about": "200 about", "/app/about.html": "307 /app/about", "/app": "307 /app/",
		"/about": "404 ",
	} {
		res, body := ask(t, s, path)
		if res.StatusCode == http.StatusTemporaryRedirect {
			body = res.Header.Get("Location")
		}
		if got := res.Status[:4] + body; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// No path reaches a file outside the directory, and none makes a rule panic.
func FuzzPaths(f *testing.F) {
	s, err := site(f, wrangler.Assets{NotFoundHandling: "404-page"}, "index.html", "in", "x/a.html", "in", "_redirects",
		"/r/:a/* /x/:a?:splat")
	if err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), "outside.html"), []byte("out"), 0o666); err != nil {
		f.Fatal(err)
	}
	for _, p := range []string{
		"/", "/../outside.html", "/%2e%2e/outside", "/x/..%2f..%2foutside.html", "/x//a", "/r/1/2", "/%", "/%00",
		`/..\outside.html`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		u, err := url.ParseRequestURI(p)
		if err != nil || u.Host != "" {
			return
		}
		r := &http.Request{Method: "GET", URL: u, Header: http.Header{}}
		if _, _, err := s.First(r); err != nil {
			t.Fatal(err)
		}
		res, err := s.Handle(r)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(res.Body); string(b) == "out" {
			t.Fatalf("%q left the directory", p)
		}
	})
}

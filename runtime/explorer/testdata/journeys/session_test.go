// Package journeys drives the explorer in a real browser, as a person would. It is a module of its own so that those who
// import eddy do not get the browser's driver.
package journeys

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// eddy is the binary: that of the environment, or one that is built from this checkout.
func eddy(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("EDDY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "eddy")
	build := exec.Command("go", "build", "-o", path, "eddy/cmd/eddy")
	build.Dir = filepath.Join("..", "..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// session is a running eddy dev on the shop.
type session struct {
	t    testing.TB
	path string // of the binary
	dir  string // of the project
	port string
	url  string
	cmd  *exec.Cmd
}

// start begins a session in a copy of the shop.
func start(t testing.TB) *session {
	t.Helper()
	s := &session{t: t, path: eddy(t), dir: t.TempDir(), port: "0"}
	if err := os.CopyFS(s.dir, os.DirFS("shop")); err != nil {
		t.Fatal(err)
	}
	s.run()
	t.Cleanup(s.kill)
	return s
}

var ready = regexp.MustCompile(`Ready on (http://localhost:(\d+))`)

// run starts the process and waits until it is ready. A second run has the port of the first.
func (s *session) run() {
	s.t.Helper()
	s.cmd = exec.Command(s.path, "dev", "--no-hotkeys", "--port", s.port)
	s.cmd.Dir = s.dir
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr = s.cmd.Stdout
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines, seen := bufio.NewScanner(out), ""
	for lines.Scan() {
		seen += lines.Text() + "\n"
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			s.url, s.port = m[1], m[2]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
	}
	s.t.Fatalf("the session did not start:\n%s", seen)
}

// kill ends the process as kill -9 does.
func (s *session) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// order sends an item to the Worker.
func (s *session) order(who, item string) {
	s.t.Helper()
	res, err := http.Post(s.url, "application/json", strings.NewReader(`{"who": "`+who+`", "item": "`+item+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	res.Body.Close()
}

// act does what a button does.
func (s *session) act(path, body string) {
	s.t.Helper()
	res, err := http.Post(s.url+"/cdn-cgi/eddy/"+path, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s", path, text)
	}
}

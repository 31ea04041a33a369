package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime"
	"eddy/runtime/inspector"
	"eddy/runtime/report"
)

// TestHotkeys presses every key of a session.
func TestHotkeys(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"wrangler.jsonc": `{ "name": "app", "main": "index.js", "compatibility_date": "2026-04-01",
			"queues": { "producers": [{ "binding": "Q", "queue": "jobs" }] } }`,
		"index.js": `export default { fetch: () => new Response("hi") };`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	rep := report.New(report.Options{Out: &out})
	s, err := runtime.Start(t.Context(), runtime.Options{Dir: dir, Listen: true, Port: -1, Reporter: rep})
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	defer s.Stop(context.Background())
	opened, ended, inspected := "", false, false
	k := &keys{session: s, rep: rep, quit: func() { ended = true },
		open: func(url string) error { opened = url; return nil }, inspect: func() { inspected = true }}
	if k.press(t.Context(), 'd') || !inspected {
		t.Error("d does not begin a session with a debugger")
	}
	k.debugger = inspector.New(inspector.Options{})
	for _, step := range []struct {
		key  byte
		want string
	}{
		{'?', "[b] browser"}, {'d', "chrome://inspect"},
		{'t', "there is no tunnel"}, {'c', "\x1b[2J"},
		{'r', "Reloaded app"},
		{'l', "env.Q (jobs)"}, {'p', "deliveries are paused"}, {'p', "deliveries go on"},
	} {
		out.Reset()
		if !k.press(t.Context(), step.key) || !strings.Contains(out.String(), step.want) {
			t.Errorf("%c: printed %q, want %q", step.key, out.String(), step.want)
		}
		if step.key == 'p' {
			q, err := s.Broker().Queue(t.Context(), "jobs")
			if err != nil || q.Settings.DeliveryPaused != k.paused {
				t.Errorf("p: paused is %v, want %v (%v)", q.Settings.DeliveryPaused, k.paused, err)
			}
		}
	}
	if !k.press(t.Context(), 'b') || opened != s.URL() {
		t.Errorf("b opened %q", opened)
	}
	if !k.press(t.Context(), 'E') || opened != s.URL()+"/cdn-cgi/eddy/" {
		t.Errorf("e opened %q", opened)
	}
	if k.press(t.Context(), 'X') || !ended {
		t.Error("x does not end")
	}
}

// What keeps the browser away is said in plain words, not in those of package exec.
func TestWhyNoBrowser(t *testing.T) {
	err := &exec.Error{Name: "xdg-open", Err: exec.ErrNotFound}
	if got := whyNoBrowser(err); got != "xdg-open is not installed" {
		t.Errorf("%q", got)
	}
}

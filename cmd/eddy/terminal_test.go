//go:build linux || darwin

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal is a session on a terminal of its own.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File // the side of the person
	more chan string
	seen string // what has come and was not waited for yet
}

// openTerminal starts eddy dev as a person does, in a directory with files, and waits until it is ready.
func openTerminal(t *testing.T, environ []string, files map[string]string) *terminal {
	t.Helper()
	x := onTerminal(t, environ, files, "dev", "--port", "-1")
	x.wait("Ready on http://localhost:")
	x.wait(hotkeyHelp)
	return x
}

// onTerminal starts a command on a terminal, in a directory with files.
func onTerminal(t *testing.T, environ []string, files map[string]string, args ...string) *terminal {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := exec.LookPath("eddy") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: exec.Command(exe, args...), more: make(chan string, 1000)}
	x.cmd.Dir = dir
	x.cmd.Env = append(append(os.Environ(), "EDDY_REGISTRY="+filepath.Join(dir, ".registry"), "HOME="+dir,
		"TERM=xterm", "NO_COLOR=1"), environ...)
	if x.tty, err = pty.Start(x.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		_ = x.tty.Close()
	})
	go func() {
		defer close(x.more)
		for buf := make([]byte, 4096); ; {
			n, err := x.tty.Read(buf)
			if err != nil { // the other side is closed
				return
			}
			x.more <- string(buf[:n])
		}
	}()
	return x
}

// wait reads up to a text and gives what came before it.
func (x *terminal) wait(want string) (before string) {
	x.t.Helper()
	for deadline := time.After(5 * time.Minute); ; {
		if before, after, ok := strings.Cut(x.seen, want); ok {
			x.seen = after
			return before
		}
		select {
		case s, ok := <-x.more:
			if !ok {
				x.t.Fatalf("the session ended without %q:\n%s", want, x.seen)
			}
			x.seen += s
		case <-deadline:
			x.t.Fatalf("no %q in:\n%s", want, x.seen)
		}
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// lineEditing tells whether the terminal edits lines and echoes, as a shell wants it back.
func (x *terminal) lineEditing() bool {
	x.t.Helper()
	state, err := unix.IoctlGetTermios(int(x.tty.Fd()), ioctlGetTermios)
	if err != nil {
		x.t.Fatal(err)
	}
	return state.Lflag&unix.ICANON != 0 && state.Lflag&unix.ECHO != 0
}

var terminalProject = map[string]string{
	"wrangler.jsonc": `{ "name": "app", "main": "index.js", "compatibility_date": "2026-04-01" }`,
	"index.js":       `export default { fetch: () => new Response("hi") };`,
}

// TestTerminalKeys presses wrangler's keys on a real terminal: each does its thing without Enter and without an echo,
// and the terminal is given back.
func TestTerminalKeys(t *testing.T) {
	tools := t.TempDir()
	opened := filepath.Join(tools, "opened")
	if err := unix.Mkfifo(opened, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"xdg-open", "open"} {
		script := "#!/bin/sh\necho \"$1\" >" + opened + "\n"
		if err := os.WriteFile(filepath.Join(tools, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	browser, err := os.OpenFile(opened, os.O_RDWR|unix.O_NONBLOCK, 0) // both ends, so that nobody waits for the other
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	if err := browser.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(t, []string{"PATH=" + tools + ":" + os.Getenv("PATH")}, terminalProject)
	if x.lineEditing() {
		t.Error("the terminal edits lines while keys are read")
	}
	for _, step := range []struct{ key, want string }{
		{"?", hotkeyHelp}, {"d", hotkeyHelp}, {"d", "chrome://inspect"},
		{"t", "there is no tunnel"},
		{"p", "deliveries are paused"}, {"P", "deliveries go on"}, {"z?", hotkeyHelp}, {"c", "\x1b[2J"},
	} {
		x.press(step.key)
		if before := x.wait(step.want); strings.Contains(before, step.key) && len(step.key) > 1 {
			t.Errorf("%s: the terminal echoes: %q", step.key, before)
		}
	}
	x.press("b")
	url, err := bufio.NewReader(browser).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://localhost:") {
		t.Errorf("b opened %q, %v", url, err)
	}
	x.press("x")
	x.wait("Stopping")
	if err := x.cmd.Wait(); err != nil {
		t.Errorf("x: %v", err)
	}
	if !x.lineEditing() {
		t.Error("the terminal was not given back")
	}
}

// TestTerminalInterrupt ends a session by Ctrl-C, which the terminal turns into a signal.
func TestTerminalInterrupt(t *testing.T) {
	x := openTerminal(t, nil, terminalProject)
	x.press("\x03")
	x.wait("Stopping")
	if err := x.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	if !x.lineEditing() {
		t.Error("the terminal was not given back")
	}
}

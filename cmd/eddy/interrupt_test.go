package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// One Ctrl-C ends the session in which a Worker loops for ever, wherever it does. That this takes no more than a second
// holds endingGrace (TestEndingGrace); here a session that hangs is killed after a minute.
func TestInterruptWhileBusy(t *testing.T) {
	var places []string
	first := startBusy(t, "")
	res, err := http.Get(first.url + "/places")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&places); err != nil || len(places) < 23 {
		t.Fatal(err, places)
	}
	first.interrupt()
	for _, place := range places {
		t.Run(place, func(t *testing.T) { interruptAt(t, "/"+place) })
	}
	t.Run("scheduled", func(t *testing.T) { interruptAt(t, "/cdn-cgi/handler/scheduled") })
	t.Run("module", func(t *testing.T) {
		t.Parallel()
		s := startBusy(t, "module")
		s.await("it is busy")
		s.interrupt()
	})
}

func interruptAt(t *testing.T, path string) {
	t.Parallel() // most of it is waiting for the grace of events in flight
	s := startBusy(t, "")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if res, err := http.Get(s.url + path); err == nil { // else the session has cut it off
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}()
	s.await("it is busy")
	s.interrupt()
	<-ended
}

// busySession is an `eddy dev` whose Worker loops where it is told to.
type busySession struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	lines *bufio.Scanner
	seen  strings.Builder
}

// startBusy starts a session, and waits until it is ready unless its module is to loop.
func startBusy(t *testing.T, where string) *busySession {
	t.Helper()
	eddy, err := exec.LookPath("hasty")
	if err != nil {
		t.Fatal(err)
	}
	s := &busySession{t: t, cmd: exec.Command(eddy, "dev", "--port", "-1", "--ephemeral", "--no-watch", "--var",
		"WHERE:"+where)}
	s.cmd.Dir = filepath.Join("testdata", "interrupt")
	s.cmd.Env = append(os.Environ(), "EDDY_REGISTRY="+t.TempDir())
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = s.cmd.Stdout
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewScanner(out)
	hangs := time.AfterFunc(5*time.Minute, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		hangs.Stop()
		_ = s.cmd.Process.Kill() // it should have ended
	})
	if where == "" {
		s.url = s.await(`Ready on (http\S+)`)[1]
	}
	return s
}

// await reads on until a line matches.
func (s *busySession) await(pattern string) []string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for s.lines.Scan() {
		s.seen.WriteString(s.lines.Text() + "\n")
		if m := re.FindStringSubmatch(s.lines.Text()); m != nil {
			return m
		}
	}
	s.t.Fatalf("no line matches %s:\n%s", pattern, &s.seen)
	return nil
}

// interrupt sends one Ctrl-C. The session ends by itself, in order, and says nothing of an error of its own.
func (s *busySession) interrupt() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	for s.lines.Scan() {
		s.seen.WriteString(s.lines.Text() + "\n")
	}
	if err := s.cmd.Wait(); err != nil || strings.Contains(s.seen.String(), "please report") {
		s.t.Errorf("the session ended with %v:\n%s", err, &s.seen)
	}
}

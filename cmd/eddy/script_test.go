package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	// What runs beside others mostly waits for processes and leases.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(runFleets{m}, map[string]func(){"eddy": patient, "hasty": hasty, "rewrite": rewrite, "job": job,
		"head": head, "curl": curl})
}

// patient is eddy with times that a test on a slow machine does not reach: they are real time.
func patient() {
	testPatience, hookPatience, testSlow = 120_000, 120_000, 120_000
	main()
}

// hasty is eddy whose events in flight have a short time to end: the Workers of TestInterruptWhileBusy never do.
func hasty() {
	drainGrace = 50 * time.Millisecond
	main()
}

// rewrite OLD NEW FILE is the scripts' text editor.
func rewrite() {
	b, err := os.ReadFile(os.Args[3])
	if err == nil {
		err = save(os.TempDir(), os.Args[3], bytes.ReplaceAll(b, []byte(os.Args[1]), []byte(os.Args[2])))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// save writes a file elsewhere and moves it to its place: who watches it does not see it empty.
func save(elsewhere, name string, text []byte) error {
	moved := filepath.Join(elsewhere, "saved-"+filepath.Base(name))
	if err := os.WriteFile(moved, text, 0o600); err != nil {
		return err
	}
	return os.Rename(moved, name)
}

// head prints the head of a response, without following where it leads.
func head() {
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer res.Body.Close()
	fmt.Println(res.Status)
	_ = res.Header.Write(crlf{os.Stdout})
}

// crlf writes lines as text files have them.
type crlf struct{ w io.Writer }

func (c crlf) Write(p []byte) (int, error) {
	_, err := c.w.Write(bytes.ReplaceAll(p, []byte("\r"), nil))
	return len(p), err
}

// cmdReloads waits at an address of live reload, changes a file and wants to hear of it.
func cmdReloads(ts *testscript.TestScript, _ bool, args []string) {
	res, err := http.Get(args[0])
	ts.Check(err)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && lines.Text() != ": waiting" {
	}
	file := ts.MkAbs(args[1])
	b, err := os.ReadFile(file)
	ts.Check(err)
	ts.Check(save(ts.Getenv("TMPDIR"), file, append(b, '\n')))
	for lines.Scan() {
		if lines.Text() == "data: reload" {
			return
		}
	}
	ts.Fatalf("the stream ended without an event: %v", lines.Err())
}

// TestScripts runs the binary as people do. Commands beside testscript's own:
//
//	dev [flag...]         starts `eddy dev` on a free port, waits for its ready line and sets $URL and $PORT
//	line REGEXP           waits for a line of its output, after the last one found or,
//	                      after dev, from the start
//	session NAME          turns to another `eddy dev` of the script, which the other commands then mean
//	crash                 ends it with SIGKILL
//	interrupt CODE        sends Ctrl-C and waits for the end, which must have that exit code; that it takes no more
//	                      than a second holds endingGrace (TestEndingGrace), a session that hangs is killed
//	http METHOD PATH [B]  asks the session and puts the answer on stdout
//	socket PATH [TEXT...] opens a WebSocket, sends texts and closes; puts the answer to each and the code of the close
//	                      on stdout
//	capture VAR REGEXP    sets $VAR to the first group of REGEXP in stdout
//	reloads URL FILE      waits at URL for the event of live reload, which the change of FILE must cause
//	code N COMMAND...     runs a command, which must end with exit code N
//	schema FILE...        wants each line of a capture, as stdout, to follow docs/replay.schema.json, which all
//	                      *.replay.jsonl that a script leaves must, too
func TestScripts(t *testing.T) {
	captures := newCaptureSchema(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("EDDY_REGISTRY", filepath.Join(env.WorkDir, ".registry"))
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			s := &devSessions{byName: map[string]*devSession{"": {}}}
			env.Values[devKey{}] = s
			env.Defer(func() {
				for _, one := range s.byName {
					one.kill()
				}
				if err := captures.left(env.WorkDir); err != nil {
					env.T().Fatal(err)
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"dev": cmdDev, "line": cmdLine, "interrupt": cmdInterrupt, "http": cmdHTTP, "capture": cmdCapture,
			"code": cmdCode, "reloads": cmdReloads, "schema": captures.command, "socket": cmdSocket,
			"session": cmdSession, "crash": func(ts *testscript.TestScript, _ bool, _ []string) { session(ts).kill() },
		},
	})
}

type devKey struct{}

// devSessions are those of a script, by name; the first one has none.
type devSessions struct {
	current string
	byName  map[string]*devSession
}

// devSession is an `eddy dev` of a script.
type devSession struct {
	cmd   *exec.Cmd
	url   string
	lines chan string
	// early are the lines before the ready line: a consumer may have worked by then.
	early []string
	done  chan error
	mu    sync.Mutex
	seen  bytes.Buffer // everything printed; guarded by mu
}

func session(ts *testscript.TestScript) *devSession {
	s := ts.Value(devKey{}).(*devSessions)
	return s.byName[s.current]
}

func cmdSession(ts *testscript.TestScript, _ bool, args []string) {
	s := ts.Value(devKey{}).(*devSessions)
	if s.current = args[0]; s.byName[s.current] == nil {
		s.byName[s.current] = &devSession{}
	}
	session(ts).export(ts)
}

// export sets $URL and $PORT.
func (s *devSession) export(ts *testscript.TestScript) {
	ts.Setenv("URL", s.url)
	ts.Setenv("PORT", s.url[strings.LastIndex(s.url, ":")+1:])
}

func (s *devSession) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.done
		s.cmd = nil
	}
}

func (s *devSession) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

func cmdDev(ts *testscript.TestScript, _ bool, args []string) {
	s := session(ts)
	s.kill()
	exe, err := exec.LookPath("eddy")
	ts.Check(err)
	s.cmd = exec.Command(exe, append([]string{"dev", "--port", "-1"}, args...)...)
	s.cmd.Dir = ts.Getenv("WORK")
	s.cmd.Env = append(os.Environ(), "TESTSCRIPT_COMMAND=eddy", "HOME="+ts.Getenv("WORK"),
		"EDDY_REGISTRY="+ts.Getenv("EDDY_REGISTRY"))
	out, in := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = in, in
	ts.Check(s.cmd.Start())
	s.lines, s.done = make(chan string, 10_000), make(chan error, 1)
	go func(cmd *exec.Cmd, lines chan string) {
		defer close(lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 64<<20) // a line too long would end the reading, and then the session waits for its reader
		for scan.Scan() {
			s.mu.Lock()
			fmt.Fprintln(&s.seen, scan.Text())
			s.mu.Unlock()
			lines <- scan.Text()
		}
	}(s.cmd, s.lines)
	go func(cmd *exec.Cmd, done chan error) {
		err := cmd.Wait()
		_ = in.Close()
		done <- err
	}(s.cmd, s.done)
	s.early = nil
	var early []string
	ready := s.wait(ts, regexp.MustCompile(`(?:Ready on |"url":")(http[^\s"]*)`), &early)
	s.early = early
	s.url = ready[1]
	s.export(ts)
}

// wait consumes lines up to one that matches; skipped, if not nil, takes those before it.
func (s *devSession) wait(ts *testscript.TestScript, re *regexp.Regexp, skipped *[]string) []string {
	for len(s.early) > 0 {
		l := s.early[0]
		s.early = s.early[1:]
		if m := re.FindStringSubmatch(l); m != nil {
			return m
		}
	}
	deadline := time.After(5 * time.Minute)
	for {
		select {
		case l, ok := <-s.lines:
			if !ok {
				ts.Fatalf("eddy dev ended before a line matching %s:\n%s", re, s.output())
			}
			if m := re.FindStringSubmatch(l); m != nil {
				return m
			}
			if skipped != nil {
				*skipped = append(*skipped, l)
			}
		case <-deadline:
			ts.Fatalf("no line matching %s:\n%s", re, s.output())
		}
	}
}

func cmdLine(ts *testscript.TestScript, _ bool, args []string) {
	session(ts).wait(ts, regexp.MustCompile(strings.Join(args, " ")), nil)
}

func cmdInterrupt(ts *testscript.TestScript, _ bool, args []string) {
	s := session(ts)
	ts.Check(s.cmd.Process.Signal(syscall.SIGINT))
	hangs := time.AfterFunc(5*time.Minute, func() { _ = s.cmd.Process.Kill() })
	<-s.done
	hangs.Stop()
	if got := fmt.Sprint(s.cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s:\n%s", got, args[0], s.output())
	}
	s.cmd = nil
}

func cmdHTTP(ts *testscript.TestScript, neg bool, args []string) {
	var body io.Reader
	if len(args) > 2 {
		body = strings.NewReader(args[2])
	}
	r, err := http.NewRequest(args[0], ts.Getenv("URL")+args[1], body)
	ts.Check(err)
	res, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	ts.Check(err)
	if neg == (res.StatusCode < 400) {
		ts.Fatalf("%s %s: %s %s", args[0], args[1], res.Status, b)
	}
	ts.Check(ts.Exec("echo", string(b)))
}

func cmdCapture(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) < 2 {
		ts.Fatalf("no match of %s in\n%s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], m[1])
}

func cmdCode(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

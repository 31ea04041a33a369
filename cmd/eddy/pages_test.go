package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var rewritePages = flag.Bool("rewrite", false, "write what commands print into the pages of docs")

// notRun begins the comment before a block of commands that TestPages does not run; the rest of it says why.
const notRun = "<!-- not run: "

// TestPages runs every command of README.md and of the pages of docs, in their order, from the root of a copy of
// examples. A block of commands is fenced with sh, or its first line begins with "$ "; what stands below such a line is
// what the command prints, where digits, ids and the width of columns do not count and "…" is any number of lines.
// `eddy dev` and `eddy queues tail` go on in the background: what stands below is waited for, and localhost:8787 is the
// first one that runs, localhost:8788 the second one; one that is started by the same line again is killed before. `go
// run ./cmd/eddy` is `eddy` here. A block that is not run has notRun before it.
func TestPages(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	pages = slices.DeleteFunc(pages, func(page string) bool { return scriptOf[filepath.Base(page)] != "" })
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "examples", "tour", "README.md"))
	for _, page := range pages {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(page, root), string(filepath.Separator), "_"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			p := newPage(t, root)
			out := p.run(string(text))
			if *rewritePages && !t.Failed() {
				if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The README is one screen; what does not fit belongs on a page of docs.
func TestReadmeIsOneScreen(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 50 {
		t.Errorf("%d lines, want at most 50", lines)
	}
}

// scriptOf are the pages whose commands need what TestPages does not make (a disk's damage, jobs of a Go service), with
// the script of testdata/script that runs them.
var scriptOf = map[string]string{"state.md": "state", "workqueue.md": "work"}

// TestPagesOfScripts: the script of such a page runs each of its commands, letter by letter and in their order.
func TestPagesOfScripts(t *testing.T) {
	for page, script := range scriptOf {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := os.ReadFile(filepath.Join("testdata", "script", script+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		run, _, _ := strings.Cut(string(lines), "\n-- ")
		total := 0
		for _, block := range strings.Split(string(text), "\n```sh\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			for _, command := range commands(strings.SplitAfter(block, "\n")) {
				total++
				command, _, _ = strings.Cut(command, " #")
				command = strings.TrimPrefix(strings.TrimSpace(command), "export ")
				_, after, found := strings.Cut(run, command+"\n")
				if !found {
					t.Errorf("%s: the script %s does not run %q after those before it", page, script, command)
					continue
				}
				run = after
			}
		}
		if total < 4 {
			t.Errorf("%s has %d commands: is it read rightly?", page, total)
		}
	}
}

// page runs the commands of one file.
type page struct {
	t        *testing.T
	dir      string
	sessions []*background
	ids      map[string]string // an id that the page shows: the one of this run
}

func newPage(t *testing.T, root string) *page {
	p := &page{t: t, dir: t.TempDir(), ids: map[string]string{}}
	if err := os.CopyFS(filepath.Join(p.dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range p.sessions {
			s.end()
		}
	})
	return p
}

// run goes through a page line by line and gives it back with what the commands printed.
func (p *page) run(text string) string {
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	before := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\n")
		out.WriteString(lines[i])
		if !strings.HasPrefix(line, "```") || line == "" {
			if line != "" {
				before = line
			}
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimRight(lines[end], "\n") != "```" {
			end++
		}
		block := lines[i+1 : end]
		shown := len(block) > 0 && strings.HasPrefix(block[0], "$ ")
		switch {
		case strings.HasPrefix(before, notRun):
			if len(before) < len(notRun)+10 {
				p.t.Errorf("a block is not run and the page does not say why: %s", before)
			}
			out.WriteString(strings.Join(block, ""))
		case shown:
			out.WriteString(p.transcript(block))
		case line == "```sh" || line == "```bash" || line == "```console":
			for _, command := range commands(block) {
				p.command(command, nil)
			}
			out.WriteString(strings.Join(block, ""))
		default:
			for _, l := range block {
				if strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, "eddy ") {
					p.t.Errorf("a block holds the command %q and is not run: fence it with sh", strings.TrimSpace(l))
				}
			}
			out.WriteString(strings.Join(block, ""))
		}
		i = end
		out.WriteString(lines[end])
		before = ""
	}
	return out.String()
}

// commands joins lines that a backslash continues and leaves out comments.
func commands(block []string) (list []string) {
	whole := ""
	for _, l := range block {
		l = strings.TrimSpace(l)
		if rest, more := strings.CutSuffix(l, "\\"); more {
			whole += rest
			continue
		}
		if whole += l; whole != "" && !strings.HasPrefix(whole, "#") {
			list = append(list, whole)
		}
		whole = ""
	}
	return list
}

// transcript runs a block of "$ command" lines with what each prints.
func (p *page) transcript(block []string) string {
	var out strings.Builder
	for i := 0; i < len(block); {
		from := i
		command := []string{strings.TrimPrefix(block[i], "$ ")}
		for i++; i < len(block) && strings.HasSuffix(strings.TrimRight(block[i-1], "\n"), "\\"); i++ {
			command = append(command, block[i])
		}
		head := strings.Join(block[from:i], "")
		from = i
		for i < len(block) && !strings.HasPrefix(block[i], "$ ") {
			i++
		}
		want := block[from:i]
		line := p.withIDs(commands(command)[0])
		got := p.command(line, want)
		if *rewritePages && len(command) == 1 {
			head = "$ " + line + "\n"
		}
		p.learn(want, got)
		if out.WriteString(head); *rewritePages && got != "" && !slices.Contains(want, "…\n") {
			out.WriteString(got)
		} else {
			out.WriteString(strings.Join(want, ""))
		}
	}
	return out.String()
}

var (
	messageID = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
	idStart   = regexp.MustCompile(`\b[0-9a-f]{4,32}\b`)
)

// learn notes which ids of this run stand where the page shows its own: a reader copies them from the terminal.
func (p *page) learn(want []string, got string) {
	shown, now := messageID.FindAllString(strings.Join(want, ""), -1), messageID.FindAllString(got, -1)
	for i := range min(len(shown), len(now)) {
		p.ids[shown[i]] = now[i]
	}
}

// withIDs puts the ids of this run in place of those that the page has shown, or of the starts of them.
func (p *page) withIDs(line string) string {
	return idStart.ReplaceAllStringFunc(line, func(word string) string {
		for shown, now := range p.ids {
			if strings.HasPrefix(shown, word) {
				return now[:len(word)]
			}
		}
		return word
	})
}

// command runs one line and compares what it prints with want, unless that is empty.
func (p *page) command(line string, want []string) string {
	p.t.Logf("$ %s", line)
	line = strings.ReplaceAll(line, "go run ./cmd/eddy", "eddy")
	running := 0
	for _, s := range p.sessions {
		if s.port != "" {
			line = strings.ReplaceAll(line, fmt.Sprintf("localhost:%d", 8787+running), "localhost:"+s.port)
			running++
		}
	}
	if strings.HasPrefix(line, "eddy dev") && !strings.Contains(line, "--version") {
		p.again(line)
		b := p.start(line+" --port 0", want)
		b.line = line
		b.wait([]string{"Ready on http"})
		b.port = regexp.MustCompile(`Ready on https?://localhost:(\d+)`).FindStringSubmatch(b.output())[1]
		return ""
	}
	if strings.HasPrefix(line, "eddy queues tail") {
		p.start(line, want).wait([]string{"Tailing"})
		return ""
	}
	// What waits for a consumer is there a moment later: asking again is what a person does. What changes something
	// runs once.
	deadline := time.Now().Add(5 * time.Minute)
	for {
		got, err := p.shell(line)
		if same(want, got) || len(want) == 0 && err == nil || *rewritePages && len(want) == 0 {
			return got
		}
		if *rewritePages && !asks(line) {
			return got
		}
		if !asks(line) || time.Now().After(deadline) {
			if *rewritePages {
				return got
			}
			p.t.Errorf("$ %s\nprinted (%v):\n%s\nbut the page says:\n%s", line, err, got, strings.Join(want, ""))
			return got
		}
	}
}

// again kills the session that the same line has started before: a page starts it again.
func (p *page) again(line string) {
	for i, s := range p.sessions {
		if s.line == line {
			s.wait(s.want)
			_ = s.cmd.Process.Kill() // it may have ended
			<-s.done
			p.sessions = slices.Delete(p.sessions, i, i+1)
			return
		}
	}
}

// asks tells whether a command changes nothing.
func asks(line string) bool {
	if strings.HasPrefix(line, "curl") {
		return !strings.Contains(line, " -X") && !strings.Contains(line, " -d") && !strings.Contains(line, " -T")
	}
	return regexp.MustCompile(`^eddy \S+ (object |key ` +
		`)?(list|show|peek|info|notes|storage|sql|alarms|get)\b`).MatchString(line)
}

func (p *page) environ() []string {
	return append(os.Environ(), "HOME="+p.dir, "EDDY_REGISTRY="+filepath.Join(p.dir, ".sessions"), "EDITOR=", "VISUAL=")
}

func (p *page) shell(line string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	out, err := cmd.CombinedOutput()
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n') // a terminal's next prompt would stand behind it
	}
	return p.neutral(string(out)), err
}

// neutral leaves this machine's places out.
func (p *page) neutral(s string) string {
	for i, session := range p.sessions {
		if session.port != "" {
			s = strings.ReplaceAll(s, "localhost:"+session.port, fmt.Sprintf("localhost:%d", 8787+i))
		}
	}
	return strings.ReplaceAll(s, p.dir, "/home/you/eddy")
}

var ids = regexp.MustCompile(`[0-9a-f]{8,}|\d+(\.\d+)?|\b[A-Za-z0-9_-]{10}\b`)

// plainLine is a line without what differs from run to run.
func plainLine(s string) string {
	return strings.Join(strings.Fields(ids.ReplaceAllString(s, "#")), " ")
}

// same compares what was printed with what a page says. A line "…" stands for any lines.
func same(want []string, got string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for _, l := range want {
		if strings.TrimSpace(l) == "…" {
			pattern.WriteString(`(?s:.*)`)
			continue
		}
		if strings.TrimSpace(l) == "" {
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(plainLine(l)) + `\n`)
	}
	var text strings.Builder
	for l := range strings.Lines(got) {
		if strings.TrimSpace(l) != "" {
			text.WriteString(plainLine(l) + "\n")
		}
	}
	return regexp.MustCompile(pattern.String() + `\z`).MatchString(text.String())
}

// background is a command that goes on, with its lines.
type background struct {
	t    *testing.T
	cmd  *exec.Cmd
	want []string
	port string
	line string
	done chan error
	news chan struct{}
	mu   sync.Mutex // guards seen
	seen bytes.Buffer
}

// Write takes output of the command.
func (b *background) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.Write(p)
	select {
	case b.news <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (b *background) output() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen.String()
}

func (p *page) start(line string, want []string) *background {
	b := &background{t: p.t, want: want, done: make(chan error, 1), news: make(chan struct{}, 1)}
	b.cmd = exec.Command("sh", "-c", "exec "+line)
	b.cmd.Dir, b.cmd.Env, b.cmd.Stdout, b.cmd.Stderr = p.dir, p.environ(), b, b
	if err := b.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { b.done <- b.cmd.Wait() }()
	p.sessions = append(p.sessions, b)
	return b
}

// wait waits for lines, in this order, with others between them.
func (b *background) wait(lines []string) {
	deadline := time.After(5 * time.Minute)
	for {
		missing := ""
		rest := b.output()
		var plain []string
		for l := range strings.Lines(rest) {
			plain = append(plain, plainLine(l))
		}
		for _, l := range lines {
			if strings.TrimSpace(l) == "" || strings.TrimSpace(l) == "…" {
				continue
			}
			i := slices.IndexFunc(plain, func(s string) bool { return strings.Contains(s, plainLine(l)) })
			if i < 0 {
				missing = l
				break
			}
			plain = plain[i+1:]
		}
		if missing == "" {
			return
		}
		select {
		case <-b.news:
		case err := <-b.done:
			b.done <- err // end waits for it, too
			b.t.Fatalf("%s ended (%v) before it printed %q:\n%s", b.cmd, err, missing, b.output())
		case <-deadline:
			b.t.Fatalf("%s did not print %q but\n%s", b.cmd, missing, b.output())
		}
	}
}

func (b *background) end() {
	if b.t.Failed() {
		b.t.Logf("%s printed\n%s", b.cmd, b.output())
	} else if !*rewritePages {
		b.wait(b.want)
	}
	_ = b.cmd.Process.Signal(syscall.SIGINT) // it may have ended
	<-b.done
}

// curl is as much of curl as the pages need: -X, -d, -H, -T and an address.
func curl() {
	method, url, header := "", "", http.Header{}
	var body io.Reader
	failing := false // says how a refusal ends it
	for args := os.Args[1:]; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case a == "-s":
		case a == "-sfS":
			failing = true
		case len(args) > 1 && a == "-X":
			method, args = args[1], args[1:]
		case len(args) > 1 && a == "-d":
			body, args = strings.NewReader(args[1]), args[1:]
		case len(args) > 1 && a == "-T":
			b, err := os.ReadFile(args[1])
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(26)
			}
			method, body, args = "PUT", bytes.NewReader(b), args[1:]
		case len(args) > 1 && a == "-H":
			name, value, _ := strings.Cut(args[1], ":")
			header.Set(name, strings.TrimSpace(value))
			args = args[1:]
		default:
			url = a
		}
	}
	if method == "" && body != nil {
		method = "POST"
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	r, err := http.NewRequest(method, url, body)
	if err == nil {
		r.Header = header
		var res *http.Response
		if res, err = http.DefaultClient.Do(r); err == nil {
			if failing && res.StatusCode >= 400 {
				fmt.Fprintf(os.Stderr, "curl: (22) The requested URL returned error: %d\n", res.StatusCode)
				os.Exit(22)
			}
			_, err = io.Copy(os.Stdout, res.Body)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
}

// TestGoExample does what docs/go-tests.md says: a module of its own, with the lines as printed and the place of this
// clone, the tests as printed, beside the Worker of the tour, go mod tidy, go test. The tests are those that run in
// examples/tour. The Worker's lines are shown, although the one with a session sets no Reporter; the one with
// runtimetest explores.
func TestGoExample(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tour := filepath.Join(root, "examples", "tour")
	text, err := os.ReadFile(filepath.Join(root, "docs", "go-tests.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"deadletter_test.go", "count_test.go"} {
		code, err := os.ReadFile(filepath.Join(tour, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```go\n"+string(code)+"```") {
			t.Errorf("docs/go-tests.md does not show examples/tour/%s as it is", name)
		}
	}
	_, module, _ := strings.Cut(string(text), "```\nmodule ")
	module, _, _ = strings.Cut(module, "```")
	here := strings.Replace(module, "=> ../eddy\n", "=> "+root+"\n", 1)
	if here == module {
		t.Fatalf("docs/go-tests.md shows no module lines with a replace directive:\n%s", module)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tour)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+here), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args, wants []string
	}{
		{[]string{"mod", "tidy"}, nil},
		{[]string{"test", "-v", "./..."}, []string{"Uncaught TypeError: a job needs a city", "20 orders, ",
			"--- PASS: TestCount"}},
	} {
		cmd := exec.Command("go", step.args...)
		cmd.Dir = dir // in the environment of the tests, for which the packages are built already
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		for _, want := range step.wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s does not say %q:\n%s", cmd, want, out)
			}
		}
	}
}

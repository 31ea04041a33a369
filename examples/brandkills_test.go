package examples

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/clock"
	"eddy/runtime/report"
)

var (
	brandKills = flag.Int("brand.kills", 3, "how often TestBrandEngineKilled kills the brand engine")
	brandSeed  = flag.Uint64("brand.seed", 0, "seed of TestBrandEngineKilled, 0 for a new one")
)

// brandChild is the environment variable that makes the test binary a process with the brand engine: its state
// directory. brandTime is the time at which its clock begins, in ms.
const brandChild, brandTime = "EDDY_BRAND_CHILD", "EDDY_BRAND_TIME"

// brandAnswer begins a line with an answer; the other lines are the session's.
const brandAnswer = "= "

func TestMain(m *testing.M) {
	if state := os.Getenv(brandChild); state != "" {
		if err := runBrandChild(state); err != nil {
			fmt.Println(brandAnswer, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Hundreds of short sessions run one after the other; Go's own pace, made for one that lives long with as little,
	// takes a fifth of the time.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// runBrandChild obeys the lines of the standard input until it ends: a duration moves the clock, and a Worker, a
// method, a path and a body make a request.
func runBrandChild(state string) error {
	var began int64
	if _, err := fmt.Sscan(os.Getenv(brandTime), &began); err != nil {
		return err
	}
	virtual := clock.NewVirtual(time.UnixMilli(began), 1)
	virtual.Pause()
	s, err := runtime.Start(context.Background(), runtime.Options{Configs: brandConfigs(), PersistTo: state,
		Clock: virtual, Reporter: report.New(report.Options{Out: os.Stdout, Now: virtual.Now})})
	if err != nil {
		return err
	}
	if err := s.MigrateDatabases(); err != nil {
		return err
	}
	fmt.Println(brandAnswer + "ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.SplitN(lines.Text(), " ", 4)
		answer := ""
		if d, err := time.ParseDuration(words[0]); err == nil {
			if err := virtual.Advance(context.Background(), d); err != nil {
				return err
			}
		} else {
			h, err := s.Handler(words[0])
			if err != nil {
				return err
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(words[1], words[2], strings.NewReader(words[3])))
			if w.Code >= http.StatusBadRequest {
				return fmt.Errorf("%s: %d %s", lines.Text(), w.Code, w.Body)
			}
			answer = w.Body.String()
		}
		fmt.Println(brandAnswer + strings.ReplaceAll(answer, "\n", " "))
	}
	return nil
}

// brandProcess is one life of the brand engine after the other, on the same state.
type brandProcess struct {
	t     *testing.T
	state string
	now   time.Time
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	lines []string
}

func (b *brandProcess) start() {
	b.t.Helper()
	b.cmd = exec.Command(os.Args[0], "-test.run=^$")
	b.cmd.Env = append(os.Environ(), brandChild+"="+b.state, fmt.Sprintf("%s=%d", brandTime, b.now.UnixMilli()))
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		b.t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.out = bufio.NewScanner(out)
	b.out.Buffer(nil, 1<<20)
	if _, ok := b.answer(-1); !ok {
		b.t.Fatalf("it did not start:\n%s", strings.Join(b.lines, "\n"))
	}
}

// kill ends the process as it stands.
func (b *brandProcess) kill() {
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	_ = b.in.Close()
}

// answer reads until the process answers. After so many lines it kills the process, unless that number is negative.
func (b *brandProcess) answer(lines int) (text string, ok bool) {
	for b.out.Scan() {
		b.lines = append(b.lines, b.out.Text())
		if text, ok := strings.CutPrefix(b.out.Text(), brandAnswer); ok {
			return text, true
		}
		if lines--; lines == 0 {
			b.kill()
			break
		}
	}
	return "", false
}

// ask gives the process a command and returns its answer.
func (b *brandProcess) ask(command string) string {
	b.t.Helper()
	if _, err := fmt.Fprintln(b.in, command); err != nil {
		b.t.Fatal(err)
	}
	text, ok := b.answer(-1)
	if !ok {
		b.t.Fatalf("%s: no answer:\n%s", command, strings.Join(b.lines, "\n"))
	}
	return text
}

// advance moves the clock. If the process is killed on the way, the next one begins when the clock would have arrived.
func (b *brandProcess) advance(d time.Duration, lines int) {
	b.t.Helper()
	b.now = b.now.Add(d)
	if _, err := fmt.Fprintln(b.in, d); err != nil {
		b.t.Fatal(err)
	}
	if _, ok := b.answer(lines); !ok {
		b.start()
	}
}

// The brand engine's process is killed again and again while a campaign goes through it: what was begun is finished
// once, and nothing is lost (BE-3, BE-7, BE-12, BE-13). It prints a line for each event, so that a kill after some line
// comes in the middle of the work.
func TestBrandEngineKilled(t *testing.T) {
	if testing.Short() {
		*brandKills = 1
	}
	seed := *brandSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-brand.seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	b := &brandProcess{t: t, state: t.TempDir(), now: time.Date(2026, 4, 6, 6, 0, 0, 0, time.UTC)}
	b.start()
	defer func() { b.kill() }()
	b.ask(`strategist POST /brands/harbour {"voice":"salty","keywords":["tide","rope"]}`)
	b.ask("strategist GET /cdn-cgi/handler/scheduled?cron=0+6+*+*+1&time=1775455200000 ")
	b.ask(`strategist POST / {"keywords":["tea","jazz","chess","unreachable","speechless"]}`)
	for range *brandKills {
		b.advance(time.Duration(1+rng.IntN(40))*time.Second, 1+rng.IntN(8))
	}
	b.advance(30*time.Minute, -1)

	five := `{"campaign.start":1,"content.generated":5,"content.publish":5,"content.published":5,` +
		`"research.completed":5,"research.requested":7,"social.post":5,"social.posted":5}`
	if got := b.ask("strategist GET / "); got != five {
		t.Errorf("processed %s, want %s", got, five)
	}
	for worker, want := range map[string]string{"publisher": "title", "social": "Have you heard of"} {
		if got := b.ask(worker + " GET / "); strings.Count(got, want) != 5 {
			t.Errorf("%s has not five things: %s", worker, got)
		}
	}
	dead := func() (types []string) {
		var rows []struct{ Type, Payload string }
		if err := json.Unmarshal([]byte(b.ask("deadletters GET / ")), &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			types = append(types, r.Type+" "+r.Payload)
		}
		slices.Sort(types)
		return types
	}
	speechless := `research.requested {"keyword":"speechless"}`
	unreachable := `research.requested {"keyword":"unreachable"}`
	if got := dead(); !slices.Equal(got, []string{speechless, unreachable}) {
		t.Errorf("dead letters %q", got)
	}
	if got := b.ask("deadletters POST /replay "); got != `{"replayed":2}` {
		t.Errorf("replay: %s", got)
	}
	for range *brandKills {
		b.advance(time.Duration(1+rng.IntN(100))*time.Second, 1+rng.IntN(5))
	}
	b.advance(30*time.Minute, -1)
	if got := dead(); !slices.Equal(got, []string{speechless, speechless, unreachable, unreachable}) {
		t.Errorf("dead letters after the replay %q", got)
	}
	b.advance(24*time.Hour, -1)
	want := `{"voice":"salty","keywords":["tide","rope"],"campaigns":{"2026-04-06":5}}`
	if got := b.ask("strategist GET /brands/harbour "); got != want {
		t.Errorf("the brand: %s, want %s", got, want)
	}
	if t.Failed() {
		t.Log(strings.Join(b.lines, "\n"))
	}
}

package runtime

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/inspector"
)

// jumping is a clock that stands until it is moved ahead, however long the machine takes. What is due soon falls due
// after as much of the machine's time, and moves the clock to its own.
type jumping struct {
	clock.Real
	began  time.Time
	mu     sync.Mutex // guards the rest
	ahead  time.Duration
	timers map[*jumpingTimer]bool
}

// soon is what is due before the test moves the clock.
const soon = time.Second

func newJumping() *jumping {
	return &jumping{began: time.Now().Round(0).UTC(), timers: map[*jumpingTimer]bool{}}
}

type jumpingTimer struct {
	of   *jumping
	when time.Time
	f    func()
	base *time.Timer // nil for what waits for a jump
}

func (j *jumping) Now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now()
}

func (j *jumping) now() time.Time { return j.began.Add(j.ahead) }

func (j *jumping) AfterFunc(d time.Duration, f func()) clock.Timer {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := &jumpingTimer{of: j, when: j.now().Add(d), f: f}
	j.timers[t] = true
	if d < soon {
		t.base = time.AfterFunc(d, t.fire)
	}
	return t
}

// fire calls what is due, unless somebody has done so.
func (t *jumpingTimer) fire() {
	t.of.mu.Lock()
	waits := t.end()
	if waits {
		t.of.ahead = max(t.of.ahead, t.when.Sub(t.of.began))
	}
	t.of.mu.Unlock()
	if waits {
		t.f()
	}
}

func (t *jumpingTimer) Stop() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	return t.end()
}

// end takes the timer out, and tells whether it was still waiting. Under the clock's lock.
func (t *jumpingTimer) end() (waits bool) {
	waits = t.of.timers[t]
	delete(t.of.timers, t)
	if t.base != nil {
		t.base.Stop()
	}
	return waits
}

// jump moves the clock ahead, and calls what has fallen due.
func (j *jumping) jump(d time.Duration) {
	j.mu.Lock()
	var due []*jumpingTimer
	j.ahead += d
	for t := range j.timers {
		if !t.when.After(j.now()) {
			due = append(due, t)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(due, func(a, b *jumpingTimer) int { return a.when.Compare(b.when) })
	for _, t := range due {
		t.fire()
	}
}

// While a person looks, nothing falls due, though a day passes: no timer, alarm, delayed message, retry, lease, limit
// of waitUntil, or sleep of a workflow. Afterwards each comes when its time is there.
func TestInspectorTimeStands(t *testing.T) {
	standing := script("inspectorclock", "index.ts")
	base := newJumping()
	d := debugProject(newProject(t, "wrangler.jsonc", script("inspectorclock", "wrangler.jsonc"),
		"index.ts", standing), func(o *Options) { o.Clock = base })
	line := slices.IndexFunc(strings.Split(standing, "\n"), func(l string) bool {
		return strings.Contains(l, "const at = why")
	})
	if !d.call("Debugger.setBreakpointByUrl", map[string]any{"urlRegex": "index.ts$", "lineNumber": line}, nil) {
		t.Fatal(d.out.String())
	}
	ask := func(path string) string { d.do("GET " + path); return <-d.answers }
	// look is a day of a person.
	look := func(why string) {
		t.Helper()
		d.paused()
		value := func(expression string) string {
			var got struct{ Result remoteValue }
			d.call("Debugger.evaluateOnCallFrame", map[string]any{"callFrameId": d.event.CallFrames[0].CallFrameID,
				"expression": expression, "returnByValue": true}, &got)
			return string(got.Result.Value)
		}
		if at := value("why"); at != `"`+why+`"` {
			t.Fatalf("paused in %s, expected %s", at, why)
		}
		before, went := value("Date.now()"), value("went.join()")
		for range 24 {
			base.jump(time.Hour)
			if now, since := value("Date.now()"), value("went.join()"); now != before || since != went {
				t.Errorf("%s: %s is %s while paused, and %s is %s", why, before, now, went, since)
			}
		}
		d.do("resume")
	}
	want := func(list ...string) {
		t.Helper()
		var went []string
		// The session has been asked last when what fell due had begun before.
		for range 1000 {
			_, body, _ := strings.Cut(ask("/went"), " ")
			if err := json.Unmarshal([]byte(body), &went); err != nil {
				t.Fatal(err)
			}
			if slices.Sort(went); len(went) >= len(list) {
				break
			}
		}
		if slices.Sort(list); !slices.Equal(went, list) {
			t.Errorf("went %q, expected %q; the workflow: %s", went, list, ask("/flowing"))
		}
	}
	d.do("GET /")
	look("fetch")
	if answer := <-d.answers; answer != "200 went on" {
		t.Error(answer)
	}
	want()
	if calls := ask("/look"); calls != "200 2" { // the object lives
		t.Error(calls)
	}
	ask("/now")
	look("queue")
	want("now 1")
	ask("/flow")
	look("flow")
	want("now 1", "step")
	for !strings.Contains(ask("/flowing"), `"waiting"`) { // the end of the step is on its way to the disk
	}
	base.jump(11 * time.Second)
	want("now 1", "step", "timer")
	base.jump(10 * time.Second)
	want("now 1", "step", "timer", "waited")
	base.jump(time.Hour)
	want("now 1", "step", "timer", "waited", "alarm 0", "late 1", "slept")
}

// Without a debugger nothing of it is there: no function of the host tells of statements. With one, too, a
// function's text is what it is without.
func TestInspectorAbsent(t *testing.T) {
	const script = `export default {
	fetch: () => new Response([typeof globalThis.__eddy_at, String(same).replace(/\s+/g, " ")].join("; ")) };
function same(n) { return n + 1; }
`
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script).serve()
	const text = "function same(n) { return n + 1; }"
	s.expect("/", "undefined; "+text)
	d := debugProject(newProject(t, "wrangler.jsonc", plainConfig, "index.js", script))
	d.do("GET /")
	if got := <-d.answers; got != "200 function; "+text {
		t.Error(got)
	}
}

// Address and port are those of dev.inspector_ip and dev.inspector_port where the command line names none.
func TestInspectorPort(t *testing.T) {
	host := "127.0.0.1"
	if runtime.GOOS == "linux" { // an address of its own: nobody takes the port between here and the debugger
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 1+rand.IntN(250))
	}
	free, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().(*net.TCPAddr)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	debugger := inspector.New(inspector.Options{})
	defer debugger.Close()
	dev := fmt.Sprintf(`{"dev": {"inspector_ip": %q, "inspector_port": %d}, `, host, addr.Port)
	config := strings.Replace(plainConfig, "{", dev, 1)
	newProject(t, "wrangler.jsonc", config, "index.js", "export default { fetch: () => new Response() };").serve(
		func(o *Options) { o.Inspector = debugger })
	if debugger.Addr() != addr.String() {
		t.Errorf("listens at %s, expected %s", debugger.Addr(), addr)
	}
}

package runtime

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var (
	flowPrograms = flag.Int("workflows.programs", 3, "how many generated programs TestWorkflowPrograms runs")
	flowSeed     = flag.Uint64("workflows.seed", 0, "seed of TestWorkflowPrograms, 0 for a new one")
)

// flowsAtOnce is how many programs one process runs, and flowKills how often it is killed meanwhile.
const flowsAtOnce, flowKills = 20, 4

// TestWorkflowPrograms runs generated workflows in JavaScript, with steps side by side, loops, retries, sleeps, events
// that come early and late, pauses and restarts, and kills the process with SIGKILL again and again. No result that
// run has had is made again, no attempt begins twice, no event is given twice or lost, and every instance comes to its
// end with what its program says (FLOW-20, FLOW-23, FLOW-40, FLOW-44, FLOW-46, FLOW-61, FLOW-62, FLOW-64, FLOW-70,
// FLOW-125, FLOW-128, FLOW-129). What the programs do is decided by the seed, when the process dies is not.
func TestWorkflowPrograms(t *testing.T) {
	seed := *flowSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	sums := &flowSums{}
	for at := 0; at < *flowPrograms; at += flowsAtOnce {
		n := min(flowsAtOnce, *flowPrograms-at)
		runFlows(t, seed+uint64(at), n, min(flowKills, 1+n/4), sums)
		if t.Failed() {
			t.Fatalf("-workflows.seed %d -workflows.programs %d", seed+uint64(at), n)
		}
	}
	t.Logf("%d programs: %+v", *flowPrograms, *sums)
}

// flowSums are what the programs went through.
type flowSums struct{ Instances, Kills, Told, Events, Pauses, Restarts, Refused int }

// flowWorld is a batch of programs, with the process that runs them now.
type flowWorld struct {
	t      *testing.T
	rng    *rand.Rand
	model  *flowModel
	ids    []string
	ops    map[string][]*flowOp
	paused map[string]bool
	client *http.Client
	c      *child
	sums   *flowSums
}

func runFlows(t *testing.T, seed uint64, n, kills int, sums *flowSums) {
	x := &flowWorld{t: t, rng: rand.New(rand.NewPCG(seed, 5)), model: newFlowModel(t.Errorf),
		ops: map[string][]*flowOp{}, paused: map[string]bool{}, client: &http.Client{}, sums: sums}
	defer x.client.CloseIdleConnections()
	test := httptest.NewServer(x.model)
	defer test.Close()
	var code strings.Builder
	code.WriteString("export const programs = [\n")
	of := map[string]int{}
	for i := range n {
		ops := generateFlow(x.rng, flowDepth, "")
		fmt.Fprintf(&code, "%s,\n", flowCode(ops))
		for k := range 1 + x.rng.IntN(2) {
			id := fmt.Sprintf("p%d-%d", i, k)
			x.ids, x.ops[id], of[id] = append(x.ids, id), ops, i
		}
	}
	code.WriteString("];\n")
	sums.Instances += len(x.ids)
	dir := writeProject(t, map[string]string{
		"wrangler.jsonc": strings.Replace(script("flowprograms", "wrangler.jsonc"), "${TEST}", test.URL, 1),
		"index.js":       script("flowprograms", "index.js"), "programs.js": code.String()})

	x.c = startChild(t, dir)
	for _, id := range x.ids {
		x.mustAsk("create", id, of[id])
	}
	for range kills {
		x.disturb()
		x.c.kill()
		sums.Kills++
		x.c = startChild(t, dir)
		if t.Failed() {
			break
		}
	}
	defer x.c.kill()
	x.settle(kills > 0)
	x.model.mu.Lock()
	sums.Told += x.model.now
	x.model.mu.Unlock()
}

// ask calls the Worker; ok is false if it was killed or refused.
func (x *flowWorld) ask(op, id string, arg any) (string, bool) {
	b, err := json.Marshal(map[string]any{"op": op, "id": id, "arg": arg})
	if err != nil {
		x.t.Fatal(err)
	}
	res, err := x.client.Post(x.c.url, "application/json", strings.NewReader(string(b)))
	if err != nil {
		return err.Error(), false
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return string(answer), err == nil && res.StatusCode == http.StatusOK
}

func (x *flowWorld) mustAsk(op, id string, arg any) string {
	x.t.Helper()
	answer, ok := x.ask(op, id, arg)
	if !ok {
		x.t.Fatalf("%s of %s: %s", op, id, answer)
	}
	return answer
}

type flowStatus struct {
	Status string
	Output *struct{ Epoch, Out string }
	Error  *struct{ Message string }
}

func (s flowStatus) over() bool { return s.Status == "complete" || s.Status == "errored" }

func (x *flowWorld) status(id string) (s flowStatus) {
	x.t.Helper()
	if answer := x.mustAsk("status", id, nil); json.Unmarshal([]byte(answer), &s) != nil {
		x.t.Fatalf("status of %s: %s", id, answer)
	}
	return s
}

// awake resumes what is paused, and gives a channel that is closed when every instance has ended.
func (x *flowWorld) awake() <-chan struct{} {
	var running []string
	x.model.forget()
	for _, id := range x.ids {
		s := x.status(id)
		if x.paused[id] || strings.Contains(s.Status, "ause") {
			x.ask("resume", id, nil)
			delete(x.paused, id)
		}
		if !s.over() {
			running = append(running, id)
		}
	}
	return x.model.expect(running)
}

// disturb acts on the instances, each time when something was told, until the process is to die.
func (x *flowWorld) disturb() {
	whole := x.awake()
	for range 10 + x.rng.IntN(20*len(x.ids)) {
		select {
		case <-whole:
			return
		case <-x.model.told:
		case <-x.c.ended:
			x.c.lives(x.t)
		}
		id := x.ids[x.rng.IntN(len(x.ids))]
		switch x.rng.IntN(12) {
		case 0, 1, 2:
			x.send(id)
		case 3:
			x.pause(id)
			if x.rng.IntN(4) == 0 {
				return // it is killed in its pause
			}
			for range x.rng.IntN(3) {
				x.send(id)
			}
			x.ask("resume", id, nil)
			delete(x.paused, id)
		case 4:
			if x.rng.IntN(6) == 0 {
				x.restart(id)
			}
		}
	}
}

func (x *flowWorld) send(id string) {
	x.sums.Events++
	typ, m := string(rune('x'+x.rng.IntN(2))), x.model
	m.mu.Lock()
	name := fmt.Sprint("e", len(m.sent)+1)
	s := &flowSent{instance: id, typ: typ}
	m.sent[name] = s
	m.mu.Unlock()
	_, ok := x.ask("sendEvent", id, map[string]any{"type": typ, "payload": name[1:]})
	if !ok {
		x.sums.Refused++
		return
	}
	m.mu.Lock()
	m.now++
	s.acked = m.now
	m.mu.Unlock()
}

func (x *flowWorld) pause(id string) {
	x.sums.Pauses++
	x.paused[id] = true
	x.ask("pause", id, nil)
}

func (x *flowWorld) restart(id string) {
	x.sums.Restarts++
	x.model.mu.Lock()
	x.model.restarted[id] = true
	delete(x.model.ended, id)
	x.model.mu.Unlock()
	x.ask("restart", id, nil)
}

// settle lets every instance come to its end, and compares what it came to with its program.
func (x *flowWorld) settle(killed bool) {
	select {
	case <-x.awake():
	case <-x.c.ended:
		x.c.lives(x.t)
	}
	for _, id := range x.ids {
		s := x.status(id)
		for !s.over() { // run has told its end, which is stored next; or it was not the last end of a restarted one
			s = x.status(id)
		}
		want := wanted(x.ops[id], killed)
		switch {
		case s.Status == "errored":
			if !want.mayFail {
				x.t.Errorf("%s has failed, which its program cannot: %s", id, s.Error.Message)
			}
		case want.mustFail || !want.fits(s.Output.Out):
			x.t.Errorf("%s is complete with %q, but its program says %v:\n%s", id, s.Output.Out, want,
				flowCode(x.ops[id]))
		default:
			if lost := x.model.lost(id, s.Output.Epoch); lost != "" {
				x.t.Errorf("%s never got %s", id, lost)
			}
		}
	}
}

package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"eddy/runtime/bindings/objectstore"
)

// effects counts what steps of instances have done, by instance and step, and answers with the number of the attempt:
// what a lost node has asked for may be heard after what the next one asks for.
type effects struct {
	*httptest.Server
	mu    sync.Mutex // guards the rest
	count map[string]int
	last  map[string]int    // the highest attempt
	enter func(path string) // called before a step's effect is answered
}

func newEffects(t *testing.T) *effects {
	e := &effects{count: map[string]int{}, last: map[string]int{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempt, err := strconv.Atoi(r.URL.Query().Get("attempt"))
		if err != nil {
			t.Error(err)
		}
		e.mu.Lock()
		e.count[r.URL.Path]++
		e.last[r.URL.Path] = max(e.last[r.URL.Path], attempt)
		enter := e.enter
		e.mu.Unlock()
		if enter != nil {
			enter(r.URL.Path)
		}
		_, _ = fmt.Fprint(w, r.URL.Path, " ", attempt)
	}))
	t.Cleanup(e.Close)
	return e
}

// total counts all.
func (e *effects) total() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, k := range e.count {
		n += k
	}
	return n
}

func (e *effects) of(path string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count[path]
}

// flow calls a method of the workflow, or of one of its instances, through the next node.
func (c *testCluster) flow(method, id string, arg any) string {
	c.t.Helper()
	c.turn.Add(1)
	return c.ask(c.web(0), method, id, arg)
}

// ask is flow through the node at a URL. Any goroutine.
func (c *testCluster) ask(url, method, id string, arg any) string {
	ask, err := json.Marshal(map[string]any{"method": method, "id": id, "arg": arg})
	if err != nil {
		c.t.Error(err)
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(ask))
	if err != nil {
		c.t.Error(err)
		return ""
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK {
		c.t.Errorf("%s %s: %d %s, %v", method, id, res.StatusCode, text, err)
	}
	return string(text)
}

// await asks for an instance's status until it is one of these.
func (c *testCluster) await(id string, statuses ...string) string {
	c.t.Helper()
	for {
		text := c.flow("status", id, nil)
		var got struct{ Status string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			c.t.Fatalf("status of %s: %s", id, text)
		}
		if slices.Contains(statuses, got.Status) {
			return text
		}
		if slices.Contains([]string{"complete", "errored", "terminated"}, got.Status) {
			c.t.Fatalf("status of %s: %s, want %v", id, text, statuses)
		}
	}
}

// hasFlow is the node that has the workflow.
func (c *testCluster) hasFlow(name string) int {
	c.t.Helper()
	return c.owner(objectstore.Name{Kind: objectstore.Workflows, ID: name}.Object())
}

// owner is the node that has an object, by its namespace and its id.
func (c *testCluster) owner(key, id string) int {
	c.t.Helper()
	at := slices.IndexFunc(c.nodes, func(s *Session) bool {
		return s.Node().Place(s.Node().ShardOf(key, id)).Shard != nil
	})
	if at < 0 {
		c.t.Fatalf("no node has %s %s", key, id)
	}
	return at
}

// gives is what the step of a path has given if its last attempt did.
func (e *effects) gives(path string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(path, " ", e.last[path])
}

func startFlows(t *testing.T) (*testCluster, *effects) {
	t.Helper()
	c, e := newTestCluster(t), newEffects(t)
	if err := c.start(writeProject(t, map[string]string{"wrangler.jsonc": script("clusterflows", "wrangler.jsonc"),
		"index.js": script("clusterflows", "index.js")}), false); err != nil {
		t.Fatal(Explain(err, false))
	}
	return c, e
}

// An instance that sleeps on a node which is lost goes on by itself on another one, and so does one whose time to wait
// for an event ends. What steps have given is not made again (FLOW-23, FLOW-62, FLOW-157).
func TestFlowOutlivesItsNode(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	woke := make(chan struct{})
	once := sync.OnceFunc(func() { close(woke) })
	e.enter = func(path string) {
		if path == "/a/second" {
			once()
		}
	}
	params := map[string]any{"url": e.URL, "nap": 500, "type": "go", "timeout": "1 hour"}
	if got := c.flow("create", "a", params); got != `"a"` {
		t.Fatal(got)
	}
	params["timeout"] = 1
	if got := c.flow("create", "late", params); got != `"late"` {
		t.Fatal(got)
	}
	c.await("a", "waiting")
	c.await("late", "waiting", "errored")
	c.kill(c.hasFlow("flow"))
	<-woke // nobody has asked for the instance meanwhile
	if got := c.flow("sendEvent", "a", []any{map[string]any{"type": "go", "payload": 7}}); got != "null" {
		t.Fatal(got)
	}
	got := c.await("a", "complete")
	second := e.gives("/a/second") // 2 if the machine is so slow that it fell into the kill
	if want := fmt.Sprintf(`"output":["/a/first 1",%q,7]}`, second); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := c.await("late", "errored"); !strings.Contains(got, "Execution timed out after 1ms") {
		t.Error(got)
	}
}

// An attempt that runs while its node is lost runs once more, and what the first one gives counts for nothing
// (FLOW-46, FLOW-99).
func TestFlowKilledInAStep(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	entered, killed := make(chan struct{}), make(chan struct{})
	var later atomic.Bool
	e.enter = func(path string) {
		if path == "/a/first" && !later.Swap(true) {
			close(entered)
			<-killed
		}
	}
	if got := c.flow("create", "a", map[string]any{"url": e.URL, "nap": 1}); got != `"a"` {
		t.Fatal(got)
	}
	<-entered
	c.lose(c.hasFlow("flow"))
	c.await("a", "complete")
	close(killed) // only now the first attempt has its answer
	want := `{"status":"complete","__LOCAL_DEV_STEP_OUTPUTS":["/a/first 2","/a/second 1"],` +
		`"output":["/a/first 2","/a/second 1"]}`
	for range c.webs {
		if got := c.flow("status", "a", nil); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := e.of("/a/first"); n != 2 {
		t.Errorf("the step's callback was called %d times, want 2", n)
	}
}

// Instances go on when their node leaves in order, and so do those that it has just made. An attempt that took longer
// than the node waits for was done twice.
func TestFlowHandedOver(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	entered := make(chan struct{})
	var first sync.Once
	e.enter = func(string) { first.Do(func() { close(entered) }) }
	params := map[string]any{"url": e.URL, "nap": 1, "type": "go", "timeout": "1 hour"}
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprint("i", n))
		c.flow("create", ids[n], params)
	}
	<-entered
	c.leave(c.hasFlow("flow"))
	for _, id := range ids {
		c.flow("sendEvent", id, []any{map[string]any{"type": "go", "payload": id}})
	}
	for _, id := range ids {
		got := c.await(id, "complete")
		first, second := "/"+id+"/first", "/"+id+"/second"
		want := fmt.Sprintf(`"output":[%q,%q,%q]}`, e.gives(first), e.gives(second), id)
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Instances are controlled from any node, and two nodes that make the same one make it once (FLOW-90, FLOW-91,
// FLOW-113, FLOW-125, FLOW-127, FLOW-128, FLOW-129).
func TestFlowControlOnCluster(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	params := map[string]any{"url": e.URL, "nap": "1 hour"}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	batch := func(list ...string) (news []any) {
		for _, id := range list {
			news = append(news, map[string]any{"id": id, "params": params})
		}
		return news
	}
	want(c.flow("createBatch", "", batch("a", "b", "c")), `["a","b","c"]`)
	want(c.flow("createBatch", "", batch("c", "d")), `["d"]`)
	want(c.flow("create", "d", params), `{"error":"WorkflowError: (instance.already_exists) `+
		`Workflow instance with id \"d\" already exists"}`)
	want(c.flow("status", "nobody", nil), `{"error":"instance.not_found"}`)
	for _, id := range []string{"a", "b", "c", "d"} {
		c.await(id, "waiting")
	}
	want(c.flow("pause", "a", nil), "null")
	c.await("a", "paused")
	want(c.flow("resume", "a", nil), "null")
	c.await("a", "waiting")
	want(c.flow("terminate", "b", nil), "null")
	c.await("b", "terminated")
	want(c.flow("restart", "c", nil), "null")
	for e.of("/c/first") != 2 {
		c.flow("status", "c", nil)
	}
	if n := e.of("/a/first"); n != 1 {
		t.Errorf("a step's callback was called %d times around a pause, want 1", n)
	}
	for _, web := range c.webs { // each node's API knows all
		req, err := http.NewRequest(http.MethodGet, web.URL+
			"/cdn-cgi/eddy/client/v4/accounts/any/workflows/flow/instances", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || !strings.Contains(string(text), `"total_count":4`) ||
			!strings.Contains(string(text), `"id":"b","status":"terminated"`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// A node that has lost its workflow and does not know it acknowledges nothing: what is asked of it is done by the one
// that has the workflow, once.
func TestFlowThroughALostNode(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	params := map[string]any{"url": e.URL, "nap": 1}
	c.flow("create", "before", params)
	c.await("before", "complete")
	lost := c.hasFlow("flow")
	c.claim(lost)
	c.turn.Store(int64(lost) - 1) // the lost node's turn
	if got := c.flow("create", "a", params); got != `"a"` {
		t.Error(got)
	}
	c.await("a", "complete")
	if n := e.of("/a/first"); n != 1 {
		t.Errorf("a step's callback was called %d times, want 1", n)
	}
}

// A subscription goes on where its instance does, without a gap (FLOW-140).
func TestFlowSubscribedOnCluster(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	c.flow("create", "a", map[string]any{"url": e.URL, "nap": 1, "type": "go", "timeout": "1 hour"})
	c.await("a", "waiting")
	owner := c.hasFlow("flow")
	c.turn.Store(int64(owner)) // the next node's turn
	heard := make(chan string, 1)
	filter := []string{"workflow_queued", "step_completed", "wait_started", "wait_completed", "workflow_completed"}
	go func() { heard <- c.ask(c.web(1), "events", "a", filter) }()
	for e.of("/a/second") == 0 {
		c.flow("status", "a", nil)
	}
	c.kill(owner)
	c.flow("sendMany", "a", []int{1})
	want := regexp.MustCompile(`^\["1 workflow_queued","\d+ step_completed","\d+ step_completed","\d+ wait_started",` +
		`"\d+ wait_completed","\d+ workflow_completed"\]$`)
	if got := <-heard; !want.MatchString(got) {
		t.Error(got)
	}
}

// While nodes go, one after the other, instances come through: what a step has given is never given otherwise, and an
// effect happens as often as its step was cut off, and once more (FLOW-23, FLOW-46).
func TestFlowsWhileNodesGo(t *testing.T) {
	t.Parallel()
	c, e := startFlows(t)
	const many = 30
	var ids []string
	for n := range many {
		ids = append(ids, fmt.Sprint("i", n))
		c.flow("create", ids[n], map[string]any{"url": e.URL, "nap": n % 5 * 100})
	}
	for range 2 {
		for e.total() == 0 {
			c.flow("status", ids[0], nil)
		}
		c.kill(c.hasFlow("flow"))
	}
	for _, id := range ids {
		var got struct{ Output []string }
		if err := json.Unmarshal([]byte(c.await(id, "complete")), &got); err != nil || len(got.Output) != 2 {
			t.Fatalf("%s: %v, %v", id, got, err)
		}
		for i, step := range []string{"first", "second"} {
			path := "/" + id + "/" + step
			if n := e.of(path); n > 3 || got.Output[i] != e.gives(path) {
				t.Errorf("%s was done %d times, and its result is %s", path, n, got.Output[i])
			}
		}
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The test's binary is the collector, too, when it is told an address.
func TestMain(m *testing.M) {
	if address := os.Getenv("COLLECTOR_ADDRESS"); address != "" {
		os.Args = []string{"collector", address}
		main()
		return
	}
	os.Exit(m.Run())
}

type attribute struct {
	Key   string
	Value struct {
		StringValue string
		IntValue    string
	}
}

type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Attributes                          []attribute
	Status                              struct {
		Code    int
		Message string
	}
	Events []struct {
		Name       string
		Attributes []attribute
	}
	worker string
}

func text(list []attribute, key string) string {
	for _, a := range list {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// start runs a command and gives back the first match of a pattern in one of its outputs. What else it prints there is
// read by rest, which ends with it.
func start(t *testing.T, cmd *exec.Cmd, errors bool, pattern string) (match []string, end func()) {
	t.Helper()
	pipe := cmd.StdoutPipe
	if errors {
		pipe = cmd.StderrPipe
	}
	out, err := pipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	end = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		<-drained
		_ = cmd.Wait() // of a signal
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(out)
	wanted := regexp.MustCompile(pattern)
	var seen strings.Builder
	for {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		if match = wanted.FindStringSubmatch(line); match != nil {
			break
		}
		if err != nil {
			t.Fatalf("%s ended without %q:\n%s", cmd.Path, pattern, &seen)
		}
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines) // up to its end
	}()
	return match, end
}

// eddy is the binary under test: that of $EDDY, or one that is built.
func eddy(t *testing.T) string {
	if path := os.Getenv("EDDY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "eddy")
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", "..", ".."), "-o", path, "./cmd/eddy")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// freeAddress is one of the loopback that nobody listens on: the collector does not say which port it was given.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// What a request leads to arrives at a collector as one trace: the send, the delivery that fails, the one that
// succeeds, the call of the object, its alarm, and the alarm's request to the network, which carries the trace on.
func TestCollector(t *testing.T) {
	traceparents := make(chan string, 1)
	bell := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		traceparents <- r.Header.Get("traceparent")
	}))
	defer bell.Close()

	address := freeAddress(t)
	collector := exec.Command(os.Args[0])
	collector.Env = append(os.Environ(), "COLLECTOR_ADDRESS="+address)
	received, into := io.Pipe()
	collector.Stdout = into
	_, endCollector := start(t, collector, true, "Everything is ready")

	session := exec.Command(eddy(t), "dev", "-c", "shop", "--port", "0", "--persist-to", t.TempDir(), "--otlp",
		"http://"+address, "--var", "KEY:hush-hush")
	match, endSession := start(t, session, false, `(http://localhost:\d+)`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, match[1]+"/orders",
		strings.NewReader(bell.URL+"/bell?key="))
	if err != nil {
		t.Fatal(err)
	}
	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	req.Header.Set("Traceparent", "00-"+trace+"-"+caller+"-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // only the status counts
	if res.StatusCode != http.StatusAccepted {
		t.Fatal(res.Status)
	}
	carried := <-traceparents

	spans := map[string]span{} // by what they are
	lines := json.NewDecoder(received)
	for len(spans) < 7 {
		for _, s := range read(t, lines) {
			what := s.Name
			if s.Name == "process jobs" && s.Status.Code == 2 {
				what = "process jobs, failed"
			}
			if _, twice := spans[what]; twice || s.TraceID != trace {
				t.Errorf("%s: trace %s, twice is %v", what, s.TraceID, twice)
			}
			spans[what] = s
		}
	}
	endSession()
	go func() { _, _ = io.Copy(io.Discard, received) }() // what the collector may still print
	endCollector()

	check(t, spans, caller)
	if want := "00-" + trace + "-" + spans["POST bell"].SpanID + "-01"; carried != want {
		t.Errorf("the network saw traceparent %q, want %q", carried, want)
	}
}

// read are the spans of one request to the collector.
func read(t *testing.T, lines *json.Decoder) (spans []span) {
	var request struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attribute }
			SchemaURL  string
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err := lines.Decode(&request); err != nil {
		t.Fatal(err)
	}
	for _, r := range request.ResourceSpans {
		if !strings.HasPrefix(r.SchemaURL, "https://opentelemetry.io/schemas/") {
			t.Errorf("the schema is %q", r.SchemaURL)
		}
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				if s.worker = text(r.Resource.Attributes, "service.name"); s.Kind == 3 {
					s.Name += " bell"
				}
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// check compares the spans with what the Worker did. The kinds are OTLP's numbers: 1 internal, 2 server, 3 client, 4
// producer, 5 consumer.
func check(t *testing.T, spans map[string]span, caller string) {
	for what, want := range map[string]struct {
		parent     string
		kind       int
		attributes map[string]string
	}{
		"POST": {"", 2, map[string]string{"faas.trigger": "http", "http.request.method": "POST", "url.path": "/orders",
			"http.response.status_code": "202"}},
		"send jobs": {"POST", 4, map[string]string{"messaging.system": "cloudflare_queues",
			"messaging.operation.type": "send", "messaging.destination.name": "jobs"}},
		"process jobs, failed": {"POST", 5, map[string]string{"faas.trigger": "pubsub",
			"messaging.operation.type": "process", "error.type": "TypeError"}},
		"process jobs": {"POST", 5, map[string]string{"messaging.operation.name": "process",
			"messaging.destination.name": "jobs"}},
		"note": {"process jobs", 2, map[string]string{"faas.trigger": "other", "rpc.method": "note",
			"eddy.object.namespace": "shop-Desk"}},
		"alarm": {"note", 1, map[string]string{"faas.trigger": "timer"}},
		"POST bell": {"alarm", 3, map[string]string{"server.address": "127.0.0.1", "http.request.method": "POST",
			"http.response.status_code": "200"}},
	} {
		s, found := spans[what]
		parent := caller
		if want.parent != "" {
			parent = spans[want.parent].SpanID
		}
		if !found || s.ParentSpanID != parent || s.Kind != want.kind || s.worker != "shop" {
			t.Errorf("%s: %+v, want the parent %q %s", what, s, want.parent, parent)
		}
		for key, value := range want.attributes {
			if got := text(s.Attributes, key); got != value {
				t.Errorf("%s: %s is %q, want %q", what, key, got, value)
			}
		}
	}
	id := text(spans["process jobs"].Attributes, "messaging.message.id")
	if first := text(spans["process jobs, failed"].Attributes, "messaging.message.id"); id == "" || id != first {
		t.Errorf("the message is %q, and was %q before", id, first)
	}
	if url := text(spans["POST bell"].Attributes, "url.full"); !strings.HasSuffix(url, "/bell?key=*********") {
		t.Errorf("the request to the network went to %q", url)
	}
	if logs := spans["alarm"].Events; len(logs) != 1 || text(logs[0].Attributes, "log.message") != "rings 1" {
		t.Errorf("the alarm's events are %v", logs)
	}
	failed := spans["process jobs, failed"]
	if len(failed.Events) != 1 || failed.Events[0].Name != "exception" ||
		text(failed.Events[0].Attributes, "exception.message") != "first time" {
		t.Errorf("the failed delivery's events are %v", failed.Events)
	}
}

package otlp_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"eddy/runtime/cause"
	"eddy/runtime/journal"
	"eddy/runtime/otlp"
)

// receiver takes traces as a collector does, with the messages of OpenTelemetry's own protocol.
func receiver(t *testing.T) (url string, got <-chan *collector.ExportTraceServiceRequest) {
	requests := make(chan *collector.ExportTraceServiceRequest, 16)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		req := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, req)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		requests <- req
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func attributes(list []*common.KeyValue) map[string]any {
	m := map[string]any{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			m[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			m[a.Key] = v.IntValue
		}
	}
	return m
}

// What an event did arrives as spans of one trace, with the names of the conventions.
func TestExport(t *testing.T) {
	url, got := receiver(t)
	x, err := otlp.New(url, func(line string) { t.Error(line) })
	if err != nil {
		t.Fatal(err)
	}
	first := cause.New()
	e := &journal.Entry{Kind: journal.Queue, Worker: "shop", Outcome: "exception", Trace: first.Trace,
		Span: first.Next().Span, Parent: first.Span, At: 1_700_000_000_000_000, Wall: 3 * time.Millisecond,
		Delivery: &journal.Delivery{Queue: "jobs", Messages: []journal.Message{{ID: [16]byte{7},
			Body: []byte("abc")}}},
		Exceptions: []journal.Exception{{Name: "TypeError", Message: "no", At: 1_700_000_000_001}},
		Logs:       []journal.Log{{Level: "log", Message: `["hi",1]`}},
		Sent:       []journal.Sent{{Queue: "next", Messages: make([]journal.Message, 2)}},
		Outgoing:   []journal.Subrequest{{Method: "GET", URL: "https://u:p@api/x", Status: 503, Span: [8]byte{9}}},
		Links:      []cause.Cause{cause.New()}}
	x.Export(e)
	if err := x.Stop(); err != nil {
		t.Fatal(err)
	}
	req := <-got
	res := req.ResourceSpans[0]
	if at := attributes(res.Resource.Attributes); at["service.name"] != "shop" || at["faas.name"] != "shop" {
		t.Errorf("the resource has %v", at)
	}
	spans := res.ScopeSpans[0].Spans
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	for i, s := range spans {
		parent := e.Span[:]
		if i == 0 {
			parent = e.Parent[:]
		}
		if hex.EncodeToString(s.TraceId) != hex.EncodeToString(e.Trace[:]) ||
			hex.EncodeToString(s.ParentSpanId) != hex.EncodeToString(parent) {
			t.Errorf("span %d: trace %x, parent %x", i, s.TraceId, s.ParentSpanId)
		}
	}
	for i, want := range []map[string]any{
		{"messaging.system": "cloudflare_queues", "messaging.destination.name": "jobs", "faas.trigger": "pubsub",
			"messaging.operation.type": "process", "messaging.batch.message_count": nil, "error.type": "TypeError",
			"messaging.message.id": "07000000000000000000000000000000", "messaging.message.body.size": int64(3)},
		{"messaging.operation.type": "send", "messaging.destination.name": "next",
			"messaging.batch.message_count": int64(2)},
		{"http.request.method": "GET", "url.full": "https://REDACTED:REDACTED@api/x", "server.address": "api",
			"server.port": int64(443), "http.response.status_code": int64(503), "error.type": "503"},
	} {
		at := attributes(spans[i].Attributes)
		for key, value := range want {
			if at[key] != value {
				t.Errorf("span %d: %s is %v, want %v", i, key, at[key], value)
			}
		}
	}
	own := spans[0]
	if own.Name != "process jobs" || own.StartTimeUnixNano != 1_700_000_000_000_000_000 ||
		own.EndTimeUnixNano-own.StartTimeUnixNano != 3_000_000 || len(own.Links) != 1 || len(own.Events) != 2 ||
		own.Status.Message != "TypeError: no" || attributes(own.Events[0].Attributes)["log.message"] != "hi 1" {
		t.Errorf("the event's span is %v", own)
	}
}

// A collector that is down costs a line, however many entries there are, and no call waits for it.
func TestCollectorIsDown(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	lines := make(chan string, 100)
	x, err := otlp.New(s.URL, func(line string) { lines <- line })
	if err != nil {
		t.Fatal(err)
	}
	for range 20_000 { // far more than may wait
		x.Export(&journal.Entry{Kind: journal.RPC, Worker: "w", Outcome: "ok", Trace: [16]byte{1}, Span: [8]byte{1}})
	}
	if err := x.Stop(); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	if line := <-lines; !strings.HasPrefix(line, "The collector at "+s.URL+" takes no traces; they are dropped until") {
		t.Errorf("told %q", line)
	}
}

// A collector that refuses spans, or all that it is sent, is told of with its reason, and hears the headers that the
// environment asks for.
func TestCollectorRefuses(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-team = core")
	partial, err := proto.Marshal(&collector.ExportTraceServiceResponse{
		PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	for want, answer := range map[string]func(http.ResponseWriter){
		"it refused 3 spans: too old": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			_, _ = w.Write(partial)
		},
		"403 Forbidden: no such key": func(w http.ResponseWriter) {
			http.Error(w, "no such key", http.StatusForbidden)
		},
		"": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.WriteHeader(http.StatusOK) // everything was taken: the answer is empty
		},
	} {
		headers := make(chan http.Header, 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			headers <- r.Header
			answer(w)
		}))
		var told []string
		x, err := otlp.New(s.URL, func(line string) { told = append(told, line) })
		if err != nil {
			t.Fatal(err)
		}
		x.Export(&journal.Entry{Kind: journal.RPC, Worker: "w", Outcome: "ok", Trace: [16]byte{1}, Span: [8]byte{1}})
		if err := x.Stop(); err != nil {
			t.Fatal(err)
		}
		if h := <-headers; h.Get("X-Key") != "a b" || h.Get("X-Team") != "core" {
			t.Errorf("the collector got %v", h)
		}
		s.Close()
		if want == "" && len(told) > 0 || want != "" && (len(told) != 1 || !strings.HasSuffix(told[0], want)) {
			t.Errorf("told %q, want %q", told, want)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "nonsense")
	if _, err := otlp.New("http://localhost:4318", nil); err == nil || !strings.Contains(err.Error(), "NAME=VALUE") {
		t.Errorf("headers without a name: %v", err)
	}
}

// Who names the port for gRPC is told which one it is: what fails there reads like noise.
func TestPortOfGRPC(t *testing.T) {
	var told []string
	x, err := otlp.New("http://127.0.0.1:4317", func(line string) { told = append(told, line) })
	if err != nil {
		t.Fatal(err)
	}
	x.Export(&journal.Entry{Kind: journal.RPC, Worker: "w", Outcome: "ok", Trace: [16]byte{1}, Span: [8]byte{1}})
	if err := x.Stop(); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.HasSuffix(told[0], "and 4318 that for HTTP)") {
		t.Errorf("told %q", told)
	}
}

func TestCheck(t *testing.T) {
	for _, bad := range []string{"", "localhost:4318", "ftp://x", "http://", "%"} {
		if _, err := otlp.New(bad, nil); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

package queuejs

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/host"
	"eddy/runtime/worker"
)

//go:embed testdata/scripts
var scripts embed.FS

// script is a Worker, or a part of one, of testdata/scripts.
func script(name string) string {
	text, err := scripts.ReadFile("testdata/scripts/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// bench is a Worker with a broker on a virtual clock.
type bench struct {
	t      testing.TB
	clock  *clock.Virtual
	broker *queues.Broker
	worker *worker.Worker
	lanes  *DOQueues

	mu   sync.Mutex // guards logs
	logs []string
}

type setup struct {
	source    string
	date      string
	flags     []string
	producers []Producer
	consumers []queues.ConsumerConfig
	// real runs on the machine's clock; the bench's own clock means nothing then.
	real bool
}

func newBench(t testing.TB, s setup) *bench {
	t.Helper()
	b := &bench{t: t, clock: clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)}
	b.clock.Pause()
	var time clock.Clock = b.clock
	if s.real {
		time = clock.Real{}
	}
	var err error
	if b.broker, _, err = queues.Open(queues.Options{FS: logstore.NewMemFS(), Clock: time}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.broker.Close() })
	top := queues.Topology{Consumers: s.consumers}
	for _, p := range s.producers {
		top.Queues = append(top.Queues, p.Queue)
	}
	if err := b.broker.Declare(context.Background(), top); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(s.source), 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := bundle.Build(
		bundle.Options{
			Dir:   dir,
			Entry: file,
			Virtual: []bundle.VirtualModule{
				{Name: "cloudflare:workers"},
				{Name: DOQueueModule},
				{Name: TestModuleName},
			},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if s.date == "" {
		s.date = "2026-04-01"
	}
	flags, errs := worker.ResolveFlags(s.date, s.flags)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b.lanes = &DOQueues{Broker: b.broker, NamespaceKey: func(_ *worker.Isolate, v goja.Value) (string, bool) {
		return "w-Lane", v.String() == "namespace"
	}}
	o := worker.Options{
		Name: "w", Script: &worker.Script{Bundle: built}, Flags: flags, Clock: time,
		Modules: map[string]worker.Module{DOQueueModule: b.lanes.Module, TestModuleName: TestModule},
		Log: func(e host.ConsoleLine) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.logs = append(b.logs, string(e.Level)+": "+e.Text)
		},
	}
	for _, p := range s.producers {
		p.Sender = b.broker
		o.Bindings = append(o.Bindings, p)
	}
	if b.worker, err = worker.Start(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.worker.Close)
	for _, c := range s.consumers {
		if _, err := b.broker.Attach(c.Queue, Consumer{Isolate: b.worker.Isolate}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.lanes.Attach(b.worker.Isolate, "w"); err != nil {
		t.Fatal(err)
	}
	return b
}

// get sends a request and gives back the body, or "error: …".
func (b *bench) get(path string) string {
	b.t.Helper()
	req, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := b.worker.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		return "error: " + err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}

// settle lets an hour pass: long enough for every retry, too short for retention to end.
func (b *bench) settle() { b.clock.Advance(context.Background(), time.Hour) }

func (b *bench) warnings() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.logs, "\n")
}

func consumer(queue string, change func(*queues.ConsumerConfig)) queues.ConsumerConfig {
	c := queues.DefaultConsumer(queue, queues.WorkerConsumer)
	c.Script = "w"
	if change != nil {
		change(&c)
	}
	return c
}

// cases makes a Worker in which each case is the body of a function with env; ?run=N calls one and answers what it
// returned, or what it threw.
func cases(exprs []string) string {
	var s strings.Builder
	s.WriteString(script("cases.js"))
	for i, e := range exprs {
		fmt.Fprintf(&s, "run[%d] = async (env) => { %s };\n", i, e)
	}
	return s.String()
}

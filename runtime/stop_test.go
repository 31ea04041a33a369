package runtime

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

var stopWorker = script("stop", "stop.js")

const stopConfig = `{
	"name": "w", "main": "index.js", "compatibility_date": "2026-04-01", "triggers": { "crons": ["* * * * *"] },
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_timeout": 0 }] },
	"durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }]
}`

// Whatever the user's code is busy with, Stop ends it and leaves no goroutine behind. The CPU limit of thirty seconds
// is no excuse: without the cut the cases that spin would hold Stop up for as long.
func TestStopWhileBusy(t *testing.T) {
	for _, c := range []struct{ path, busy string }{
		{"/", "200 OK"}, {"/hang", "request hangs"}, {"/spin", "request spins"}, {"/object", "object spins"},
		{"/wait", "request waits"}, {"/send", "batch hangs"},
	} {
		t.Run(strings.TrimPrefix(c.path, "/"), func(t *testing.T) {
			before := runtime.NumGoroutine()
			p := newProject(t, "wrangler.jsonc", stopConfig, "index.js", stopWorker)
			s := p.serve(func(o *Options) { o.Listen, o.Port, o.Watch, o.Crons, o.Clock = true, -1, true, true, nil })
			answered := make(chan error, 1)
			go func() {
				res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request(t, "GET", s.URL()+c.path, nil))
				if err == nil {
					err = res.Body.Close()
				}
				answered <- err
			}()
			s.out.await(c.busy, 1)
			if err := s.Stop(context.Background()); err != nil {
				t.Error(err)
			}
			<-answered // an answer or a connection that breaks off: not a wait for ever
			if err := s.Stop(context.Background()); err != nil {
				t.Errorf("second Stop: %v", err)
			}
			s.end()
			if text := leftGoroutines(before); text != "" {
				t.Errorf("goroutines left after Stop:\n%s", text)
			}
		})
	}
}

// leftGoroutines gives the stacks of goroutines beyond a number that run this project's code. Goroutines that have been
// told to end get the processor until they have done so; those that have not after five minutes were not told.
func leftGoroutines(allowed int) string {
	var text string
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		if runtime.NumGoroutine() <= allowed {
			return ""
		}
		buf := make([]byte, 1<<20)
		text = ""
		for i, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if i > 0 && strings.Contains(g, "eddy/") && !strings.Contains(g, "testing.(*T).Run") {
				text += g + "\n\n"
			}
		}
		if text == "" {
			return ""
		}
		runtime.Gosched()
	}
	return text
}

func TestStartFailureLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, c := range []struct{ config, script, want string }{
		{`{"name": "w", "main": "gone.js"}`, "", `The entry-point file at "gone.js" was not found`},
		{plainConfig, "export default {", "Build failed with 1 error"},
		{plainConfig, "throw new Error('at the top')", "Uncaught Error: at the top"},
		{stopConfig, "export default {}", "Durable Objects, which are not exported in your entrypoint file: Room"},
		{strings.Replace(plainConfig, "}", `, "compatibility_flags": ["no_such_flag"]}`, 1), "export default {}",
			"No such compatibility flag: no_such_flag"},
	} {
		_, err := newProject(t, "wrangler.jsonc", c.config, "index.js", c.script).start()
		if err == nil || !strings.Contains(Explain(err, false), c.want) {
			t.Errorf("want %s, got %v", c.want, err)
		}
	}
	if text := leftGoroutines(before); text != "" {
		t.Errorf("goroutines left after failed starts:\n%s", text)
	}
}

func TestPorts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	p := newProject(t, "wrangler.jsonc", plainConfig, "index.js",
		"export default { fetch() { return new Response('here'); } }")
	_, err = p.start(func(o *Options) { o.Listen, o.Port = true, port })
	if err == nil {
		t.Fatal("started on a port that is taken")
	}
	for _, want := range []string{fmt.Sprintf("port %d is already in use", port), "--port", "dev.port in"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	_, err = p.start(func(o *Options) { o.Listen, o.Port = true, 99999 })
	if err == nil || !strings.Contains(err.Error(), "port 99999: expected 1 to 65535") {
		t.Errorf("port 99999: %v", err)
	}
	_, err = p.start(func(o *Options) { o.Listen, o.IP = true, "300.1.1.1" })
	if err == nil || !strings.Contains(err.Error(), `"300.1.1.1" is no address of this machine`) {
		t.Errorf("--ip 300.1.1.1: %v", err)
	}
	s := p.serve(func(o *Options) { o.Listen, o.Port = true, -1 })
	s.Banner(0)
	s.wantLines("Ready on "+s.URL(), "State in .wrangler/state (durable: acknowledged means on disk)")
	res, err := plainTransport.RoundTrip(request(t, "GET", s.URL(), nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != 200 {
		t.Errorf("%d %v", res.StatusCode, err)
	}
}

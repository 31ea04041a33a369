package runtime

import "testing"

const (
	calleeConfig = `{ "name": "callee", "main": "index.js", "compatibility_date": "2026-04-01",
		"durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }] }`
	callerConfig = `{ "name": "caller", "main": "index.js", "compatibility_date": "2026-04-01",
		"services": [{ "binding": "CALLEE", "service": "callee", "entrypoint": "Callee" }],
		"durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room", "script_name": "callee" }] } }`
)

// TestKillBetweenSessions kills a session with SIGKILL while another one's RPC is under way in it, in every form that a
// call has: the caller gets the platform's text, its session lives, and calls succeed once the Worker runs again.
// Whether the killed session owns the queues or has joined changes nothing.
func TestKillBetweenSessions(t *testing.T) {
	for _, owns := range []bool{true, false} {
		state := t.TempDir()
		callee := newProject(t, "wrangler.jsonc", calleeConfig, "index.js", script("killrpc", "callee.js"))
		caller := newProject(t, "wrangler.jsonc", callerConfig, "index.js", script("killrpc", "caller.js"))
		var killed *child
		var s *served
		if owns {
			killed = startChild(t, callee.dir, crashState+"="+state)
			s = caller.serve(sharing(state))
		} else {
			s = caller.serve(sharing(state))
		}
		for _, way := range []string{"/method", "/object", "/stub", "/stream", "/pipelined"} {
			if killed == nil {
				killed = startChild(t, callee.dir, crashState+"="+state)
			}
			for pong := ""; pong != "pong"; { // until the two have been introduced
				_, pong = s.ask("GET", "/ping", "")
				killed.lives(t)
			}
			answer := make(chan string)
			go func() {
				_, body := s.ask("GET", way, "")
				answer <- body
			}()
			s.out.await("begun "+way+"\n", 1)
			killed.kill()
			killed = nil
			want := "Error: Network connection lost. remote=true,retryable=true" // RPC17
			if way == "/stream" {
				want = "Error: ReadableStream received over RPC disconnected prematurely. "
			}
			if got := <-answer; got != want {
				t.Errorf("%s: %q, want %q", way, got, want)
			}
			s.expect("/here", "here")
		}
		s.end()
	}
}

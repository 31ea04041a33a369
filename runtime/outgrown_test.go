package runtime

import (
	"fmt"
	"strings"
	"testing"
)

// A call that is in progress in one object, while another event has used up the memory of their isolate, hears that,
// and not that the code was updated. What is asked next is answered by the next isolate.
func TestOutgrownIsolate(t *testing.T) {
	if !apart(t) {
		return
	}
	p := newProject(t, "wrangler.jsonc", script("outgrown", "wrangler.jsonc"),
		"index.js", script("outgrown", "index.js"))
	s := p.serve(func(o *Options) { o.Bounds = []Bound{{Memory: 64 << 20}} })
	held := make(chan string)
	go func() {
		_, text := s.ask("GET", "/hold", "")
		held <- text
	}()
	for s.read("/held") != "1" {
	}
	s.ask("GET", "/eat", "")
	if got, want := <-held, "Durable Object's isolate exceeded its memory limit and was reset."; got != want {
		t.Errorf("the call heard %q, not %q", got, want)
	}
	s.out.await("Restarted w", 1)
	s.expect("/held", "0")
}

// Objects at rest leave memory before their time where it is short, and come back when they are called: no event hears
// of a limit.
func TestObjectsAtRestGoFirst(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("outgrown", "wrangler.jsonc"),
		"index.js", script("outgrown", "index.js"))
	s := p.serve(func(o *Options) { o.Bounds = []Bound{{Memory: 64 << 20}} })
	for n := range 25 { // some six megabytes each
		s.expect(fmt.Sprintf("/call?id=%d", n), "1")
	}
	s.expect("/call?id=0", "1")
	if text := s.out.String(); strings.Contains(text, "Restarted") {
		t.Errorf("the isolate was given up: %s", text)
	}
}

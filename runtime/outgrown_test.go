package runtime

import "testing"

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

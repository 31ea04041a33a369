package runtime

import (
	"testing"
	"time"
)

// An isolate that was given up is replaced by one with the same code: its memory is new, consumers, objects and their
// storage are those from before; and only once.
func TestReplace(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", reloadConfig, "index.js", version("v1"))
	s := p.serve()
	svc := s.services[0]
	old := svc.live()
	s.replaceNow(svc, old)
	s.replaceNow(svc, old)
	if g := svc.live(); g == old || g.number != old.number+1 {
		t.Errorf("generation %d after %d", g.number, old.number)
	}
	s.expect("/", "v1")
	s.expect("/send?n=1", "sent")
	s.clock.Advance(5 * time.Second)
	s.expect("/all", "v1 q 1")
	s.wantLines("Restarted w")
}

package session

import (
	"strings"
	"testing"
	"time"
)

// logged keeps in an object what its code, version v1, consumed.
const logged = "testdata/logged.txtar"

// An isolate that was given up is replaced by one with the same code: its memory is new, consumers, objects and their
// storage are those from before; and only once.
func TestReplace(t *testing.T) {
	r := newProject(t, logged).start()
	svc := r.services[0]
	old := svc.live()
	r.replaceNow(svc, old, nil)
	r.replaceNow(svc, old, nil)
	if g := svc.live(); g == old || g.number != old.number+1 {
		t.Errorf("generation %d after %d", g.number, old.number)
	}
	r.expect("/", "v1")
	r.expect("/send?n=1", "sent")
	r.clock.Advance(t.Context(), 5*time.Second)
	r.expect("/all", "v1 q 1")
	if !strings.Contains(r.out.String(), "Restarted w") {
		t.Error("the restart was not told")
	}
}

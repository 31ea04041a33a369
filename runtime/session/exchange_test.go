package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// held keeps a batch in flight for half a minute, and writes down in an object which code consumed what.
const held = "testdata/held.txtar"

// toV2 is the next version of held: one class is deleted, another is new, and a queue comes with a consumer.
func (p *project) toV2() {
	p.t.Helper()
	p.change("index.js", `version = "v1"`, `version = "v2"`)
	p.change("index.js", `class Old extends`, `class New extends`)
	p.change("wrangler.jsonc", `{ "name": "OLD", "class_name": "Old" }`, `{ "name": "OLD", "class_name": "New" }`)
	p.change("wrangler.jsonc", `"Old"] }]`, `"Old"] }, { "tag": "v2", "deleted_classes": ["Old"], `+
		`"new_sqlite_classes": ["New"] }]`)
	p.change("wrangler.jsonc", `"consumers": [`, `"consumers": [{ "queue": "q2" }, `)
}

// steps are those of a reload after the build, in order.
var steps = []string{"add queues", "start", "migrations", "queues", "classes", "objects", "lanes", "consumers", "swap"}

// failOnce lets a step fail the first time.
func (r *running) failOnce(step string) {
	failed := false
	r.step = func(name string) error {
		if name != step || failed {
			return nil
		}
		failed = true
		return errors.New(step + " fails")
	}
}

// Whatever fails after the build, the code from before really goes on: its requests, the batch that it has in flight,
// the messages that wait, its objects, those of the class that was about to be deleted, and its alarms. The next reload
// does all that this one did not.
func TestReloadFailsAtEachStep(t *testing.T) {
	for _, step := range append(steps, "setting aside") {
		t.Run(strings.ReplaceAll(step, " ", "-"), func(t *testing.T) {
			p := newProject(t, held)
			r := p.start()
			r.expect("/old?n=1", "v1 1")
			r.expect("/arm", "armed")
			r.expect("/send?n=in+flight", "sent")
			r.out.await("v1 has in flight", 1)
			r.expect("/send?n=waiting", "sent")
			p.toV2()
			want, mend := step+" fails", func() {}
			if step == "setting aside" {
				want, mend = `migration "v2" deletes class Old`, p.blockDeleted(r)
			} else {
				r.failOnce(step)
			}
			if err := r.Reload(context.Background(), ""); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("the reload: %v", err)
			}
			r.out.await("The code from before goes on.", 1)
			r.expect("/", "v1")
			r.expect("/old?n=2", "v1 1,v1 2")
			r.clock.Advance(t.Context(), 30*time.Second)
			r.out.await("v1 did waiting", 1)
			r.expect("/all", "v1 in flight,v1 waiting")
			r.clock.Advance(t.Context(), 30*time.Second)
			r.expect("/all", "v1 in flight,v1 waiting,v1 alarm")

			mend()
			if err := r.Reload(context.Background(), ""); err != nil {
				t.Fatal(err)
			}
			r.expect("/", "v2")
			r.expect("/send?n=later", "sent")
			r.out.await("v2 did later", 1)
			r.expect("/all", "v1 in flight,v1 waiting,v1 alarm,v2 later")
			r.expect("/old?n=3", "v2 3") // a class of its own
			if got := strings.Count(r.out.String(), " did "); got != 3 {
				t.Errorf("%d batches were done, want 3", got)
			}
		})
	}
}

// blockDeleted puts a file where the folder of deleted classes would be, until mend.
func (p *project) blockDeleted(r *running) (mend func()) {
	if err := os.WriteFile(r.State().Deleted(), nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return func() {
		if err := os.Remove(r.State().Deleted()); err != nil {
			p.t.Fatal(err)
		}
	}
}

// A generation that cannot be connected again is told of as what it is.
func TestReloadLosesTheCodeFromBefore(t *testing.T) {
	p := newProject(t, held)
	r := p.start()
	p.toV2()
	r.step = func(name string) error {
		if name == "consumers" {
			return fmt.Errorf("%s fail", name)
		}
		return nil
	}
	err := r.Reload(context.Background(), "")
	if err == nil || !strings.Contains(err.Error(), "could not be connected again either: consumers fail") {
		t.Errorf("the reload: %v", err)
	}
	if text := r.out.String(); strings.Contains(text, "goes on") ||
		!strings.Contains(text, "end this session and start it again") {
		t.Errorf("told:\n%s", text)
	}
}

// Stop ends a reload at whatever step it is, and leaves nothing behind that would keep the state from opening again.
func TestStopDuringReload(t *testing.T) {
	for _, step := range steps {
		t.Run(strings.ReplaceAll(step, " ", "-"), func(t *testing.T) {
			p := newProject(t, held)
			r := p.start()
			r.expect("/send?n=in+flight", "sent")
			r.out.await("v1 has in flight", 1)
			p.toV2()
			there, goOn := make(chan struct{}), make(chan struct{})
			r.step = func(name string) error {
				if name == step {
					close(there)
					<-goOn
				}
				return nil
			}
			reloaded, stopped := make(chan error, 1), make(chan error, 1)
			go func() { reloaded <- r.Reload(context.Background(), "") }()
			<-there
			go func() { stopped <- r.Session.Stop() }()
			<-r.stopping.Done()
			r.GiveUp()
			close(goOn)
			if err := <-reloaded; !errors.Is(err, errNotRunning) {
				t.Errorf("the reload: %v", err)
			}
			if err := <-stopped; err != nil {
				t.Errorf("Stop: %v", err)
			}
			if err := r.Reload(context.Background(), ""); !errors.Is(err, errNotRunning) {
				t.Errorf("a reload after Stop: %v", err)
			}
			again := p.start()
			again.expect("/", "v2")
		})
	}
}

package session

import (
	"context"
	"testing"
	"time"

	"eddy/queues"
)

// A consumer that is made through the API while a reload swaps the code is the new code's: what was attached to the old
// generation would end with it.
func TestConsumerMadeDuringReload(t *testing.T) {
	p := newProject(t, logged)
	p.change("wrangler.jsonc", `"producers": [`, `"producers": [{ "binding": "API", "queue": "api" }, `)
	p.change("index.js", "env.Q.send(n)", "env.Q.send(n); await env.API.send(n)")
	r := p.start()
	p.change("index.js", `version = "v1"`, `version = "v2"`)
	attached := make(chan error, 1)
	r.step = func(name string) error {
		if name != "swap" {
			return nil
		}
		c := queues.DefaultConsumer("api", queues.WorkerConsumer)
		c.Script = "w"
		if _, err := r.queues.Broker().SetConsumer(context.Background(), c, false); err != nil {
			return err
		}
		go func() { attached <- r.AttachConsumer("w", "api") }()
		return nil
	}
	if err := r.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	if err := <-attached; err != nil {
		t.Fatal(err)
	}
	r.expect("/send?n=1", "sent")
	r.clock.Advance(t.Context(), 5*time.Second)
	r.expect("/all", "v2 api 1,v2 q 1")
}

// What is attached to a generation that serves no longer is taken off again.
func TestAttachmentOfTheGenerationBefore(t *testing.T) {
	svc := &service{ready: make(chan struct{})}
	detached := ""
	made := func(what string) attachment { return attachment{what, func() { detached += what + " " }} }
	first, second := &generation{number: 1, replaced: make(chan struct{})},
		&generation{number: 2, replaced: make(chan struct{})}
	svc.swap(first, []attachment{made("a")})
	if !svc.attach(first, made("b")) {
		t.Error("the generation that serves takes no attachment")
	}
	_, its, _ := svc.swap(second, []attachment{made("c")})
	if svc.attach(first, made("late")) || detached != "late " {
		t.Errorf("attached to the generation before: detached %q", detached)
	}
	detachAll(its)
	if _, its := svc.close(); detached != "late a b " || len(its) != 1 {
		t.Errorf("detached %q, %d left", detached, len(its))
	}
	if _, _, ok := svc.swap(first, nil); ok || svc.live() != nil {
		t.Error("a closed service serves again")
	}
}

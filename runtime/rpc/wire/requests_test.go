package wire

import (
	"context"
	"io"
	"strings"
	"testing"

	"eddy/runtime/rpc"
)

// A request takes its head and its body to an entrypoint or an object, and brings an answer with another, or a failure.
func TestFetch(t *testing.T) {
	target := newHost(nil)
	p := connect(t, target)
	p.far.o.Fetch = func(a Asked) {
		go func() {
			b := []byte("none")
			if a.Body != nil {
				var err error
				if b, err = io.ReadAll(a.Body); err != nil {
					t.Error(err)
				}
			}
			if string(a.Head) == "fail" {
				a.Answer(rpc.FailType("no"), nil)
				return
			}
			text := a.Entry.Worker + " " + string(b)
			if a.To != nil {
				text = "object " + string(b)
			}
			a.Answer(nil, &Reply{Head: a.Head, Body: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))})
		}()
	}
	ask := func(to *Proxy, head, body string) string {
		t.Helper()
		q := Question{Head: []byte(head)}
		if body != "" {
			q.Body, q.Length = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		r, err := to.Fetch(context.Background(), q)
		if err != nil {
			return err.Error()
		}
		b, err := io.ReadAll(r.Body)
		if err != nil || int64(len(b)) != r.Length {
			t.Errorf("%d of %d bytes, %v", len(b), r.Length, err)
		}
		return string(r.Head) + " " + string(b)
	}
	if got := ask(p.near.Entry(Entry{Worker: "w"}), "head", "body"); got != "head w body" {
		t.Error(got)
	}
	o := p.near.Object([]byte("o"))
	if got := ask(o, "head", ""); got != "head object none" {
		t.Error(got)
	}
	o.Release()
	if got := ask(p.near.Entry(Entry{Worker: "w"}), "fail", "body"); got != "no" {
		t.Error(got)
	}
	p.empty(t)
}

// Who gives up ends the context of the other side, and the answer that comes nevertheless is dropped. The end of the
// wire fails what waits.
func TestGiveUp(t *testing.T) {
	p := connect(t, newHost(nil))
	arrived := make(chan Asked, 1)
	p.far.o.Fetch = func(a Asked) { arrived <- a }
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	ask := func() { _, err := p.near.Entry(Entry{}).Fetch(ctx, Question{}); failed <- err }
	go ask()
	a := <-arrived
	cancel()
	if err := <-failed; err == nil {
		t.Error("it is answered")
	}
	<-a.Context.Done()
	body := newSlowBody()
	a.Answer(nil, &Reply{Body: body})
	<-body.closed
	p.empty(t)
	ctx = context.Background()
	go ask()
	a = <-arrived
	p.near.End(nil)
	if err := <-failed; err == nil || err.Error() != "Network connection lost." {
		t.Errorf("the wire has ended: %v", err)
	}
	<-a.Context.Done()
	p.empty(t)
}

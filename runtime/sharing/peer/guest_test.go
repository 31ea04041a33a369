package peer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"eddy/queues"
)

// A message sent in one session is consumed in the other, in both directions, in order.
func TestBothDirections(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	if _, joined := second.Owner(); !joined || second.Broker() != nil {
		t.Fatal("the second session did not join the first")
	}
	first.declare(consuming("for-a", "a"))
	second.declare(consuming("for-b", "b"))
	first.declare(queues.Topology{Queues: []string{"for-b"}, Consumers: consuming("for-a", "a").Consumers})
	inA, inB := newProbe(), newProbe()
	first.attach("for-a", inA)
	second.attach("for-b", inB)
	for i := range 50 {
		second.start("for-a", fmt.Sprint("to a ", i))
		first.start("for-b", fmt.Sprint("to b ", i))
	}
	for i := range 50 {
		inA.ack(t, fmt.Sprint("to a ", i))
		inB.ack(t, fmt.Sprint("to b ", i))
	}
	if !first.Elsewhere("for-b") || first.Elsewhere("for-a") {
		t.Error("the owner does not know who consumes what")
	}
	if m := second.metrics("for-a"); m.BacklogCount != 0 {
		t.Errorf("backlog %d", m.BacklogCount)
	}
}

// A guest's sends are refused with the very errors that an owner's are (P-23 to P-30), and answered with the same
// metrics (P-5).
func TestSameAnswers(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	first.declare(producing("q"))
	big := strings.Repeat("x", queues.MaxMessageBytes+1)
	many := make([]string, queues.MaxBatchCount+1)
	for _, c := range []struct {
		queue  string
		bodies []string
	}{{"nothing", []string{"x"}}, {"q", []string{big}}, {"q", []string{big, "x"}}, {"q", many}} {
		a, b := <-first.start(c.queue, c.bodies...), <-second.start(c.queue, c.bodies...)
		var ra, rb *queues.Error
		if !errors.As(a.err, &ra) || !errors.As(b.err, &rb) || *ra != *rb {
			t.Errorf("%s: the owner says %v, the guest %v", c.queue, a.err, b.err)
		}
	}
	first.send("q", "one")
	before := second.send("q", "two", "three")
	if before.BacklogCount != 1 || before.BacklogBytes != 3 || before.OldestMessageTimestamp.IsZero() {
		t.Errorf("metrics before the send: %+v", before)
	}
	if a, b := first.metrics("q"), second.metrics("q"); a != b || a.BacklogCount != 3 {
		t.Errorf("the owner says %+v, the guest %+v", a, b)
	}
}

// While the consumer's session is down its messages wait; what it had in flight when it was killed comes again and does
// not count as an attempt.
func TestMessagesWaitForAGuest(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	second.declare(consuming("q", "b"))
	p := newProbe()
	second.attach("q", p)
	first.send("q", "one")
	first.send("q", "two")
	f := <-p
	second.cut()
	if e := first.await(Left); e.Session.Names() != "b" {
		t.Errorf("left: %+v", e)
	}
	f.done(queues.Outcome{}) // nobody hears it any more
	first.send("q", "three")
	if m := first.metrics("q"); m.BacklogCount != 3 {
		t.Errorf("backlog %d", m.BacklogCount)
	}
	third := w.join("b")
	third.declare(consuming("q", "b"))
	again := newProbe()
	third.attach("q", again)
	for _, body := range []string{"one", "two", "three"} {
		f := <-again
		if string(f.Messages[0].Body) != body || f.Messages[0].Attempts != 1 {
			t.Errorf("%s, attempt %d", f.Messages[0].Body, f.Messages[0].Attempts)
		}
		f.done(queues.Outcome{})
	}
}

// When the owner is killed a guest takes the log over: all that was acknowledged is there, consumers stay attached,
// other guests join the new owner.
func TestOwnerKilled(t *testing.T) {
	w := newWorld(t)
	first, second, third := w.join("a"), w.join("b"), w.join("c")
	second.declare(consuming("q", "b"))
	third.declare(producing("q"))
	p := newProbe()
	second.attach("q", p)
	first.send("q", "one")
	third.send("q", "two")
	inFlight := <-p
	first.crash()
	third.await(Lost)
	three := third.start("q", "three") // waits for the next owner
	<-inFlight.ctx.Done()
	inFlight.done(queues.Outcome{}) // nobody hears it
	if a := <-three; a.err != nil {
		t.Fatal(a.err)
	}
	// Whichever was first has the log; the other one joins it.
	took, found := second, third
	if second.Broker() == nil {
		took, found = third, second
	}
	took.await(Took)
	found.await(Found)
	if took.Broker() == nil || found.Broker() != nil {
		t.Fatal("not one owner")
	}
	got := map[string]int{}
	for range 3 {
		f := <-p
		got[string(f.Messages[0].Body)] = f.Messages[0].Attempts
		f.done(queues.Outcome{})
	}
	if got["one"] != 1 || got["two"] != 1 || got["three"] != 1 {
		t.Errorf("delivered: %v", got)
	}
	third.send("q", "four")
	p.ack(t, "four")
}

// An owner that ends in order leaves nothing to doubt: every send is answered or made again, none twice.
func TestOwnerEndsInOrder(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	second.declare(consuming("q", "b"))
	const n = 400
	var answers []<-chan answer
	for i := range n {
		if i == n/2 {
			go func() {
				w.announce(Address{})
				if err := first.Close(); err != nil {
					t.Error(err)
				}
			}()
		}
		answers = append(answers, second.start("q", fmt.Sprint(i)))
	}
	for i, a := range answers {
		if a := <-a; a.err != nil {
			t.Fatalf("send %d: %v", i, a.err)
		}
	}
	second.await(Took)
	p := newProbe()
	second.attach("q", p)
	for i := range n {
		p.ack(t, fmt.Sprint(i))
	}
	if m := second.metrics("q"); m.BacklogCount != 0 {
		t.Errorf("backlog %d", m.BacklogCount)
	}
}

// A guest that ends in order settles what it has in flight.
func TestGuestEndsInOrder(t *testing.T) {
	w := newWorld(t)
	first, second := w.join("a"), w.join("b")
	second.declare(consuming("q", "b"))
	p := newProbe()
	detach := second.attach("q", p)
	first.send("q", "one")
	f := <-p
	second.Hold()
	detach()
	f.done(queues.Outcome{})
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	first.await(Left)
	if m := first.metrics("q"); m.BacklogCount != 0 {
		t.Errorf("backlog %d", m.BacklogCount)
	}
	if a := <-second.start("q", "late"); !errors.Is(a.err, queues.ErrClosed) {
		t.Errorf("a send after the end: %v", a.err)
	}
}

func TestRefused(t *testing.T) {
	w := newWorld(t)
	first := w.join("a")
	first.declare(consuming("q", "a"))
	_, err := w.tryJoin("a")
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), `Worker "a" runs already in process `) {
		t.Errorf("the same Worker: %v", err)
	}
	second := w.join("b")
	err = second.Declare(t.Context(), consuming("q", "b"))
	if err == nil || !strings.Contains(err.Error(), `queue "q" has a consumer already: Worker "a" of process `) {
		t.Errorf("a second consumer: %v", err)
	}
	if _, err := second.Attach("nothing", newProbe()); err == nil ||
		!strings.Contains(err.Error(), `queue "nothing" does not exist`) {
		t.Errorf("attach: %v", err)
	}
}

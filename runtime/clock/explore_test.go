package clock

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// last chooses the step that was offered last, and never a timer while there is another.
type last struct{ faults []*Step }

func (last) Choose(steps []*Step) int {
	best := 0
	for i, s := range steps {
		if !s.Timer {
			best = i
		}
	}
	return best
}

func (l last) Faults(time.Time) []*Step { return l.faults }

// A Chooser decides which of the offered steps comes next; a chain keeps its order, and what is gone is no choice.
func TestExploreOrder(t *testing.T) {
	v := NewVirtual(start(), 1)
	var log []string
	offer := func(name string, chain any, gone bool) {
		if !Offer(v, &Step{Name: name, Chain: chain, Gone: func() bool { return gone },
			Do: func() { log = append(log, name) }}) {
			t.Errorf("%s is not taken", name)
		}
	}
	if Exploring(v) || Exploring(Real{}) || Offer(v, &Step{}) || Offer(Real{}, &Step{}) {
		t.Error("somebody explores")
	}
	back := Away(v)
	v.Explore(last{})
	offer("a1", "a", false)
	offer("b", nil, false)
	offer("a2", "a", false)
	offer("gone", nil, true)
	offer("c", nil, false)
	if n := v.Offered(); n != 5 || !Exploring(v) {
		t.Errorf("%d are offered", n)
	}
	back() // nothing is chosen while somebody is away
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "gone c b a1 a2" {
		t.Error(got)
	}
}

// A patient step comes when those that were offered before it are gone, whatever the Chooser prefers.
func TestExplorePatience(t *testing.T) {
	v := NewVirtual(start(), 1)
	var log []string
	v.Explore(last{})
	back := Away(v)
	for _, name := range []string{"a", "b", "patient", "c", "d"} {
		Offer(v, &Step{Name: name, Patient: name == "patient", Do: func() { log = append(log, name) }})
	}
	back()
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "d c b a patient" {
		t.Error(got)
	}
}

// A timer may overtake a step that was offered less than a second before it, and no other.
func TestExploreLateness(t *testing.T) {
	for _, c := range []struct {
		due  time.Duration
		want string
	}{{Lateness, "timer step"}, {Lateness + 1, "step timer"}} {
		v := NewVirtual(start(), 1)
		var log []string
		back := Away(v)
		v.Explore(timersFirst{})
		v.AfterFunc(c.due, func() { log = append(log, "timer") })
		Offer(v, &Step{Do: func() { log = append(log, "step") }})
		back()
		if err := v.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(log, " "); got != c.want {
			t.Errorf("a timer in %v: %s, want %s", c.due, got, c.want)
		}
	}
}

type timersFirst struct{}

func (timersFirst) Choose(steps []*Step) int { return len(steps) - 1 }

func (timersFirst) Faults(time.Time) []*Step { return nil }

// A goroutine that is away and waits for a participant lets it run; what nobody chooses any more comes in order.
func TestExploreAwait(t *testing.T) {
	v := NewVirtual(start(), 1)
	v.Explore(last{})
	p := v.Participant("loop")
	back, answered := Away(v), Await(v)
	var log []string
	done := make(chan struct{})
	p.Ready()
	go func() {
		p.Run(func() {
			for i := range 3 {
				Offer(v, &Step{Do: func() { log = append(log, fmt.Sprint(i)) }})
			}
			v.Explore(nil)
			answered()
		})
		close(done)
	}()
	<-done
	back()
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "0 1 2" || Exploring(v) {
		t.Error(got)
	}
}

// A crash takes the place of what has one, and of nothing else.
func TestExploreCrash(t *testing.T) {
	v := NewVirtual(start(), 1)
	var log []string
	note := func(s string) func() { return func() { log = append(log, s) } }
	back := Away(v)
	v.Explore(last{})
	Offer(v, &Step{Do: note("acked"), Lost: note("lost")})
	Offer(v, &Step{Do: note("sent")})
	v.Crash()
	back()
	if err := v.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "lost sent" {
		t.Error(got)
	}
}

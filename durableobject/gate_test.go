package durableobject

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// GT4: others wait in order, nesting works, what a section started passes.
func TestInputGateSections(t *testing.T) {
	var g InputGate
	var log []string
	note := func(s string) func() { return func() { log = append(log, s) } }
	var outer, inner *Section
	g.Enter(nil, note("free"))
	g.Lock(nil, func(s *Section) { outer = s; log = append(log, "outer") })
	g.Enter(nil, note("event1"))
	g.Lock(nil, func(s *Section) { log = append(log, "second"); g.Enter(s, note("in second")); g.Unlock(s) })
	g.Enter(nil, note("event2"))
	g.Enter(outer, note("own timer"))
	g.Lock(outer, func(s *Section) { inner = s; log = append(log, "inner") })
	g.Enter(outer, note("outer waits for inner"))
	g.Enter(inner, note("inner timer"))
	g.Unlock(inner)
	g.Unlock(inner)
	g.Enter(inner, note("late inner timer counts as outer"))
	g.Unlock(outer)
	g.Enter(outer, note("late outer timer is free"))
	want := "free|outer|own timer|inner|inner timer|outer waits for inner|late inner timer counts as " +
		"outer|event1|second|in second|event2|late outer timer is free"
	if got := strings.Join(log, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if g.Held() {
		t.Error("still held")
	}
}

// GT5: a broken gate lets nothing in any more.
func TestInputGateBreak(t *testing.T) {
	var g InputGate
	ran := false
	g.Lock(nil, func(*Section) {})
	g.Enter(nil, func() { ran = true })
	if n := g.Break(errors.New("reset")); n != 1 {
		t.Errorf("dropped %d", n)
	}
	g.Enter(nil, func() { ran = true })
	if ran {
		t.Error("an event entered a broken object")
	}
}

// GT7.
func TestOutputGate(t *testing.T) {
	var g OutputGate
	var log []string
	out := func(s string) { g.Output(func(err error) { log = append(log, fmt.Sprint(s, err)) }) }
	out("a")
	first, second := g.Lock(), g.Lock()
	out("b")
	second(nil)
	third := g.Lock()
	out("c")
	first(nil)
	first(nil)
	third(errors.New("!"))
	out("d")
	if got := strings.Join(log, " "); got != "a<nil> b<nil> c! d!" {
		t.Error(got)
	}
}

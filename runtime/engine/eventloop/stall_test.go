package eventloop

import (
	"context"
	"slices"
	"testing"
)

// openGate lets everything pass; a scope that has one does not stall.
type openGate struct{}

func (openGate) Enter(_ any, fn func())    { fn() }
func (openGate) Output(fn func(err error)) { fn(nil) }

type stallable func()

func (f stallable) Stalled() { f() }

// Scopes are told that they are stalled once, in the order of their making, when no scope without a gate has anything
// out; a closed scope and what it had out do not count.
func TestStall(t *testing.T) {
	l := New(Options{Name: "stall"})
	defer l.Stop()
	var told []string
	do := func(fn func()) {
		t.Helper()
		if err := l.Do(context.Background(), fn); err != nil {
			t.Fatal(err)
		}
		if err := l.Do(context.Background(), func() {}); err != nil { // behind the turns that the first one left
			t.Fatal(err)
		}
	}
	scope := func(name string, gate Gate) *Scope {
		s := l.NewScope(context.Background(), name, gate)
		s.OnStall(stallable(func() { told = append(told, name) }))
		return s
	}
	expect := func(step string, want ...string) {
		t.Helper()
		// The loop looks when it has no turn left, which may be after this goroutine has given it another one.
		for enough := len(want) == 0; !enough; {
			do(func() { enough = len(told) >= len(want) })
		}
		do(func() {
			if !slices.Equal(told, want) {
				t.Errorf("%s: told %v, want %v", step, told, want)
			}
			told = nil
		})
	}
	var shut func()
	var busy *Scope
	do(func() { scope("a", nil); scope("b", nil) })
	expect("nothing out", "a", "b")
	do(func() { busy = l.NewScope(context.Background(), nil, nil); shut = busy.Open(); scope("c", nil) })
	expect("a door is open")
	do(func() { shut(); shut() })
	expect("the door is shut", "c")
	do(func() {
		actor := l.NewScope(context.Background(), nil, openGate{})
		actor.SetTimer(1<<40, false, func() {})
		scope("d", nil)
	})
	expect("only an actor has something out", "d")
	var ticket *Ticket
	do(func() {
		ticket = busy.Waiting()
		busy.Close(nil)
		closed := scope("e", nil)
		closed.Close(nil)
		scope("f", nil)
	})
	expect("what a closed scope has out", "f")
	ticket.Return(func() { t.Error("the closure of a closed scope ran") })
	do(func() {
		s := scope("g", nil)
		s.SetTimer(0, false, func() { told = append(told, "timer") })
	})
	for fired := false; !fired; {
		do(func() { fired = slices.Contains(told, "g") })
	}
	expect("a timer first", "timer", "g")
}

package eventloop

import (
	"context"
	"testing"
)

// How deep calls may go: 32 Workers, 16 objects, and every object begins a new count of Workers.
func TestHops(t *testing.T) {
	depth := func(h Hops, next func(Hops) (Hops, error)) (n int) {
		for {
			var err error
			if h, err = next(h); err == ErrDepth {
				return n
			} else if err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	if n := depth(Hops{}, Hops.Worker); n != 31 {
		t.Errorf("%d Workers below the first", n)
	}
	if n := depth(Hops{}, Hops.Object); n != 15 {
		t.Errorf("%d objects below the first Worker", n)
	}
	h, _ := Hops{workers: 31}.Object()
	if n := depth(h, Hops.Worker); n != 31 {
		t.Errorf("%d Workers below an object", n)
	}
}

// All that an event leads to may call ten thousand times, side by side as well as below each other: the count is that
// of the event's scope. The next event begins anew.
func TestCallsAreCounted(t *testing.T) {
	l := New(Options{Name: "calls"})
	defer l.Stop()
	for range 2 {
		err := l.Do(context.Background(), func() {
			s := l.NewScope(context.Background(), nil, nil)
			s.Run(func() {
				for n := range maxCalls {
					below, err := l.Hops().Worker()
					if err == nil && n%2 == 0 {
						_, err = below.Object()
					}
					if want := n >= maxCalls*2/3; want != (err == ErrCalls) {
						t.Errorf("call %d: %v", n, err)
						return
					}
				}
			})
			s.Close(nil)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Hops travel with the async context, and end with it.
func TestHopsTravel(t *testing.T) {
	l := New(Options{Name: "hops"})
	defer l.Stop()
	want, _ := Hops{}.Object()
	err := l.Do(context.Background(), func() {
		s := l.NewScope(context.Background(), nil, nil)
		s.Run(func() {
			l.SetHops(want)
			inside := l.Snapshot()
			l.WithSection("a section", func() { l.SetVariable("key", l.Runtime().ToValue(1)) })
			if l.Hops() != want {
				t.Error("lost in the same turn")
			}
			s.Run(func() {
				if l.cur.hops != (Hops{}) {
					t.Error("a new event has them")
				}
				inside(func() {
					l.WithSection("a section", func() {
						if l.SetVariable("key", nil); l.Hops() != want {
							t.Error("lost on the way")
						}
					})
				})
			})
			ticket := s.Waiting()
			ticket.Return(func() {
				if l.Hops() != want {
					t.Error("lost while it waited")
				}
			})
		})
		if l.cur.hops != (Hops{}) {
			t.Error("they outlive the event")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Do(context.Background(), func() {}); err != nil { // behind the ticket's turn
		t.Fatal(err)
	}
}

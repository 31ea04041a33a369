package eventloop

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
)

func newLoop(t *testing.T, o Options) *Loop {
	t.Helper()
	l := New(o)
	t.Cleanup(l.Stop)
	return l
}

func TestTurnDrainsMicrotasksBeforeTheNext(t *testing.T) {
	l := newLoop(t, Options{Name: "t"})
	var order []string
	note := func(s string) { order = append(order, s) }
	l.Post(func() {
		_ = l.Runtime().Set("note", note)
		if _, err := l.Runtime().RunString(`Promise.resolve().then(() => note("micro")); note("sync")`); err != nil {
			t.Error(err)
		}
		l.AtTurnEnd(func() { note("end") })
	})
	l.Post(func() { note("next") })
	if err := l.Do(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
	if got := len(order); got != 4 || order[0] != "sync" || order[1] != "micro" || order[2] != "end" ||
		order[3] != "next" {
		t.Fatalf("order %v", order)
	}
}

// Scope and async variables come back after an await, and do not leak into the next turn.
func TestScopeFollowsPromisesAndTimers(t *testing.T) {
	v := clock.NewVirtual(time.Unix(0, 0), 1)
	l := newLoop(t, Options{Name: "t", Clock: v})
	type key struct{}
	done := make(chan struct{})
	var seen []any
	hold := v.Hold("a test")
	l.Post(func() {
		rt := l.Runtime()
		_ = rt.Set("look", func() {
			seen = append(seen, l.Scope().Owner, l.Variable(key{}).String())
		})
		_ = rt.Set("sleep", func(ms int) *goja.Promise {
			p, resolve, _ := rt.NewPromise()
			l.Scope().SetTimer(time.Duration(ms)*time.Millisecond, false, func() { _ = resolve(nil) })
			return p
		})
		_ = rt.Set("finish", func() { close(done) })
		if _, err := rt.RunString(
			`async function go() { look(); await sleep(3600000); look(); await null; look(); finish() }`); err != nil {
			t.Error(err)
		}
		s := l.NewScope(context.Background(), "A", nil)
		s.Run(func() {
			l.WithVariable(key{}, rt.ToValue("x"), func() {
				if _, err := rt.RunString("go()"); err != nil {
					t.Error(err)
				}
			})
		})
	})
	hold()
	<-done
	for i := 0; i < len(seen); i += 2 {
		if seen[i] != "A" || seen[i+1] != "x" {
			t.Fatalf("seen %v", seen)
		}
	}
	if len(seen) != 6 || v.Now().Unix() != 3600 {
		t.Fatalf("seen %v at %v", seen, v.Now())
	}
	if err := l.Do(context.Background(), func() {
		if l.Scope() != nil {
			t.Error("scope leaked into another turn")
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// RT/limits: an endless loop ends, the scope hears of it, the loop lives on.
func TestCPULimitInterrupts(t *testing.T) {
	l := newLoop(t, Options{Name: "t"})
	hit := make(chan struct{})
	l.Post(func() {
		s := l.NewScope(context.Background(), nil, nil)
		s.LimitCPU(10*time.Millisecond, func() { close(hit) })
		s.Run(func() {
			_, err := l.Runtime().RunString(`for(;;){}`)
			if err == nil {
				t.Error("an endless loop ended by itself")
			}
		})
	})
	<-hit
	if err := l.Do(context.Background(), func() {
		if v, err := l.Runtime().RunString("1+1"); err != nil || v.ToInteger() != 2 {
			t.Errorf("after the interrupt: %v, %v", v, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// A loop that is about to be stopped does not wait for a scope's own limit: neither in the turn that runs nor in those
// that still wait.
func TestCutEndsTurns(t *testing.T) {
	l := newLoop(t, Options{Name: "t"})
	running := make(chan struct{})
	hit := make(chan int, 2)
	for n := range 2 {
		l.Post(func() {
			s := l.NewScope(context.Background(), nil, nil)
			s.LimitCPU(time.Hour, func() { hit <- n })
			s.Run(func() {
				if n == 0 {
					close(running)
				}
				if _, err := l.Runtime().RunString(`for(;;){}`); err == nil {
					t.Error("an endless loop ended by itself")
				}
			})
		})
	}
	<-running
	l.Cut()
	if a, b := <-hit, <-hit; a != 0 || b != 1 {
		t.Errorf("limits were told of in the order %d, %d", a, b)
	}
}

func TestUnhandledRejectionIsReportedOnce(t *testing.T) {
	var lost []Rejection
	l := newLoop(t, Options{Name: "t", Rejections: func(r []Rejection) { lost = append(lost, r...) }})
	l.Post(func() {
		_, err := l.Runtime().RunString(
			`Promise.reject(1); var p = Promise.reject(2); p.catch(() => {}); (async () => { throw 3 })()`)
		if err != nil {
			t.Error(err)
		}
	})
	if err := l.Do(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
	if len(lost) != 2 || lost[0].Promise.Result().ToInteger() != 1 || lost[1].Promise.Result().ToInteger() != 3 {
		t.Fatalf("lost %v", lost)
	}
}

func TestClosedScopeDropsWhatComesBack(t *testing.T) {
	v := clock.NewVirtual(time.Unix(0, 0), 1)
	l := newLoop(t, Options{Name: "t", Clock: v})
	ran := false
	if err := l.Do(context.Background(), func() {
		s := l.NewScope(context.Background(), nil, nil)
		s.SetTimer(time.Second, false, func() { ran = true })
		tk := s.Ticket()
		s.Close(nil)
		go tk.Return(func() { ran = true })
	}); err != nil {
		t.Fatal(err)
	}
	v.WaitIdle(t.Context())
	if ran {
		t.Fatal("a closed scope ran code")
	}
	if v.Now().Unix() != 0 {
		t.Fatal("a cleared timer made time jump")
	}
}

// lateTurns is a clock whose only participant calls before when it has waited for its turn, and after at its end.
type lateTurns struct {
	clock.Real
	before, after func()
}

func (c *lateTurns) Participant(string) clock.Participant { return c }
func (c *lateTurns) Ready()                               {}
func (c *lateTurns) Close()                               {}
func (c *lateTurns) Run(f func())                         { c.before(); f(); c.after() }

// What is posted while the loop waits for its turn is part of that turn: Ready has announced it for that one, and time
// would jump over what is left for another.
func TestATurnTakesWhatWasPostedBeforeIt(t *testing.T) {
	var l *Loop
	var began, ended sync.Once
	ran, over := false, make(chan bool)
	c := &lateTurns{}
	c.before = func() { began.Do(func() { l.Post(func() { ran = true }) }) }
	c.after = func() { ended.Do(func() { over <- ran }) }
	l = newLoop(t, Options{Name: "t", Clock: c})
	l.Post(func() {})
	if !<-over {
		t.Error("the second is left for another turn")
	}
}

func BenchmarkPost(b *testing.B) {
	l := New(Options{Name: "b"})
	defer l.Stop()
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Do(context.Background(), func() {}); err != nil {
			b.Fatal(err)
		}
	}
}

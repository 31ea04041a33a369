package gojainternals

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
)

// A script that is to stand still does where the next function begins, and goes on when it may.
func TestPause(t *testing.T) {
	l, rt := layout(t), goja.New()
	m, err := NewMachine(rt)
	if err != nil {
		t.Fatal(err)
	}
	steps, begun, paused := 0, make(chan bool), make(chan bool)
	set(t, rt, "begin", rt.ToValue(func() { begun <- true; <-paused }))
	set(t, rt, "step", rt.ToValue(func() { steps++ }))
	p, err := goja.Compile("pause.js", "(function () { const f = () => { step() }; f(); begin(); f(); f() })()", true)
	if err != nil {
		t.Fatal(err)
	}
	l.BoundDepth(p, &Depths{Calls: 1000, Native: 1000, Exceeded: func(*goja.Runtime) { panic("too deep") }})
	ended := make(chan error)
	go func() {
		_, err := rt.RunProgram(p)
		ended <- err
	}()
	<-begun
	resume := m.Pause()
	paused <- true
	for standing.Load() == 0 {
		runtime.Gosched()
	}
	at := steps // ordered by standing
	resume()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if at != 1 || steps != 3 {
		t.Errorf("%d steps during the pause, %d in the end", at, steps)
	}
	if looks.Load() != 0 || standing.Load() != 0 {
		t.Errorf("%d looks, %d stand", looks.Load(), standing.Load())
	}
}

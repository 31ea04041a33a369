package eventloop

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// An isolate that keeps adding to what it holds is given up between turns, with how much it keeps; one beside it, which
// makes as much garbage, is not. Promises, closures and what was allocated off the loop count.
func TestKeptMemory(t *testing.T) {
	const limit = 16 << 20
	lost := make(chan error, 1)
	grows := newLoop(t, Options{Name: "grows", MemoryLimit: limit, Lost: func(_ *Scope, err error) { lost <- err }})
	beside := newLoop(t, Options{Name: "beside", MemoryLimit: limit, Lost: func(_ *Scope, err error) { t.Error(err) }})
	kept := [][]byte(nil)
	for name, js := range map[string]string{
		"array": `a.push(new Array(1e5).fill(1))`,
		"promise": `((async () => { const x = new Array(1e5).fill(1); await new Promise((go) => a.push(go)); ` +
			`return x })())`,
		"closure": `a.push((function () { const x = new Array(1e5).fill(1); return () => x })())`,
	} {
		run(t, grows, `globalThis.a = []`)
		err := error(nil)
		for n := 0; err == nil; n++ {
			if n == 1000 {
				t.Fatalf("%s: nothing has happened", name)
			}
			run(t, grows, js)
			run(t, beside, `(function () { const a = []; for (let i = 0; i < 2e3; i++) a.push([i]) })()`)
			select {
			case err = <-lost:
			default:
			}
		}
		check(t, name, err, limit)
		grows = newLoop(t, Options{Name: "grows", MemoryLimit: limit, Lost: func(_ *Scope, err error) { lost <- err }})
	}
	err := error(nil)
	for err == nil {
		read := make(chan []byte)
		grows.Go(func() { read <- make([]byte, 1<<20) })
		kept = append(kept, <-read)
		runtime.GC()
		run(t, grows, `1`)
		select {
		case err = <-lost:
		default:
		}
	}
	check(t, "bytes", err, limit)
	runtime.KeepAlive(kept)
}

// It is seen while turns follow each other without a pause, before much more is kept.
func TestKeptMemoryOfWaitingTurns(t *testing.T) {
	const limit = 16 << 20
	var lost []error
	l := newLoop(t, Options{Name: "t", MemoryLimit: limit, Lost: func(_ *Scope,
		err error) {
		lost = append(lost, err)
	}})
	run(t, l, `globalThis.a = []`)
	waiting, ended := make(chan struct{}), make(chan struct{})
	l.Post(func() { <-waiting })
	for range 40 {
		l.Post(func() {
			if _, err := l.Runtime().RunString(`a.push(new Array(1e5).fill(1))`); err != nil {
				t.Error(err)
			}
		})
	}
	l.Post(func() { close(ended) })
	close(waiting)
	<-ended
	if len(lost) != 1 {
		t.Fatalf("lost %v", lost)
	}
	check(t, "waiting turns", lost[0], limit)
}

// What can be made again goes first. An isolate that keeps too much without it is given up.
func TestKeptMemoryIsRelieved(t *testing.T) {
	const limit = 16 << 20
	var l *Loop
	var lost []error
	relieved, left := 0, 3
	l = newLoop(t, Options{Name: "t", MemoryLimit: limit, Lost: func(_ *Scope, err error) { lost = append(lost, err) },
		Relieve: func() {
			if relieved++; relieved <= left {
				if _, err := l.Runtime().RunString(`a.length = 0`); err != nil {
					t.Error(err)
				}
			}
		}})
	run(t, l, `globalThis.a = []`)
	for n := 0; len(lost) == 0; n++ {
		if n == 1000 {
			t.Fatal("nothing has happened")
		}
		run(t, l, `a.push(new Array(1e5).fill(1))`)
	}
	checkUpTo(t, "what is left", lost[0], limit, 2*limit) // it is weighed once more than without Relieve
	if relieved != left+1 {
		t.Errorf("it was relieved %d times, want %d", relieved, left+1)
	}
}

func check(t *testing.T, name string, err error, limit uint64) {
	t.Helper()
	checkUpTo(t, name, err, limit, limit*3/2)
}

// checkUpTo wants an isolate that was lost when it kept more than its limit, and no more than most.
func checkUpTo(t *testing.T, name string, err error, limit, most uint64) {
	t.Helper()
	var kept *KeptError
	if !errors.As(err, &kept) || !errors.Is(err, ErrMemoryLimit) {
		t.Fatalf("%s: %T: %v", name, err, err)
	}
	if kept.Bytes < limit || kept.Bytes > most {
		t.Errorf("%s: %s", name, kept.Report())
	}
}

func run(t *testing.T, l *Loop, js string) {
	t.Helper()
	var err error
	if e := l.Do(context.Background(), func() { _, err = l.Runtime().RunString(js) }); e != nil || err != nil {
		t.Error(e, err)
	}
}

package eventloop

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// A turn that takes memory without end is interrupted after the limit, which no catch can stop, and the loop goes on;
// garbage is not counted.
func TestMemoryLimitEndsTurn(t *testing.T) {
	var told, lost error
	l := newLoop(t, Options{Name: "t", MemoryLimit: 32 << 20, Lost: func(_ *Scope, err error) { lost = err }})
	run := func(js string) (err error) {
		ended := make(chan struct{})
		l.Post(func() {
			l.AtTurnEnd(func() { l.AtTurnEnd(func() { close(ended) }) })
			s := l.NewScope(context.Background(), owner(func(err error) { told = err }), nil)
			s.LimitCPU(time.Hour, func() { t.Error("the CPU limit") })
			s.Run(func() { _, err = l.Runtime().RunString(js) })
		})
		<-ended
		return err
	}
	if err := run(`for (let i = 0; i < 100; i++) { const a = []; for (let j = 0; j < 10000; j++) a.push({i, ` +
		`j}) }`); err != nil || told != nil {
		t.Errorf("garbage: %v, %v", err, told)
	}
	if err := run(`const all = []; for (;;) { try { all.push({x: [1, 2, 3]}) } catch {} }`); err == nil {
		t.Error("an endless loop ended by itself")
	}
	if !errors.Is(told, ErrMemoryLimit) || !errors.Is(lost, ErrMemoryLimit) {
		t.Errorf("told %v, %v", told, lost)
	}
	told = nil
	if err := run(`1 + 1`); err != nil || told != nil {
		t.Errorf("afterwards: %v, %v", err, told)
	}
}

// What earlier turns and others have allocated since the last collection is not put on the turn that runs when the next
// one comes.
func TestMemoryOfOthers(t *testing.T) {
	const limit = 32 << 20
	var told error
	l := newLoop(t, Options{Name: "t", MemoryLimit: limit})
	var kept [][]byte
	ended := make(chan struct{})
	l.Post(func() {
		runtime.GC()
		for range 40 {
			kept = append(kept, make([]byte, limit/8)) // five limits
		}
		l.AtTurnEnd(func() { close(ended) })
		s := l.NewScope(context.Background(), owner(func(err error) { told = err }), nil)
		s.LimitCPU(time.Hour, func() { t.Error("the CPU limit") })
		s.Run(func() {
			for range 4 {
				l.Reserve(limit / 4)
				runtime.GC()
				l.look()
			}
		})
	})
	<-ended
	if told != nil {
		t.Errorf("%v", told)
	}
	runtime.KeepAlive(kept)
}

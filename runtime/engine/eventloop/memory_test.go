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

// The looks at a turn come the closer to one another the more is allocated, so that between two of them an eighth of
// the limit is, but not for ever closer; a turn that allocates little is looked at seldom.
func TestMemoryPace(t *testing.T) {
	const limit = 256 << 20
	m := memoryWatch{}
	now, allocated := time.Now(), uint64(5<<30)
	for _, step := range []struct {
		after time.Duration // since the look before
		more  uint64        // that the process has allocated since
		wait  time.Duration
	}{
		{0, 0, firstWait},
		{firstWait, 16 << 20, 2 * firstWait},
		{2 * firstWait, 64 << 20, firstWait},
		{firstWait, 1 << 30, leastWait},
		{leastWait, 1 << 20, lookEvery},
		{lookEvery, 0, lookEvery},
		{5 * lookEvery, 500 << 20, 5 * lookEvery * 32 / 500},
	} {
		now, allocated = now.Add(step.after), allocated+step.more
		if m.pace(now, allocated, limit); m.wait != step.wait {
			t.Errorf("%d MB within %v: the next look in %v, want %v", step.more>>20, step.after, m.wait, step.wait)
		}
	}
}

// The collector is asked once the limit is in use on top of what it last found alive, also where a turn has made much
// garbage until it is first looked at. What is in use then is not put on the turn.
func TestMemoryFirstLook(t *testing.T) {
	const mb = 1 << 20
	m := memoryWatch{}
	m.first(450*mb, 220*mb, 9000*mb, 256*mb)
	if m.next != 476*mb {
		t.Errorf("the collector is asked from %d MB on", m.next/mb)
	}
	if m.base != 450*mb || m.allocated != 9000*mb {
		t.Errorf("the base is %d MB, %d MB being allocated", m.base/mb, m.allocated/mb)
	}
	if m.first(100*mb, 220*mb, 9000*mb, 256*mb); m.next != 356*mb { // what was alive has been freed since
		t.Errorf("the collector is asked from %d MB on", m.next/mb)
	}
}

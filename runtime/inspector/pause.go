package inspector

import (
	"github.com/chromedp/cdproto/debugger"
	"github.com/dop251/goja"
)

// paused is what a realm has while it pauses.
type paused struct {
	frames []*call
	reason stopReason
	// end is closed by whoever lets the script go on.
	end   chan struct{}
	wake  chan struct{} // there is something to do
	ended bool
}

// pause waits until a client lets the script go on, or the loop is cut, and does meanwhile what clients ask for. Loop
// goroutine, within a function that the script has called.
func (r *realm) pause(why stopReason) {
	t := r.target
	t.turn.Lock() // a client cannot see two pauses of one target
	defer t.turn.Unlock()
	if !t.watched.Load() || r.cut.Load() {
		return
	}
	p := &paused{frames: r.stack(), reason: why, end: make(chan struct{}), wake: make(chan struct{}, 1)}
	if len(p.frames) == 0 {
		return
	}
	r.step = step{}
	goOn := t.server.stand()
	defer goOn()
	defer r.iso.Loop.Suspend()()
	r.mu.Lock()
	r.paused = p
	r.mu.Unlock()
	t.toDebuggers("Debugger.paused", r.pausedEvent(p))
	if !t.watched.Load() {
		r.goOn(stepNone) // the last client has gone since the first look, and saw no pause to end
	}
	for waiting := true; waiting; {
		r.drain()
		select {
		case <-p.end:
			waiting = false
		case <-p.wake:
		case <-r.stopped:
			waiting = false
		}
	}
	r.mu.Lock()
	r.paused = nil
	r.mu.Unlock()
	r.drain() // what came at the last moment sees a script that runs
	r.objects.release(backtraceGroup)
	t.toDebuggers("Debugger.resumed", debugger.EventResumed{})
}

// goOn lets a paused script go on, with a step or without one. It reports false if none is paused. Any goroutine.
func (r *realm) goOn(kind stepKind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.paused
	if p == nil || p.ended {
		return false
	}
	p.ended = true
	r.step = step{kind: kind, from: p.frames[0]} // the loop waits and reads it after the channel is closed
	close(p.end)
	return true
}

// do runs a function on the realm's loop: within the pause if the script is paused, else in a turn of its own. It
// returns false if the loop has stopped. Any goroutine.
func (r *realm) do(f func()) bool {
	r.mu.Lock()
	r.asked = append(r.asked, f)
	p := r.paused
	r.mu.Unlock()
	if p != nil {
		select {
		case p.wake <- struct{}{}:
		default:
		}
		return true
	}
	return r.iso.Loop.Post(func() { r.iso.Loop.Bounded(0, r.drain, nil) }) // Runtime.terminateExecution ends it
}

// drain does what was asked for. Loop goroutine.
func (r *realm) drain() {
	for {
		r.mu.Lock()
		if len(r.asked) == 0 {
			r.mu.Unlock()
			return
		}
		f := r.asked[0]
		r.asked = r.asked[1:]
		r.mu.Unlock()
		f()
	}
}

// quietly runs a function in which the script neither pauses nor notes its calls.
func (r *realm) quietly(f func()) {
	before := r.looking
	r.looking = true
	records := append([]record(nil), r.records...)
	defer func() { r.looking, r.records = before, records }()
	f()
}

// try is quietly for what may throw.
func (r *realm) try(f func() (goja.Value, error)) (v, thrown goja.Value) {
	r.quietly(func() {
		thrown = r.iso.Realm.Try(func() {
			var err error
			if v, err = f(); err != nil {
				panic(r.iso.Realm.ErrorValue(err))
			}
		})
	})
	if v == nil {
		v = goja.Undefined()
	}
	return v, thrown
}

package worker

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/v8text"
)

// Await is a place where an async function waits for a promise that is pending.
type Await struct {
	// Scope is what it runs for; Owner is who says it, an *[Invocation] or an object, nil for none.
	Scope *eventloop.Scope
	// Key is the value that [Isolate.MarkAwaits] had bound.
	Key goja.Value
	// Frames are the function that waits and those that wait for it, innermost first.
	Frames []v8text.StackFrame
	// Made is where the promise was made with new, nil if that is not known.
	Made *v8text.StackFrame
}

// awaits are the pending promises of an isolate whose script has WatchAwaits. It belongs to the loop.
type awaits struct {
	iso     *Isolate
	awaited []promised
	made    []promised
	number  uint64
}

// promised is a promise that was pending when a script awaited or made it.
type promised struct {
	promise *goja.Object
	number  uint64
	scope   *eventloop.Scope
	key     goja.Value
	at      []goja.StackFrame // one
}

type (
	awaitsKey struct{}
	markKey   struct{}
)

// awaiting finds the awaits of a runtime: the program, which is shared, knows the runtime alone.
var awaiting builtin.Registry[awaits]

func watchAwaits(p *goja.Program) error {
	in, err := gojainternals.Read()
	if err == nil {
		in.WatchPromises(p, noteAwait)
	}
	return err
}

func noteAwait(rt *goja.Runtime, p *goja.Object, awaited bool) {
	a := awaiting.Of(rt)
	if a == nil {
		return
	}
	a.number++
	note := promised{promise: p, number: a.number, scope: a.iso.Loop.Scope(), key: a.iso.Loop.Variable(markKey{}),
		at: rt.CaptureCallStack(1, nil)}
	if awaited {
		a.awaited = append(pruned(a.awaited), note)
		return
	}
	a.made = append(pruned(a.made), note)
}

// pruned makes room, if there is none, by what has settled.
func pruned(list []promised) []promised {
	if len(list) < cap(list) || len(list) < 64 {
		return list
	}
	kept := make([]promised, 0, 2*len(list))
	for _, p := range list {
		if gojainternals.Pending(p.promise) {
			kept = append(kept, p)
		}
	}
	return kept
}

// MarkAwaits binds a value to what the current async context awaits from now on, and gives a number for Awaits.
func (iso *Isolate) MarkAwaits(key goja.Value) (since uint64) {
	iso.Loop.SetVariable(markKey{}, key)
	a, _ := iso.Value(awaitsKey{}).(*awaits)
	if a == nil {
		return 0
	}
	return a.number
}

// StartAwaits forgets what was awaited, and notes it from now on.
func (iso *Isolate) StartAwaits() {
	a := &awaits{iso: iso}
	iso.SetValue(awaitsKey{}, a)
	awaiting.Put(iso.Runtime(), a)
}

// Awaits are the places in the project's files that have waited since then and still do, the oldest first. A function
// that waits for another one of them is no place of its own: it is among the frames of that one.
func (iso *Isolate) Awaits(since uint64) (list []Await) {
	a, _ := iso.Value(awaitsKey{}).(*awaits)
	if a == nil {
		return nil
	}
	var all []Await
	for _, p := range a.awaited {
		if p.number <= since || !gojainternals.Pending(p.promise) {
			continue
		}
		w := Await{Scope: p.scope, Key: p.key, Frames: iso.awaitersOf(p)}
		if len(w.Frames) == 0 {
			continue
		}
		for _, m := range a.made {
			if m.promise == p.promise {
				if made := iso.engine().Places(m.at); len(made) > 0 {
					w.Made = &made[0]
				}
			}
		}
		all = append(all, w)
	}
	for i, w := range all {
		outer := false
		for j, other := range all {
			outer = outer || i != j && endsWith(other.Frames, w.Frames)
		}
		if !outer {
			list = append(list, w)
		}
	}
	return list
}

// awaitersOf are the frames of whoever waits for a promise. If more than one does, it is the one that was noted.
func (iso *Isolate) awaitersOf(p promised) (frames []v8text.StackFrame) {
	promise := p.promise.Export().(*goja.Promise)
	iso.Realm.Awaited(promise, func() {
		frames = iso.engine().StackOf(iso.Realm.NewError("Error", ""))
	})
	if len(frames) == 0 {
		frames = iso.engine().Places(p.at)
	}
	own := frames[:0:0]
	for _, f := range frames {
		if strings.HasPrefix(f.File, "file:") { // others are ours
			own = append(own, f)
		}
	}
	return own
}

func endsWith(frames, last []v8text.StackFrame) bool {
	if len(frames) <= len(last) {
		return false
	}
	for i, f := range frames[len(frames)-len(last):] {
		if f != last[i] {
			return false
		}
	}
	return true
}

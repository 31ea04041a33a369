package profile

import (
	"context"
	"runtime"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/v8text"
)

const source = `let kept = []
function keeps(n) { for (let i = 0; i < n; i++) kept.push({ n: i, text: "number " + i }) }
function drops(n) { let last; for (let i = 0; i < n; i++) last = { n: i, text: "number " + i }; return last }
async function later(n) {
  await null
  keeps(n)
  const own = []
  for (let i = 0; i < n; i++) own.push({ i })
  kept.push(own)
}
function run() { keeps(4000); drops(4000); return later(4000) }
globalThis.run = run`

// isolate is a loop with the source.
func isolate(t *testing.T) (*eventloop.Loop, Source) {
	t.Helper()
	l := eventloop.New(eventloop.Options{Name: "heap"})
	t.Cleanup(l.Stop)
	var engine *ecma.Engine
	if err := l.Do(context.Background(), func() {
		var err error
		if engine, err = ecma.Install(l.Runtime(), ecma.Options{}); err != nil {
			t.Error(err)
			return
		}
		p, err := ecma.Compile("shop.js", source, true)
		if err == nil {
			_, err = l.Runtime().RunProgram(p)
		}
		if err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return l, Source{"shop", l, func(f *goja.StackFrame) (v8text.PlacedFrame, bool) { return engine.Place(f) }}
}

func call(t *testing.T, l *eventloop.Loop) {
	t.Helper()
	if err := l.Do(context.Background(), func() {
		if _, err := l.Runtime().RunString("run()"); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// What functions allocate is told by their names, also behind an await, and what of it is alive; nothing of that stays
// when the recording is over.
func TestHeap(t *testing.T) {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 4096
	defer func() { runtime.MemProfileRate = rate }()
	l, s := isolate(t)
	r, err := RecordHeap(func() []Source { return []Source{s} })
	if err != nil {
		t.Fatal(err)
	}
	call(t, l)
	if other, err := RecordHeap(func() []Source { return []Source{s} }); err != nil {
		t.Fatal(err) // the isolate is taken, which is no error
	} else {
		other.End()
	}
	p, err := r.Stop()
	if err != nil {
		t.Fatal(err)
	}
	made, live := map[string]int64{}, map[string]int64{}
	for _, s := range p.Samples {
		made[s.Stack[0].Function] += s.Bytes
		live[s.Stack[0].Function] += s.Live
		if f := s.Stack[0]; f.Function == "keeps" && (f.BeginLine != 2 || len(s.Stack) < 2) {
			t.Errorf("stack %v", s.Stack)
		}
	}
	for _, name := range []string{"keeps", "drops", "later"} {
		if made[name] < 1<<17 {
			t.Errorf("%s has allocated %d bytes", name, made[name])
		}
	}
	if live["keeps"] < made["keeps"]/4 || live["later"] < made["later"]/4 || live["drops"] > made["drops"]/4 {
		t.Errorf("alive %v of %v", live, made)
	}
	call(t, l)
	again, err := r.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range again.Samples {
		made[s.Stack[0].Function] -= s.Bytes
	}
	for name, rest := range made {
		if rest < -made[name]/2 {
			t.Errorf("%s has allocated %d bytes after the recording", name, -rest)
		}
	}
}

// Errors and their handlers pass through calls that are recorded, and so does the deepest recursion.
func TestNestedCalls(t *testing.T) {
	l, s := isolate(t)
	r, err := RecordHeap(func() []Source { return []Source{s} })
	if err != nil {
		t.Fatal(err)
	}
	defer r.End()
	if err := l.Do(context.Background(), func() {
		p, err := ecma.Compile("test.js", `
const log = []
function thrower(n) { if (n === 0) throw new Error("deep"); try { thrower(n - 1) } finally { log.push(n) } }
try { thrower(3) } catch (e) { log.push(e.message) }
try { [1].map(() => thrower(1)) } catch (e) { log.push(e.message) }
function* numbers() { try { yield 1; yield 2 } finally { log.push("closed") } }
for (const n of numbers()) { log.push(n); if (n === 2) break }
function forever() { return forever() + 1 }
try { forever() } catch (e) { log.push(e.name) }
const sorted = [3, 1, 2].sort((a, b) => a - b)
class A { #x = (() => 5)(); get x() { return this.#x } }
class B extends A { constructor() { super(); log.push(this.x) } }
new B()
log.push(...sorted)
globalThis.log = log
;(async () => {
  try { await Promise.reject(new Error("late")) } catch (e) { log.push(e.message); await null; log.push("end") }
})()
`, true)
		if err == nil {
			_, err = l.Runtime().RunProgram(p)
		}
		if err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Do(context.Background(), func() {
		got := l.Runtime().Get("log").String()
		if want := "1,2,3,deep,1,deep,1,2,closed,RangeError,5,1,2,3,late,end"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

package gojainternals

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/dop251/goja"
)

// A job runs as if a call were under way: jobs that a script in it queues wait for their turn, and a stack whose top an
// interrupt has left behind does no harm.
func TestInJob(t *testing.T) {
	l, rt := layout(t), goja.New()
	run := func(source string) goja.Value {
		v, err := rt.RunString(source)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	native, _ := goja.AssertFunction(run("Math.abs"))
	script, _ := goja.AssertFunction(run(`var log = []; (x) => { log.push(x); ` +
		`Promise.resolve().then(() => log.push(x + "'")) }`))
	if err := rt.Set("inJob", func(x string) {
		l.InJob(rt, func() {
			for _, f := range []goja.Callable{native, script} {
				if _, err := f(goja.Undefined(), rt.ToValue(x)); err != nil {
					t.Error(err)
				}
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	then, _ := goja.AssertFunction(run(`(x) => Promise.resolve(x).then(inJob)`))
	for _, x := range []string{"a", "b"} {
		if _, err := then(goja.Undefined(), rt.ToValue(x)); err != nil {
			t.Fatal(err)
		}
	}
	run(`Promise.resolve("c").then(inJob); Promise.resolve("d").then(inJob)`)
	if got := run("log.join()").String(); got != "a,a',b,b',c,d,c',d'" {
		t.Error(got)
	}

	*(*int)(unsafe.Add(l.vm(rt), l.machine.sp)) = 39
	l.InJob(rt, func() {
		if v, err := native(goja.Undefined(), rt.ToValue(-7)); err != nil || v.String() != "7" {
			t.Error(v, err)
		}
	})
}

// An interrupt in a job leaves frames of what ran; Unwind finds them, though no call seems to be under way.
func TestUnwindAfterJob(t *testing.T) {
	rt := goja.New()
	m, err := NewMachine(rt)
	if err != nil {
		t.Fatal(err)
	}
	var f goja.Callable
	if err := rt.Set("inJob", func() {
		m.layout.InJob(rt, func() {
			if _, err := f(goja.Undefined()); err != nil {
				panic(err)
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	v, err := rt.RunString(`() => { try { [1].map(async () => { for (;;) stop() }) } finally {} }`)
	if err != nil {
		t.Fatal(err)
	}
	f, _ = goja.AssertFunction(v)
	if err := rt.Set("stop", func() { m.Interrupt("enough") }); err != nil {
		t.Fatal(err)
	}
	var interrupted *goja.InterruptedError
	func() {
		defer func() {
			if err, ok := recover().(error); ok {
				errors.As(err, &interrupted)
			}
		}()
		_, err := rt.RunString(`Promise.resolve().then(inJob)`)
		errors.As(err, &interrupted)
	}()
	if interrupted == nil {
		t.Fatal("nothing was interrupted")
	}
	m.Unwind()
	rt.ClearInterrupt()
	tries := (*sliceHeader)(unsafe.Add(m.machine, m.layout.tries.frames))
	if script := m.layout.InScript(rt); tries.len != 0 || m.calls.len != 0 || script {
		t.Errorf("left: %d frames of try statements, %d of calls, a script: %v", tries.len, m.calls.len, script)
	}
}

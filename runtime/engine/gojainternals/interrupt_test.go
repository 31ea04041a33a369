package gojainternals

import (
	"errors"
	"flag"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dop251/goja"
)

// An interrupt comes through whatever a script has made of the names of the native functions that run: goja asks for
// them while it holds a lock that what runs for a name would wait for.
func TestInterruptNames(t *testing.T) {
	for name, script := range map[string]string{
		"none":     `[1].map(() => { begun(); for (;;); })`,
		"getter":   `named({ get() { return "x" } })`,
		"loop":     `named({ get() { for (;;); } })`,
		"throws":   `named({ get() { throw 1 } })`,
		"names":    `named({ get() { return new Error("x").stack } })`,
		"calls":    `named({ get() { return [1].map(() => { for (;;); }) } })`,
		"bound":    `named({ get: [].fill.bind({ length: 2 ** 40, set 0(v) { for (;;); } }, 1) })`,
		"native":   `named({ get: computes })`,
		"proxy":    `proxied(new Proxy({}, { get() { for (;;); } }))`,
		"own name": `const f = () => { for (;;); }; Object.defineProperty(f, "name", { get: f }); named({ get: f })`,
		"deep":     `(function f(n) { if (n) return [1].map(() => f(n - 1)); named({ get() { for (;;); } }) })(50)`,
	} {
		t.Run(name, func(t *testing.T) {
			rt := goja.New()
			m, err := NewMachine(rt)
			if err != nil {
				t.Fatal(err)
			}
			begun := make(chan bool, 1)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(rt.Set("begun", func() { begun <- true }))
			must(rt.Set("computes", func() { // as what looks for interrupts between its steps
				for {
					m.RaiseInterrupt()
				}
			}))
			must(func() error {
				_, err := rt.RunString(`
					function named(how) {
						const f = [].map;
						Object.defineProperty(f, "name", how);
						f.call([1], () => { begun(); for (;;); });
					}
					function proxied(how) {
						const f = [].map;
						delete f.name;
						Object.setPrototypeOf(f, how);
						Reflect.apply(f, [1], [() => { begun(); for (;;); }]);
					}`)
				return err
			}())
			go func() {
				<-begun
				m.Interrupt("enough")
			}()
			_, err = rt.RunString(script)
			var interrupted *goja.InterruptedError
			if !errors.As(err, &interrupted) || interrupted.Value() != "enough" {
				t.Fatalf("it ended with %v", err)
			}
			m.Unwind()
			rt.ClearInterrupt()
			v, err := rt.RunString(`var after; Promise.resolve().then(() => { after = 2 }); [2].filter((x) => x)[0]`)
			if err != nil || v.ToInteger() != 2 || rt.Get("after").ToInteger() != 2 {
				t.Errorf("afterwards: %v, %v, %v", v, err, rt.Get("after"))
			}
		})
	}
}

var interruptRounds = flag.Int("interrupt.rounds", 200, "how often TestInterruptsMeet interrupts a machine")

// Several may interrupt a machine at once, while a native function of it looks for interrupts: none takes the other's
// hold of the lock for the machine's own.
func TestInterruptsMeet(t *testing.T) {
	for name, interrupt := range map[string]func(rt *goja.Runtime, m Machine){
		"machine": func(_ *goja.Runtime, m Machine) { m.Interrupt("enough") },
		"goja":    func(rt *goja.Runtime, _ Machine) { rt.Interrupt("enough") },
	} {
		t.Run(name, func(t *testing.T) {
			rt := goja.New()
			m, err := NewMachine(rt)
			if err != nil {
				t.Fatal(err)
			}
			if err := rt.Set("computes", func() {
				for {
					m.RaiseInterrupt()
				}
			}); err != nil {
				t.Fatal(err)
			}
			var stop atomic.Bool
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for !stop.Load() {
						interrupt(rt, m)
					}
				})
			}
			for range *interruptRounds {
				_, err := rt.RunString(`[1].map(() => computes())`)
				var interrupted *goja.InterruptedError
				if !errors.As(err, &interrupted) {
					t.Errorf("it ended with %v", err)
					break
				}
				m.Unwind()
				rt.ClearInterrupt()
			}
			stop.Store(true)
			all.Wait()
		})
	}
}

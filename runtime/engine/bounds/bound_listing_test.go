package bounds_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// Copies of properties that take much are told before they are made, and a limit of memory refuses them.
func TestCopiesAreReserved(t *testing.T) {
	for _, body := range []string{
		`return { ...text }`, `return { ...list }`, `return { ...bytes }`, `return Object.assign({}, text)`,
		`const { a, ...rest } = text; return rest`, `const { a, ...rest } = list; return rest`,
		`return (({ a, ...rest }) => rest)(bytes)`,
	} {
		rt := goja.New()
		told := uint64(0)
		_, err := ecma.Install(rt, ecma.Options{Reserve: func(bytes uint64) {
			if told += bytes; told > 64<<20 {
				rt.Interrupt("too much")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := ecma.Compile("n.js", `const text = "x".repeat(1 << 20), list = Array(1 << 20).fill(1),
			bytes = new Uint8Array(1 << 20); (() => {`+body+`})()`, true)
		if err != nil {
			t.Fatal(err)
		}
		_, err = rt.RunProgram(p)
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Value() != "too much" {
			t.Errorf("%s: %v with %d bytes told", body, err, told)
		}
	}
}

// What is told before the properties of something long are listed is what the list then takes, or more.
func TestListsAreReservedWhole(t *testing.T) {
	rt := goja.New()
	told := uint64(0)
	if _, err := ecma.Install(rt, ecma.Options{Reserve: func(bytes uint64) { told += bytes }}); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(`var a = new Uint8Array(1 << 17)`); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`Object.keys(a)`, `Object.values(a)`, `Object.entries(a)`, `Object.getOwnPropertyNames(a)`,
		`Object.getOwnPropertyDescriptors(a)`, `Reflect.ownKeys(a)`, `Object.assign({}, a)`, `({ ...a })`,
	} {
		p, err := ecma.Compile("n.js", body, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunString(`0`); err != nil { // the machine forgets the list before
			t.Fatal(err)
		}
		before, told0 := live(), told
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Fatal(err)
		}
		if took := live() - before; int64(told-told0) < took {
			t.Errorf("%s: %d bytes are told, and %d taken", body, told-told0, took)
		}
		runtime.KeepAlive(v)
	}
	runtime.KeepAlive(rt)
}

// live is how many bytes are in use after a collection.
func live() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

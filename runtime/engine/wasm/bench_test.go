package wasm

import (
	"testing"

	"github.com/dop251/goja"
)

// spin is a loop of n rounds of a hash, and a loop that calls out in each round.
var spin = sample{
	types:   []signature{sig(in(i32), i32), sig(nil)},
	imports: [][]byte{importOf("env", "out", []byte{0, 1})},
	funcs:   []int{0, 0, 0, 0},
	exports: [][]byte{exportOf("hash", 0, 1), exportOf("calls", 0, 2), exportOf("same", 0, 3), exportOf("fib", 0, 4)},
	code: [][]byte{
		bodyOf([]byte{0x03, 0x40, 0x20, 0, 0x41, 0x9d, 0x83, 0x80, 0x08, 0x6c, 0x41, 13, 0x77, 0x1a, 0x20, 0, 0x41, 1,
			0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0}),
		bodyOf([]byte{0x03, 0x40, 0x10, 0, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0}),
		bodyOf([]byte{0x20, 0}),
		bodyOf([]byte{0x20, 0, 0x41, 2, 0x48, 0x04, 0x7f, 0x41, 1, 0x05, 0x20, 0, 0x41, 1, 0x6b, 0x10, 4, 0x20, 0, 0x41,
			2, 0x6b, 0x10, 4, 0x6a, 0x0b}),
	},
}

func bench(b *testing.B, js string) {
	r := runner(b, map[string]sample{"m": spin})
	r.Eval(`globalThis.x = new WebAssembly.Instance(m, {env: {out() {}}}).exports`)
	r.On(func() {
		v, err := r.Loop.Runtime().RunString(js)
		if err != nil {
			b.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		b.ReportAllocs()
		b.ResetTimer()
		if _, err := f(goja.Undefined(), r.Loop.Runtime().ToValue(b.N)); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkCallIn(b *testing.B)  { bench(b, `n => { for (let i = 0; i < n; i++) x.same(i) }`) }
func BenchmarkCallOut(b *testing.B) { bench(b, `n => x.calls(n)`) }

// BenchmarkRecursion counts calls inside wasm, 21,891 each time.
func BenchmarkRecursion(b *testing.B) { bench(b, `n => { for (let i = 0; i < n; i++) x.fib(20) }`) }

func BenchmarkLoop(b *testing.B) { bench(b, `n => x.hash(n)`) }

package ecma

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
)

func TestLaterPartsAreNotMadeAtTheStart(t *testing.T) {
	e := newEngine(t)
	for _, src := range []string{"1 + 1", "[...[1, 2].values()].map((x) => x)", "globalThis.notThere"} {
		if _, err := e.eval(t, "unrelated.js", src, true); err != nil {
			t.Fatal(err)
		}
	}
	if x := e.later; x.iterator != nil || x.disposable != nil || x.memory != nil {
		t.Error("scripts of built-ins that nobody has looked at have run")
	}
}

// Each script is the first to look, in an engine of its own.
func TestFirstLookAtLaterParts(t *testing.T) {
	for _, c := range [][2]string{
		{`Function.prototype.toString.call(Iterator)`, "function Iterator() { [native code] }"},
		{`Function.prototype.toString.call([].values().map)`, "function map() { [native code] }"},
		{`Object.prototype.toString.call(SharedArrayBuffer)`, "[object Function]"},
		{`typeof SharedArrayBuffer`, "function"},
		{`typeof Atomics`, "object"},
		{`String(Atomics)`, "[object Atomics]"},
		{`Object.getOwnPropertyNames(DisposableStack).join()`, "length,name,prototype"},
		{`Iterator.prototype.constructor === Iterator`, "true"},
		{`[].values().constructor === Iterator`, "true"},
		{`DisposableStack.prototype.constructor.name`, "DisposableStack"},
		{`new DisposableStack().constructor === DisposableStack`, "true"},
		{`new AsyncDisposableStack() instanceof AsyncDisposableStack`, "true"},
		{`new SuppressedError(1, 2, "x").constructor === SuppressedError`, "true"},
		{`SuppressedError(1, 2) instanceof SuppressedError`, "true"},
		{`[].values() instanceof Iterator`, "true"},
		{`new (class extends Iterator {})() instanceof Iterator`, "true"},
		{`Object.getPrototypeOf(class extends SuppressedError {}) === SuppressedError`, "true"},
		{`new SharedArrayBuffer(8).constructor === SharedArrayBuffer`, "true"},
		{`new SharedArrayBuffer(8).slice(2).byteLength`, "6"},
		{`Atomics.add(new Int32Array(4), 0, 5)`, "0"},
		{`[1, 2, 3].values().map((x) => x * 2).toArray().join()`, "2,4,6"},
		{`(function* () { yield 7; })().take(1).toArray().join()`, "7"},
		{`Reflect.construct(Object, [], Iterator) instanceof Iterator`, "true"},
		{`Object.getOwnPropertyDescriptor(globalThis, "Iterator").value === Iterator`, "true"},
		{`new Proxy(Iterator, {}).name`, "Iterator"},
		{`Iterator.from.name + [].values().map.length`, "from1"},
		{`try { new Iterator() } catch (e) { e.message }`, "Abstract class Iterator not directly constructable"},
		{`try { Iterator() } catch (e) { e.message }`, "Constructor Iterator requires 'new'"},
		{`Object.defineProperty = Object.create = null; Symbol = null; Iterator.from([4]).toArray().join()`, "4"},
		{`ArrayBuffer.prototype.slice = null; new SharedArrayBuffer(4).slice(1).byteLength`, "3"},
		{`Object.freeze(Iterator.prototype); const f = [].values().map; f === Iterator.prototype.map`, "true"},
	} {
		src, want := c[0], c[1]
		v, err := newEngine(t).eval(t, "look.js", src, false)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if got := v.String(); got != want {
			t.Errorf("%s = %q, want %q", src, got, want)
		}
	}
}

// A script that is interrupted while a part is made finds it whole at the next look.
func TestInterruptedWhileMade(t *testing.T) {
	e := newEngine(t)
	mark, interrupted := e.b.MarkNative, false
	e.b.MarkNative = e.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		if !interrupted {
			interrupted = true
			e.rt.Interrupt("enough")
		}
		f, _ := goja.AssertFunction(mark)
		return e.b.Call(f, call.Arguments...)
	})
	_, err := e.eval(t, "look.js", "[5].values().map((x) => x + 1).toArray().join()", true)
	var ended *goja.InterruptedError
	if !errors.As(err, &ended) {
		t.Fatalf("got %v, want an interrupt", err)
	}
	e.rt.ClearInterrupt()
	v, err := e.eval(t, "again.js", "[5].values().map((x) => x + 1).toArray().join()", true)
	if err != nil || v.String() != "6" {
		t.Errorf("after the interrupt: %v, %v", v, err)
	}
}

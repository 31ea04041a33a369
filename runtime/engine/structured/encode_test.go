package structured_test

import (
	"bufio"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// vector is one line of testdata/v8.txt.
type vector struct{ expr, hex string }

func vectors(t testing.TB) []vector {
	t.Helper()
	f, err := os.Open("testdata/v8.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []vector
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if expr, hex, ok := strings.Cut(sc.Text(), "\t"); ok && !strings.HasPrefix(expr, "#") {
			out = append(out, vector{expr, hex})
		}
	}
	if len(out) < 80 {
		t.Fatalf("only %d vectors read", len(out))
	}
	return out
}

func newCodec(t testing.TB) (*goja.Runtime, *structured.Codec) {
	t.Helper()
	vm := goja.New()
	c := structured.New(vm, structured.Options{NewDOMException: func(name, message string) *goja.Object {
		o, err := vm.New(vm.Get("Error"), vm.ToValue(message))
		if err != nil {
			t.Fatal(err)
		}
		_ = o.Set("name", name)
		return o
	}})
	return vm, c
}

func eval(t testing.TB, vm *goja.Runtime, expr string) goja.Value {
	t.Helper()
	v, err := vm.RunString("(" + expr + ")")
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return v
}

func encode(t testing.TB, c *structured.Codec, v goja.Value) string {
	t.Helper()
	out, err := c.Encode(v, structured.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(out.Data)
}

// The bytes are V8's for every kind of value (KV10, KV17, P-21).
func TestEncodeMatchesV8(t *testing.T) {
	for _, v := range vectors(t) {
		vm, c := newCodec(t)
		if got := encode(t, c, eval(t, vm, v.expr)); got != v.hex {
			t.Errorf("%s\n got %s\nwant %s", v.expr, got, v.hex)
		}
	}
}

// Reading V8's bytes gives a value that is written as the same bytes again.
func TestDecodeEncodeIsIdentity(t *testing.T) {
	for _, v := range vectors(t) {
		if strings.Contains(v.expr, "new Error") || strings.Contains(v.expr, "Error(") {
			continue // a decoded error without a stack gets one
		}
		_, c := newCodec(t)
		data, err := hex.DecodeString(v.hex)
		if err != nil {
			t.Fatal(err)
		}
		val, err := c.Decode(data, structured.DecodeOptions{})
		if err != nil {
			t.Errorf("%s: %v", v.expr, err)
			continue
		}
		if got := encode(t, c, val); got != v.hex {
			t.Errorf("%s\n got %s\nwant %s", v.expr, got, v.hex)
		}
	}
}

// Examples recorded in a database of the reference (KV17); its small integers
// have 31 bits.
func TestEncodeMatchesReferenceStorage(t *testing.T) {
	for expr, want := range map[string]string{
		"1":          "ff0f4902",
		`"five"`:     "ff0f220466697665",
		"{x:1}":      "ff0f6f22017849027b01",
		"2**30":      "ff0f4e000000000000d041",
		"2**30-1":    "ff0f49feffffff07",
		"-(2**30)":   "ff0f49ffffffff07",
		"-(2**30)-1": "ff0f4e000040000000d0c1",
		"(()=>{const e=new TypeError('t',{cause:1});e.stack='s';e.code=3;return e})()": "ff0f72546d22017473220173" +
			"6349022e",
	} {
		vm, c := newCodec(t)
		if got := encode(t, c, eval(t, vm, expr)); got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}

// P-22: a string of 128,000 characters takes six bytes more.
func TestStringOverhead(t *testing.T) {
	vm, c := newCodec(t)
	out, err := c.Encode(eval(t, vm, `"x".repeat(128000)`), structured.EncodeOptions{})
	if err != nil || len(out.Data) != 128_006 {
		t.Errorf("%d bytes, %v", len(out.Data), err)
	}
}

// V8 writes a two-byte string at an even offset, whatever precedes it.
func TestTwoByteStringAlignment(t *testing.T) {
	vm, c := newCodec(t)
	for n := range 6 {
		v := eval(t, vm, `{["`+strings.Repeat("k", n)+`"]: "€"}`)
		out, err := c.Encode(v, structured.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(out.Data), "\xac\x20")
		if at < 0 || at%2 != 0 {
			t.Errorf("key of %d letters: text at offset %d", n, at)
		}
	}
}

// Getters run once; one that throws ends the encoding with its own error.
func TestGetters(t *testing.T) {
	vm, c := newCodec(t)
	_, err := c.Encode(eval(t, vm, `{get x(){ throw new RangeError("mine") }}`), structured.EncodeOptions{})
	if err == nil || !strings.Contains(err.Error(), "RangeError: mine") {
		t.Fatalf("error = %v", err)
	}
	eval(t, vm, `globalThis.n = 0, globalThis.o = {get x(){ n++; delete this.y; return 1 }, y: 2}`)
	if got := encode(t, c, eval(t, vm, "o")); got != "ff0f6f22017849027b01" {
		t.Errorf("a property deleted by a getter was written: %s", got)
	}
	if n := eval(t, vm, "n").ToInteger(); n != 1 {
		t.Errorf("getter ran %d times", n)
	}
}

// Changing prototypes and globals after the codec was made changes nothing.
func TestPollutedPrototypes(t *testing.T) {
	vm, c := newCodec(t)
	want := encode(t, c,
		eval(t, vm, `[new Map([[1,{a:1}]]), new Set([1]), new Uint8Array(2), new Date(5), `+
			`new DataView(new ArrayBuffer(1))]`))
	eval(t, vm, `(() => {
		for (const C of [Map, Set, Uint8Array, Date, DataView]) for (
			const k of ["get","set","add","forEach","valueOf","getTime"])
			Object.defineProperty(C.prototype, k, {value() { throw new Error("called") }, configurable: true});
		Object.defineProperty(Object.prototype, "a",
			{set() { throw new Error("set") }, get() { return 7 }, configurable: true});
		Object.defineProperty(Array.prototype, "0", {set() { throw new Error("set") }, configurable: true});
		globalThis.Map = globalThis.Date = globalThis.Object = null;
	})()`)
	data, _ := hex.DecodeString(want)
	v, err := c.Decode(data, structured.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := encode(t, c, v); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestDepthLimit(t *testing.T) {
	vm, c := newCodec(t)
	nest := func(n string) goja.Value {
		return eval(t, vm, `(() => { let a = []; for (let i = 0; i < `+n+`; i++) a = [a]; return a })()`)
	}
	if v, err := c.Clone(nest("3000"), nil, structured.EncodeOptions{}); err != nil {
		t.Errorf("3000 levels: %v", err)
	} else if _, ok := v.(*goja.Object); !ok {
		t.Errorf("3000 levels gave %v", v)
	}
	if _, err := c.Encode(nest("4000"), structured.EncodeOptions{}); err == nil ||
		!strings.Contains(err.Error(), "RangeError: Maximum call stack size exceeded") {
		t.Errorf("4000 levels: %v", err)
	}
}

func BenchmarkEncodeSmallObject(b *testing.B) { benchEncode(b, `{id: 17, name: "order", ok: true}`) }
func BenchmarkEncode1KB(b *testing.B)         { benchEncode(b, kilobyte) }
func BenchmarkDecodeSmallObject(b *testing.B) { benchDecode(b, `{id: 17, name: "order", ok: true}`) }
func BenchmarkDecode1KB(b *testing.B)         { benchDecode(b, kilobyte) }

const kilobyte = `{items: Array.from({length: 10}, ` +
	`(_, i) => ({sku: "sku-" + i, quantity: i, price: i * 1.25, tags: ["a", "b"], note: "x".repeat(20)})), ` +
	`customer: {name: "Ada", email: "ada@example.com", address: {street: "Main", zip: "12345"}}, total: 112.5}`

func benchEncode(b *testing.B, expr string) {
	vm, c := newCodec(b)
	v := eval(b, vm, expr)
	out, err := c.Encode(v, structured.EncodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(out.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Encode(v, structured.EncodeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchDecode(b *testing.B, expr string) {
	vm, c := newCodec(b)
	out, err := c.Encode(eval(b, vm, expr), structured.EncodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(out.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Decode(out.Data, structured.DecodeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

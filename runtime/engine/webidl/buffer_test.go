package webidl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// A view is seen as its accessors show it.
func TestBufferView(t *testing.T) {
	rt := goja.New()
	r := NewRealm(rt)
	eval := func(source string) goja.Value {
		t.Helper()
		v, err := rt.RunString(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		return v
	}
	for _, class := range []string{"Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "Float32",
		"Float64", "BigInt64", "BigUint64"} {
		for _, source := range []string{"new %s(3)", "new %s(new ArrayBuffer(32), 8, 2)", "new %s(4).subarray(1, 3)",
			"new (class extends %s {})(2)", "new %s(0)"} {
			v := eval("v = " + fmt.Sprintf(source, class+"Array"))
			view, ok := r.BufferView(v)
			got := fmt.Sprint(ok, view.Kind, view.Offset, view.Length, len(view.Bytes()),
				view.Object == eval("v.buffer"))
			want := fmt.Sprint(true, class+"Array", eval("v.byteOffset"), eval("v.byteLength"),
				eval("v.byteLength"), true)
			if got != want {
				t.Errorf("%s of %s: %s, want %s", source, class, got, want)
			}
		}
	}
	for source, want := range map[string]string{
		"new ArrayBuffer(5)":                            "true ArrayBuffer 0 5",
		"new DataView(new ArrayBuffer(9), 2, 4)":        "true DataView 2 4",
		"({ [Symbol.toStringTag]: 'Uint8Array' })":      "false  0 0",
		"Object.create(new Uint8Array(2))":              "false  0 0",
		"new Proxy(new Uint8Array(2), {})":              "false  0 0",
		"Object.setPrototypeOf(new Int8Array(2), null)": "true Int8Array 0 2",
		"[1]": "false  0 0", "7": "false  0 0",
	} {
		view, ok := r.BufferView(eval(source))
		if got := fmt.Sprint(ok, " ", view.Kind, " ", view.Offset, " ", view.Length); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
	gone := eval("gone = new Uint8Array(4)")
	eval("gone.buffer").Export().(goja.ArrayBuffer).Detach()
	if view, ok := r.BufferView(gone); !ok || view.Kind != "Uint8Array" || view.Bytes() != nil {
		t.Errorf("a view of a detached buffer: %v, %t", view, ok)
	}
}

// What Realm.Uint8Array makes is what a script makes, and none knows of another.
func TestUint8Array(t *testing.T) {
	rt := goja.New()
	r := NewRealm(rt)
	_ = rt.Set("own", func() *goja.Object { return r.Uint8Array([]byte("abcd")) })
	v, err := rt.RunString(`
		own();
		const show = (a) => [Object.prototype.toString.call(a), a.length, a.byteLength, a.byteOffset, [...a].join(),
			a.buffer.byteLength, a.buffer === a.buffer, a.constructor === Uint8Array, a instanceof Uint8Array,
			Object.getPrototypeOf(a) === Uint8Array.prototype, a.buffer instanceof ArrayBuffer, Object.keys(a).join(),
			Object.keys(a.buffer).join(), Object.isExtensible(a), ArrayBuffer.isView(a), a.subarray(1, 3).join("+"),
			a.buffer.slice(1).byteLength, a.map((x) => x + 1).join(), a.slice(2).constructor.name, a.indexOf(99),
			new Uint16Array(a.buffer).join(), a[9], a["1"], "3" in a, "4" in a].join("|");
		const same = show(own()) === show(Uint8Array.of(97, 98, 99, 100));
		const a = own(), b = own();
		a[0] = 1; a.note = "a"; a.buffer.note = "b"; Object.freeze(b.buffer);
		a.set(b.subarray(2), 1);
		[same, a.join(), b.join(), a.note, b.note, a.buffer.note, b.buffer.note, Object.keys(a), own().join(),
			Object.isFrozen(own().buffer), own().length].join(" ")`)
	if err != nil {
		t.Fatal(err)
	}
	want := "true 1,99,100,100 97,98,99,100 a  b  0,1,2,3,note 97,98,99,100 false 4"
	if got := strings.TrimSpace(v.String()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

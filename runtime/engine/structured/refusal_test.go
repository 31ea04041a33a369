package structured_test

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// refusal encodes v and returns name and text of the exception.
func refusal(t *testing.T, c *structured.Codec, v goja.Value, opts structured.EncodeOptions) (string, string) {
	t.Helper()
	_, err := c.Encode(v, opts)
	if err == nil {
		return "", ""
	}
	ex, ok := err.(*goja.Exception)
	if !ok {
		t.Fatalf("%T is no exception: %v", err, err)
	}
	obj := ex.Value().(*goja.Object)
	return obj.Get("name").String(), obj.Get("message").String()
}

// The texts of DataCloneErrors (RPC10, KV10, P-21), as the reference gives
// them for the same expressions.
func TestRefusals(t *testing.T) {
	vm, c := newCodec(t)
	for expr, want := range map[string]string{
		`() => 1`:                           "() => 1 could not be cloned.",
		`function f(a) { return a }`:        "function f(a) { return a } could not be cloned.",
		`class A {}`:                        "class A {} could not be cloned.",
		`{a: [() => 2]}`:                    "() => 2 could not be cloned.",
		`Symbol("q")`:                       "Symbol(q) could not be cloned.",
		`Symbol()`:                          "Symbol() could not be cloned.",
		`Object(Symbol("q"))`:               "[object Symbol] could not be cloned.",
		`Promise.resolve(1)`:                "#<Promise> could not be cloned.",
		`new WeakMap()`:                     "#<WeakMap> could not be cloned.",
		`new WeakSet()`:                     "#<WeakSet> could not be cloned.",
		`(function*(){})()`:                 "[object Generator] could not be cloned.",
		`[].values()`:                       "[object Array Iterator] could not be cloned.",
		`new Map().entries()`:               "[object Map Iterator] could not be cloned.",
		`new Set().values()`:                "[object Set Iterator] could not be cloned.",
		`(function(){return arguments})(1)`: "#<Object> could not be cloned.",
		`new Proxy({}, {})`:                 "#<Object> could not be cloned.",
		`new Proxy(() => 1, {})`:            "() => 1 could not be cloned.",
		`new Proxy(new (class K{})(), {})`:  "#<K> could not be cloned.",
		`Proxy.revocable({}, {}).proxy`:     "#<Object> could not be cloned.",
		`(()=>{const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy})()`: "#<Object> could not be cloned.",
	} {
		name, text := refusal(t, c, eval(t, vm, expr), structured.EncodeOptions{})
		if name != "DataCloneError" || text != want {
			t.Errorf("%s\n got %s: %s\nwant DataCloneError: %s", expr, name, text, want)
		}
	}
}

// RPC takes plain objects only; storage and queues take any class instance
// as a plain object (RPC10, KV10).
func TestClassInstances(t *testing.T) {
	vm, c := newCodec(t)
	rpc := structured.EncodeOptions{RefuseClassInstances: true}
	for expr, class := range map[string]string{
		`new (class Plain { x = 1 })()`: "Plain",
		`Object.create(null)`:           "Object",
		`Object.create({})`:             "Object",
		`new (class { get [Symbol.toStringTag]() { return "T" } })`: "T",
		`[new (class Inner {})()]`:                                  "Inner",
	} {
		want := `Could not serialize object of type "` + class + `". This type does not support serialization.`
		if name, text := refusal(t, c, eval(t, vm, expr), rpc); name != "DataCloneError" || text != want {
			t.Errorf("%s\n got %s: %s\nwant %s", expr, name, text, want)
		}
		if name, text := refusal(t, c, eval(t, vm, expr), structured.EncodeOptions{}); name != "" {
			t.Errorf("%s for storage: %s: %s", expr, name, text)
		}
	}
	for _, expr := range []string{
		`{a: 1}`, `[1]`, `new Map()`, `new (class D extends Date {})(1)`, `new Error("x")`, `new Uint8Array(1)`, `/a/`,
		`Object("s")`} {
		if name, text := refusal(t, c, eval(t, vm, expr), rpc); name != "" {
			t.Errorf("%s over RPC: %s: %s", expr, name, text)
		}
	}
}

// Without a hook the exception is an Error with that name.
func TestRefusalWithoutDOMException(t *testing.T) {
	vm := goja.New()
	c := structured.New(vm, structured.Options{})
	if name, text := refusal(
		t, c, vm.ToValue(goja.NewSymbol("s")), structured.EncodeOptions{}); name != "DataCloneError" ||
		text != "Symbol(s) could not be cloned." {
		t.Errorf("%s: %s", name, text)
	}
}

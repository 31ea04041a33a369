package structured_test

import (
	"testing"

	"eddy/runtime/engine/structured"
)

// What of an Error survives: message, standard class and cause in V8's own
// form (KV10); name and all own properties in the enhanced form (RPC15, RPC16).
func TestErrors(t *testing.T) {
	vm, c := newCodec(t)
	for _, tc := range []struct {
		expr, plain, enhanced string
	}{
		{`new TypeError("m")`, `TypeError,m,,`, `TypeError,m,,`},
		{`Object.assign(new Error("m", {cause: 5}), {code: 7})`, `Error,m,5,`, `Error,m,5,7`},
		{`Object.assign(new RangeError(""), {name: "Custom"})`, `Error,,,`, `Custom,,,`},
		{`new (class MyErr extends Error { name = "MyErr" })("x")`, `Error,x,,`, `MyErr,x,,`},
		{`new AggregateError([1, 2], "all")`, `Error,all,,`, `AggregateError,all,,`},
		{`new URIError("é€")`, `URIError,é€,,`, `URIError,é€,,`},
	} {
		for _, enhanced := range []bool{false, true} {
			v, err := c.Clone(eval(t, vm, tc.expr), nil, structured.EncodeOptions{EnhancedErrors: enhanced})
			if err != nil {
				t.Fatal(err)
			}
			_ = vm.Set("v", v)
			want := tc.plain
			if enhanced {
				want = tc.enhanced
			}
			got := eval(t, vm, `[v.name, v.message, v.cause, v.code].join()`).String()
			if got != want {
				t.Errorf("%s enhanced=%v: got %s, want %s", tc.expr, enhanced, got, want)
			}
			if !eval(t, vm, `v instanceof Error && typeof v.stack === "string"`).ToBoolean() {
				t.Errorf("%s enhanced=%v: no error or no stack", tc.expr, enhanced)
			}
		}
	}
}

// A message that is no string becomes one (KV10); a symbol cannot.
func TestErrorMessageOfAnyType(t *testing.T) {
	vm, c := newCodec(t)
	for _, tc := range []struct{ message, want string }{{"5", "5"}, {"null", "null"}, {"{toString: () => 'x'}", "x"}} {
		v, err := c.Clone(
			eval(t, vm, `Object.assign(new Error, {message: `+tc.message+`})`), nil, structured.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.ToObject(vm).Get("message").String(); got != tc.want {
			t.Errorf("%s: %s", tc.message, got)
		}
	}
	if _, err := c.Clone(
		eval(t, vm, `Object.assign(new Error, {message: Symbol("s")})`), nil, structured.EncodeOptions{}); err == nil {
		t.Error("a symbol was taken for a message")
	}
}

// An error that is its own cause, and the errors of an AggregateError.
func TestErrorGraphs(t *testing.T) {
	vm, c := newCodec(t)
	for _, enhanced := range []bool{false, true} {
		v, err := c.Clone(
			eval(t, vm, `(() => { const e = new Error("loop"); const o = {e}; e.cause = o; return e })()`), nil,
			structured.EncodeOptions{EnhancedErrors: enhanced})
		if enhanced {
			// The platform's form creates the object last, so a loop through it
			// cannot be read back.
			if err == nil {
				t.Error("a loop through an enhanced error was read")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = vm.Set("v", v)
		if !eval(t, vm, `v.cause.e === v`).ToBoolean() {
			t.Error("the loop was lost")
		}
	}
	v, err := c.Clone(
		eval(t, vm, `new AggregateError([new TypeError("a"), 2], "all")`), nil,
		structured.EncodeOptions{EnhancedErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = vm.Set("v", v)
	if got := eval(t, vm,
		`v.errors.length + v.errors[0].name + v.errors[1] + Object.keys(v)`).String(); got != "2TypeError2errors" {
		t.Errorf("got %s", got)
	}
}

func TestDropErrorStacks(t *testing.T) {
	vm, c := newCodec(t)
	out, err := c.Encode(
		eval(t, vm, `Object.assign(new Error("m"), {stack: "theirs"})`), structured.EncodeOptions{EnhancedErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	for drop, want := range map[bool]bool{true: false, false: true} {
		v, err := c.Decode(out.Data, structured.DecodeOptions{DropErrorStacks: drop})
		if err != nil {
			t.Fatal(err)
		}
		_ = vm.Set("v", v)
		if got := eval(t, vm, `v.stack === "theirs"`).ToBoolean(); got != want {
			t.Errorf("DropErrorStacks=%v: stack restored = %v", drop, got)
		}
	}
}

// Reading defines own properties and runs no setter; writing assigns to an
// object in between, whose setters do run.
func TestErrorPropertiesAndSetters(t *testing.T) {
	vm, c := newCodec(t)
	eval(t, vm, `(() => {
		globalThis.seen = [];
		Object.defineProperty(Error.prototype, "read", {set(v) { seen.push("read") }, configurable: true});
		Object.defineProperty(Object.prototype, "written", {set(v) { seen.push("written") }, configurable: true});
	})()`)
	e := eval(t, vm, `Object.defineProperties(new Error("m"), {read: {value: 1, enumerable: true}, `+
		`written: {value: 2, enumerable: true}})`)
	v, err := c.Clone(e, nil, structured.EncodeOptions{EnhancedErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = vm.Set("v", v)
	if got := eval(t, vm,
		`seen.join() + ";" + Object.getOwnPropertyDescriptor(v, "read")?.value`).String(); got != "written;1" {
		t.Errorf("got %s", got)
	}
}

package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// Property is Get, whatever an object is.
func TestProperty(t *testing.T) {
	layout(t)
	rt := goja.New()
	for _, source := range []string{`({ a: 1 })`, `({})`, `({ a: undefined })`, `({ get a() { return 2 } })`,
		`new (class { get a() { return 3 } })`, `new (class { a = 4 })`, `Object.create({ a: 5 })`,
		`Object.create(null)`, `Object.create(Object.create(null))`, `[1, 2]`, `(() => {})`, `new Map`, `new Date`,
		`new Proxy({}, { get: (_, name) => name })`, `Object.defineProperty({}, "a", { value: 6 })`,
		`new Uint8Array(1)`,
		`(Object.prototype.a = 7, {})`, `({ b: 1 })`, `[]`, `Object.create(null)`,
		`(Object.defineProperty(Object.prototype, "a", { get() { return this.own }, configurable: true }), { own: 8 })`,
		`Object.create({ own: 9 })`} {
		p := goja.MustCompile("a.js", "("+source+")", true)
		layout(t).Quicken(p)
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		o := v.ToObject(rt)
		got, want := Property(o, "a"), o.Get("a")
		if (got == nil) != (want == nil) || got != nil && !got.SameAs(want) {
			t.Errorf("%s has %v, want %v", source, got, want)
		}
	}
}

package gojainternals

import (
	"fmt"
	"testing"
)

// A global name is what it is now, whatever has become of the global object and of the scopes around.
func TestQuickGlobals(t *testing.T) {
	const begin = `globalThis.here = 1; var declared = 2; let scoped = 3; const r = [];
		const t = (f) => { try { r.push(f()) } catch (e) { r.push(e.name) } };
		const look = () => { t(() => here); t(() => declared); t(() => scoped); t(() => typeof here); t(() => absent);
			t(() => typeof absent); t(() => typeof Object); t(() => Array(2).length); t(() => undefined); t(() => NaN);
			t(() => { let n = here; return (() => n + here)() }); t(() => called(1, 2)); t(() => toString.name);
			t(() => isNaN("x")); t(() => { "use strict"; return (function () { return this })() === undefined }) };
		globalThis.called = function (...a) { "use strict"; return [this === undefined, ...a] };
		for (let i = 0; i < 20; i++) look();
		r.length = 0;`
	var sources []string
	for _, change := range []string{
		``, `here = 5`, `delete globalThis.here`, `globalThis.absent = 7`, `declared = undefined`, `scoped++`,
		`Object.defineProperty(globalThis, "here", { get() { return "got" }, configurable: true })`,
		`Object.defineProperty(globalThis, "here", { value: "fixed", writable: false })`,
		`Array = 5`, `delete globalThis.Array`, `Object.defineProperty(globalThis, "called",
			{ get() { return () => 9 } })`,
		`Object.prototype.absent = "inherited"; look(); delete Object.prototype.absent`,
		`called = 5`, `isNaN = (x) => x`, `for (let i = 0; i < 300; i++) { globalThis["g" + i] = i; here = i; look() }`,
		`for (const k of Object.keys(globalThis)) if (k !== "r") delete globalThis[k]`,
		`with ({ here: "with", called() { return this.here }, Object: 1 }) { r.push(here, called(), typeof Object) }`,
		`(function () { eval("var here = 'eval', called = () => here"); t(() => here); t(() => called()) })()`,
		`{ const here = "block", Object = 1; r.push(here, Object); t(() => here) }`,
		`Object.freeze(globalThis); try { here = 9 } catch (e) { r.push(e.name) }`,
		`Object.setPrototypeOf(globalThis, { absent: "from a prototype" })`,
	} {
		sources = append(sources, fmt.Sprintf("%s try { %s } catch (e) { r.push(e.name) } look(); look(); r",
			begin, change))
	}
	showSame(t, sources)
}

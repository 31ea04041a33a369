package ecma

import "testing"

// What a script can observe of built-ins by the functions that they call back: in which order, how often, and on what
// they have done meanwhile. The answers are Node's.
func TestObserved(t *testing.T) {
	each(t, map[string]string{
		`const t = new Uint8Array([1, 2, 3]); t.join({ toString() { t.buffer.transfer(); return "-" } })`: "--",
		`let n = 0; const t = new Uint8Array([1, 2]); t.join({ toString() { n++; return "-" } }) + n`:     "1-21",
		`const t = new Uint8Array(2); t.buffer.transfer(); let n = 0;
			try { t.join({ toString() { n++ } }) } catch (e) { e.name + n }`: "TypeError0",
		`const t = new Uint8Array([2, 1]); let n = 0; Object.defineProperty(t, "length", { get() { n++ } });
			t.sort(); t[0] + "" + n`: "10",
		`let n = 0; const o = { get [Symbol.iterator]() { n++ } };
			try { Uint8Array.from(o, null) } catch (e) { e.name + n }`: "TypeError0",
		`const t = new Uint8Array(1), from = new Uint8Array(0); let n = 0;
			const at = { valueOf() { n++; from.buffer.transfer(); return 0 } };
			try { t.set(from, at) } catch (e) { e.name + n }`: "TypeError1",
		`function f() {} f.prototype = null;
			Object.getPrototypeOf(Reflect.construct(Float16Array, [1], f)) === Float16Array.prototype`: "true",
		`const f = function () {}.bind(); Object.defineProperty(f, "prototype", { get() { throw "first" } });
			try { Reflect.construct(ArrayBuffer, [7 * 2 ** 50], f) } catch (e) { e }`: "first",
		`try { /a/.compile(/b/, "") } catch (e) { e.name }`:                                        "TypeError",
		`/^\p{Script=Unknown}\p{scx=Zzzz}\P{sc=Zzzz}$/u.test("\u0378\u0378a")`:                     "true",
		`try { "a".replaceAll("a", () => ({ toString: () => Symbol() })) } catch (e) { e.name }`:   "TypeError",
		`let n = 0; const o = { toString: null, valueOf() { n++; return 5n } }; "a".concat(o) + n`: "a51",
		`const it = new Intl.Segmenter().segment("a")[Symbol.iterator]();
			String(it.next)`: "function next() { [native code] }",
		`const p = new Proxy(() => {}, { get() { throw "seen" } }); let r;
			try { class A extends p {} } catch (e) { r = e }
			r.message.slice(0, 32)`: "Class extends value () => {} is ",
		`const f = () => 1; f.toString = () => { throw "seen" }; try { new f } catch (e) { e.name }`: "TypeError",
	})
}

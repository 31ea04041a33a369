package gojainternals

import "testing"

// The characters of a text are the same in loops, patterns and lists, whoever has changed how texts are gone over.
func TestQuickTexts(t *testing.T) {
	const texts = `const texts = ["", "a", "abc", "é", "a\u{1F600}b", "\ud83d", "\ude00\ud83d", "x\ud83dy",
			"\ufeffbom", "a\ufeff", "\u0000", "z".repeat(4100), new String("ab")];
		const f = (...a) => a.join("|"), count = (...a) => a.length;
		const look = () => { for (const t of texts) try {
			const [a, b = "none", ...c] = t, list = [...t], loop = [];
			for (const x of t) loop.push(x);
			r.push(a, b, c.length, list.length, loop.length, list.join() === loop.join(), list[0], list.at(-1),
				[0, ...t, 1].length, f(...t, 5).length, count(...t, ...t), list.map((x) => x.length).join("").length,
				Array.from(t).join() === list.join(), new Set([...t]).size, list[1] === loop[1])
		} catch (e) { r.push(String(e)) } };
		const r = [], values = String.prototype[Symbol.iterator],
			proto = Object.getPrototypeOf(""[Symbol.iterator]()), next = proto.next;
		`
	showSame(t, []string{
		texts + `look(); r`,
		texts + `String.prototype[Symbol.iterator] = function () { return values.call("other") }; look(); r`,
		texts + `String.prototype[Symbol.iterator] = function* () { yield 1 }; look(); r`,
		texts + `String.prototype[Symbol.iterator] = function () { const i = values.call(this); i.next(); return i };
			look(); r`,
		texts + `String.prototype[Symbol.iterator] = Array.prototype.values; look(); r`,
		texts + `delete String.prototype[Symbol.iterator]; look(); r`,
		texts + `let n = 0; proto.next = function () { n++; return next.call(this) }; look(); proto.next = next;
			r.push(n); r`,
		texts + `proto.next = () => ({ done: true }); look(); proto.next = next; r`,
		texts + `proto.return = () => { r.push("returned"); return {} }; for (const x of "abc") { r.push(x); break }
			const [a] = "xyz"; r.push(a); look(); r`,
		texts + `const i = values.call("abc"); for (const x of i) { r.push(x); break } r.push([...i],
			i.next().done); r`,
		texts + `const i = values.call("abc"); i.next(); const [a, ...b] = i; r.push(a, b, [...i].length); r`,
		`const r = []; for (const x of "ab") for (const y of "cd") { if (y === "d") continue; r.push(x + y) } r`,
		`const r = []; try { for (const x of "ab") throw x } catch (e) { r.push(e) } try { [...5] } catch (e) {
			r.push(e.name) } try { [..."ab", ...null] } catch (e) { r.push(e.name) } r`,
		`function* g() { for (const x of "a\u{1F600}") yield x; yield* "bc" } [...g(), Math.max(..."123")]`,
	})
}

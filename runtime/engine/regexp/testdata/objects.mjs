// Writes objects.json: what V8 gives for regular expressions as objects. Run with Node 20: node objects.mjs
import { writeFileSync } from "node:fs";

export const prelude = `
const show = (v) => {
  if (v === null || typeof v !== "object") return typeof v === "string" ? JSON.stringify(v) : Object.is(v, -0) ? "-0" : String(v);
  if (v instanceof RegExp) return String(v) + "@" + show(v.lastIndex);
  const names = Reflect.ownKeys(v).filter((k) => !(Array.isArray(v) && k === "length"));
  return (Array.isArray(v) ? "[" : Object.getPrototypeOf(v) === null ? "null{" : "{") +
    names.map((k) => (typeof k === "string" && /^\\d+$/.test(k) && Array.isArray(v) ? "" : String(k) + ":") + show(v[k])).join(",") + "]";
};
const kind = (f) => { try { return show(f()); } catch (e) { return e.name; } };
const attempt = (f) => { try { return show(f()); } catch (e) { return e.name + ": " + e.message; } };
`;

const patterns = [
  ["a(b)?(c)?", ["", "g", "y", "gy", "d", "dgi"]],
  ["(?<year>\\d{4})-(?<month>\\d\\d)", ["", "g", "d", "gd", "y"]],
  ["(?<=[$€])\\d+(\\.\\d*)?", ["g", "u", "dg"]],
  ["(?<!a)b", ["g", "gy"]],
  ["(?:)", ["", "g", "gu", "y"]],
  ["x*", ["g", "gy", "gu"]],
  ["\\b", ["g"]],
  ["^.", ["gm", "ms", "gu", ""]],
  ["[\\p{L}--[a-c]]+", ["v", "gv", "giv"]],
  ["[[a-z]&&[aeiou]]", ["gv"]],
  ["\\p{Emoji_Presentation}|\\uD83D", ["gu", "g"]],
  ["(a+)+$", ["", "g"]],
  ["(\\w)(?=\\1)", ["g", "gi"]],
  ["[^]", ["g", "gu", "y"]],
  ["s|k|\\u017f", ["gi", "giu"]],
];
const subjects = ["", "abcabab", "xab 2024-11 and 2025-01", "$12.50 and €7", "bab\nb", "xx-xx", "dddé€abcß", "a😀b\uD83Dc", "Kſs K\u212a"];
const operations = [
  "r.exec(s)", "r.exec(s)", "r.test(s)", "r.lastIndex", "s.match(r)", "[...s.matchAll(new RegExp(r, r.flags.includes('g') ? r.flags : r.flags + 'g'))]",
  "s.search(r)", "s.split(r)", "s.split(r, 2)", "s.replace(r, \"<$&|$1|$`|$'|$$|$2|$01|$<year>>\")", "s.replace(r, '')", "s.replace(r, 'é$&')",
  "s.replace(r, (...a) => show(a))", "(r.lastIndex = 2, r.exec(s))", "r.lastIndex", "(r.lastIndex = 99, r.test(s))", "r.lastIndex",
  "(r.lastIndex = -1, s.replace(r, '_'))", "r.lastIndex",
];
const rows = [];
for (const [source, flags] of patterns) for (const f of flags) {
  // Of all subjects one row: what differs is found by its place.
  const code = `const r = new RegExp(${JSON.stringify(source)}, "${f}");\n` +
    `return ${JSON.stringify(subjects)}.map((s) => [${operations.map((o) => `() => ${o}`).join(", ")}].map(attempt).join(" ")).join("\\n")`;
  rows.push(code);
}

// What scripts do to the objects.
const changed = [
  "const r = /a/g; let n = 0; r.exec = function (s) { n++; return RegExp.prototype.exec.call(this, s) }; return [r.test('a'), 'aa'.replace(r, 'b'), n].join()",
  "const r = /a/g; Object.freeze(r); return ['exec', 'test'].map((m) => kind(() => r[m]('ba'))).concat(kind(() => 'a'.replace(r, 'b')), kind(() => 'a'.match(r)), kind(() => 'xa'.search(r)), kind(() => 'xay'.split(r))).join('; ')",
  "const r = /a/; Object.freeze(r); return ['exec', 'test'].map((m) => kind(() => r[m]('ba'))).concat(kind(() => 'a'.replace(r, 'b')), kind(() => 'a'.match(r)), kind(() => 'xa'.search(r)), kind(() => 'xay'.split(r))).join('; ')",
  "const r = /a/g; Object.defineProperty(r, 'lastIndex', { writable: false, value: 3 }); return [kind(() => r.exec('aaaaa')), kind(() => r.test('b')), kind(() => 'a'.search(r)), r.lastIndex].join('; ')",
  "const r = /a/y; let log = []; r.lastIndex = { valueOf() { log.push('v'); return 1 } }; return [attempt(() => r.exec('ba')), log, r.lastIndex].join('; ')",
  "const r = /a/; let log = []; r.lastIndex = { valueOf() { log.push('v'); return 1 } }; return [attempt(() => r.exec('ba')), attempt(() => 'ba'.replace(r, 'x')), attempt(() => 'ba'.search(r)), log, typeof r.lastIndex].join('; ')",
  "const r = /a/g; r.lastIndex = 1.9; return [attempt(() => r.exec('aaa')), r.lastIndex, (r.lastIndex = '1', attempt(() => r.exec('aaa'))), r.lastIndex, (r.lastIndex = NaN, r.test('a')), r.lastIndex, (r.lastIndex = 2 ** 60, r.test('a')), r.lastIndex].join('; ')",
  "class R extends RegExp { exec(s) { const m = super.exec(s); if (m) m[0] = m[0].toUpperCase(); return m } } const r = new R('a', 'g'); return [r.test('a'), r.lastIndex, attempt(() => 'aXa'.replace(r, (x) => x + x)), attempt(() => 'aXa'.match(r)), attempt(() => 'bab'.split(r)), r instanceof R, Object.getPrototypeOf(r) === R.prototype].join('; ')",
  "class R extends RegExp { static get [Symbol.species]() { return function (p, f) { return { exec() { return null }, flags: f } } } } return attempt(() => 'abc'.split(new R('b')))",
  "const r = /b/; r.constructor = { [Symbol.species]: function (p, f) { return new RegExp('c', f) } }; return attempt(() => 'abcd'.split(r))",
  "const r = /(a)/g; let n = 0; return attempt(() => 'aba'.replace(r, (m, g, at) => { n++; r.lastIndex = 7; r.compile('x'); return at })) + n + show(r)",
  "const r = /a/g; return attempt(() => 'aab'.replace(r, (m) => 'xax'.replace(/a/g, 'b') + r.test('a') + m)) + show(r)",
  "let n = 0; const t = { toString() { n++; return '$&$&' } }; return attempt(() => 'aXa'.replace(/a/g, t)) + n + attempt(() => 'bbb'.replace(/a/g, t)) + n + attempt(() => 'é'.replace(/./g, t)) + n",
  "return attempt(() => 'a'.replace(/a/, Symbol())) + attempt(() => RegExp.prototype.exec.call({}, 'a')) + attempt(() => /a/.exec(Symbol()))",
  "return [attempt(() => 'aaa'.replace(/a/g)), attempt(() => 'null'.replace(/l/, null)), attempt(() => /undefined/.test()), attempt(() => /null/.exec(null))].join('; ')",
  "return [...'$0 $1 $10 $11 $<a $<a> $<b> $& $$ $ $'.split(' ')].map((t) => attempt(() => 'xyz'.replace(/(?<a>y)/, t)) + attempt(() => 'xyz'.replace(/(y)/g, t))).join('; ')",
  "return attempt(() => 'xyz'.replace(/(?<a>y)|(?<b>q)/g, '[$<a>$<b>]')) + attempt(() => 'xyzy'.replace(/(?<a>y)/g, (...a) => show(a.at(-1))))",
  "const m = /(?<a>.)(?<b>.)?/d.exec('xy'); return [show(Object.getOwnPropertyDescriptor(m, 'index')), show(Object.getOwnPropertyDescriptor(m, 'groups')), show(m.indices), Object.keys(m), show(m.indices.groups)].join('; ')",
  "const m = /b/.exec('abc'); m.push('x'); m.index = 5; delete m.input; m.groups = 1; return show(m) + m.length + JSON.stringify(m) + m.concat([1]) + m.map((x) => x + x)",
  "const r = () => /a/g; const x = r(), y = r(); x.lastIndex = 1; x.extra = 1; return [x === y, y.lastIndex, y.extra, Object.getOwnPropertyNames(x), Object.keys(y), show(Object.getOwnPropertyDescriptor(y, 'lastIndex')), delete x.extra].join('; ')",
  "const r = /a/g; Object.preventExtensions(r); return [attempt(() => { 'use strict'; r.x = 1 }), r.test('a'), r.lastIndex, Object.isExtensible(/b/)].join('; ')",
  "const r = Object.setPrototypeOf(/a/g, null); return [attempt(() => RegExp.prototype.test.call(r, 'a')), attempt(() => RegExp.prototype.exec.call(r, 'ba'))].join('; ')",
  "return ['aXbX'.split(/x/i), 'aXbX'.split(/(x)/i), 'ab'.split(/(?:)/), ''.split(/x/), ''.split(/(?:)/), 'ab'.split(/(?:)/, 0), 'abc'.split(/b/y), 'a1b2'.split(/\\d/, -1), 'a1b2'.split(/\\d/, '1')].map(show).join('; ')",
  "let n = 0; return attempt(() => 'abc'.split(/b/, { valueOf() { n++; return 1 } })) + n",
  "return [{ exec: () => null }, { exec: () => ({}) }, { exec: (s) => { throw new Error(s) } }, new Proxy(/b/, { get(t, k) { return k === 'exec' ? () => [1] : t[k] } }), new Proxy(function () {}, { get: () => () => null })].map((o) => attempt(() => RegExp.prototype.test.call(o, 'abc'))).join('; ')",
  "return [{ exec: () => 5 }, { exec: () => undefined }, {}, { exec: 1 }, [], 3, undefined].map((o) => kind(() => RegExp.prototype.test.call(o, 'abc'))).join('; ')",
  "try { for (const k of ['indices', 'groups']) Object.defineProperty(Object.prototype, k, { configurable: true, set() { throw new Error('set') } }); return attempt(() => /(?<a>b)/d.exec('abc')) + attempt(() => /b/d.exec('abc')) } finally { delete Object.prototype.indices; delete Object.prototype.groups }",
];
const global = [ // changes of RegExp and its prototype, which must be undone
  ["RegExp.prototype", "'exec'", "{ value() { return null } }"],
  ["RegExp.prototype", "'global'", "{ get() { return false } }"],
  ["RegExp.prototype", "'sticky'", "{ get() { return true } }"],
  ["RegExp.prototype", "'unicode'", "{ get() { return true } }"],
  ["RegExp.prototype", "'hasIndices'", "{ get() { return true } }"],
  ["RegExp.prototype", "'dotAll'", "{ get() { return true } }"],
  ["RegExp.prototype", "'constructor'", "{ value: { [Symbol.species]: function () { return { exec: () => null } } } }"],
  ["RegExp.prototype", "Symbol.replace", "{ value() { return 'replaced' } }"],
  ["RegExp", "Symbol.species", "{ get() { return function () { return { exec: () => null } } } }"],
];
for (const [object, name, to] of global) {
  changed.push(`const was = Object.getOwnPropertyDescriptor(${object}, ${name}); Object.defineProperty(${object}, ${name}, { configurable: true, ...${to} });
try { const r = /a(b)?/g, q = /a/, z = new RegExp("A", "i"); return [() => r.exec("cab"), () => r.test("a"), () => "abab".replace(r, "[$1]"), () => "abab".match(r), () => "bab".match(q), () => "bab".search(q), () => "aXa".split(q), () => "aXa".split(r), () => "aXa".replace(z, (x) => x + x), () => [..."ab".matchAll(r)].length].map(attempt).join("; ") }
finally { Object.defineProperty(${object}, ${name}, was) }`);
  changed.push(`const r = /a/g; return "bab".replace(r, "c") + "a,a".split(/,/).length + /b/.test("b")`);
}
rows.push(...changed);
// What scripts do with what exec returns.
const uses = [
  "m.index = 9", "delete m.index", "Reflect.deleteProperty(m, 'length')", "m.input", "m.groups = { a: 1 }", "m.push(1)", "m.pop()", "m.shift()",
  "m.reverse()", "m.sort()", "m.slice(1)", "m.splice(1, 1)", "m.concat([m])", "m.map((x) => x)", "m.filter(Boolean)", "m.join()",
  "m.indexOf('b')", "m.includes(undefined)", "m.fill(0)", "m.unshift('z')", "m.flat()", "m.length = 1", "m.length = 2 ** 31",
  "m[7] = 1", "m[5000] = 1", "m['01'] = 1", "m[-1] = 1", "m.more = 1", "m[Symbol.iterator] = undefined", "Object.freeze(m)",
  "Object.seal(m)", "Object.preventExtensions(m), m.more = 1", "Object.keys(m)", "Object.values(m)", "Object.entries(m)",
  "Object.assign({}, m)", "Object.assign(m, { index: 4, x: 5 })", "Object.getOwnPropertyDescriptor(m, 'index')",
  "Object.getOwnPropertyDescriptors(m)", "Object.defineProperty(m, 'index', { get: () => 8 }).index",
  "Object.defineProperty(m, 'groups', { enumerable: false })", "Reflect.set(Object.defineProperty(m, 'index', { value: 3, writable: false }), 'index', 4)",
  "'index' in m", "Object.hasOwn(m, 'input')", "m.propertyIsEnumerable('index')", "Reflect.ownKeys(m)", "({ ...m })", "[...m]",
  "(([a, b, c]) => [c, b, a])(m)", "(({ index, groups, 1: b }) => [index, groups, b])(m)",
  "(({ index, ...rest }) => rest)(m)", "(() => { const o = Object.create(m); o.index = 5; return [o.index, m.index, o.input, Object.keys(o)] })()",
  "(() => { const o = Object.create(Object.freeze(m)); return [Reflect.set(o, 'index', 5), o.index] })()", "(() => { const l = []; for (const k in m) l.push(k); return l })()",
  "(() => { const o = Object.create(m), l = []; for (const k in o) l.push(k); return l })()",
  "(() => { const l = []; for (const k in m) { delete m.groups; l.push(k) } return l })()",
  "Object.setPrototypeOf(m, { length: 1, index: 7, extra: 2 }).extra + m.index", "Object.setPrototypeOf(m, null) && m.input",
  "Reflect.get(m, 'index', {})", "Reflect.set(m, 'index', 5, {})", "Reflect.set({}, 'index', 5, m)", "Reflect.has(m, 'groups')",
  "Reflect.apply((...a) => a, null, m)", "Math.max.apply(null, m)", "((...a) => a)(...m)", "Array.from(m)", "Array.isArray(m)",
  "JSON.stringify(m)", "JSON.stringify({ m }, ['m', 'index', '0'])", "String(m)", "m instanceof Array", "m.toString === [].toString",
  "m.constructor === Array", "m.index + m.input.length", "typeof m.groups", "m.hasOwnProperty('groups')", "m.at(-1)", "m.copyWithin(0, 1)",
  "m.entries().next().value", "Object.prototype.toString.call(m)", "(m.toJSON = () => 1, JSON.stringify(m))", "new Set(m).size", "new Proxy(m, {}).index",
  "(m.x = m.index, m.index += 1, m)", "Object.isFrozen(m)", "Object.isExtensible(m)", "(Array.prototype[9] = 1, m.push(2), delete Array.prototype[9])",
  "(Object.prototype.index = 1, delete m.index, m.index + Number(delete Object.prototype.index))", "m.with(0, 'q')", "m.toSorted()", "m.toSpliced(0, 1)",
  "m.findLast((x) => x)", "m.reduce((a, b) => a + b)", "m.index.toFixed(1)",
];
for (const literal of ["/a(b)?(c)?/", "/(?<x>a)(?<y>b)?/", "/(a)|(ß)/d"]) for (const use of uses) {
  rows.push(`const m = ${literal}.exec("xab€"), n = ${literal}.exec("cccab"); const r = attempt(() => ${use});\n` +
    `return r + " " + attempt(() => m) + " " + attempt(() => Object.keys(m)) + " " + attempt(() => n) + " " + n.index`);
}
const results = rows.map((code) => [code, new Function(prelude + code)()]);
writeFileSync(new URL("objects.json", import.meta.url), JSON.stringify({ prelude, rows: results }, null, 1) + "\n");

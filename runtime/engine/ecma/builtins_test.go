package ecma

import (
	"os"
	"sort"
	"strings"
	"testing"
)

// knownMissing begin the lines of properties.txt that this package does not have; gaps.txt tells what a program sees.
var knownMissing = []string{"RegExp.$", "RegExp.input", "RegExp.last", "RegExp.leftContext", "RegExp.rightContext"}

// properties.txt is the reference's own list of built-ins with their types, lengths and attributes (RT4, GJ2).
func TestPropertiesAgainstV8(t *testing.T) {
	text, err := os.ReadFile("testdata/properties.txt")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/properties.js")
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(t)
	v, err := e.eval(t, "properties.js", string(script), true)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, line := range strings.Split(v.String(), "\n") {
		have[line] = true
	}
	want := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		want[line] = true
	}
	var diff []string
	for line := range want {
		if !have[line] && !known(line) {
			diff = append(diff, "missing "+line)
		}
	}
	for line := range have {
		if !want[line] && !known(line) && !strings.HasPrefix(line, "Intl") {
			diff = append(diff, "extra   "+line)
		}
	}
	sort.Strings(diff)
	for _, d := range diff {
		t.Error(d)
	}
}

func known(line string) bool {
	for _, k := range knownMissing {
		if strings.HasPrefix(line, k) {
			return true
		}
	}
	return false
}

func TestBuiltins(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`[1, 2, 3].values().map((x) => x * 2).filter((x) => x > 2).take(1).toArray()`, "4"},
		{`[1, 2].values().flatMap((x) => [x, x]).toArray()`, "1,1,2,2"},
		{`let asked = 0; new Date({ [Symbol.toPrimitive](hint) { asked++; return hint } }); asked`, "1"},
		{`try { new Date({ [Symbol.toPrimitive]: () => ({}) }) } catch (e) { e.message }`,
			"Cannot convert object to primitive value"},
		{`try { new Date({ [Symbol.toPrimitive]: 1 }) } catch (e) { e.message }`,
			"'1' returned for property 'Symbol(Symbol.toPrimitive)' of object '#<Object>' is not a function"},
		{`const open = { [Symbol.iterator]: () => ({}) };
			const tried = (f) => { try { f() } catch (e) { return e.name } };
			[() => { for (const x of open); }, () => { const [a] = open }, () => [...open],
				() => new Uint8Array(open), () => Object.fromEntries(open), () => Map.groupBy(open, (x) => x),
				() => Math.sumPrecise(open)].map(tried).join()`,
			"TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError"},
		{`let ended = 0; const [] = { [Symbol.iterator]: () => ({ return() { ended++; return {} } }) }; ended`, "1"},
		{`try { Promise.any.call(function (f) { f(undefined, 1) }, []) } catch (e) { e.message }`,
			"Promise resolve or reject function is not callable"},
		{`try { Promise.withResolvers.call(function (f) { f(1); f() }) } catch (e) { e.message }`,
			"Promise executor has already been invoked with non-undefined arguments"},
		{`[...Iterator.concat([1], new Set([2]), [3])].join()`, "1,2,3"},
		{`[...Iterator.zip([[1, 2], [3, 4, 5]], { mode: "longest" })].join("|")`, "1,3|2,4|,5"},
		{`let closed = 0; const it = { next: () => ({ value: 1, done: false }), return() { closed++; return {} }, ` +
			`__proto__: Iterator.prototype }; it.take(2).toArray(); it.find((x) => x) + closed`, "3"},
		{`class I extends Iterator { next() { return { done: true } } }; ` +
			`new I().toArray().length + "" + (new I() instanceof Iterator)`, "0true"},
		{`Object.prototype.toString.call([].values().map((x) => x))`, "[object Iterator Helper]"},
		{`JSON.stringify(Object.groupBy([1, 2, 3], (x) => x % 2 ? "odd" : "even"))`, `{"odd":[1,3],"even":[2]}`},
		{`Map.groupBy([1, 2, 3], (x) => x % 2).get(1).join()`, "1,3"},
		{`new Map([[1, 2]]).getOrInsert(3, 4) + new Map([[1, 2]]).getOrInsertComputed(1, () => 9)`, "6"},
		{`Math.sumPrecise([1e20, 0.1, -1e20]) + "," + Object.is(Math.sumPrecise([]), -0)`, "0.1,true"},
		{`[1.337, 65519, 65520, 2 ** -25, 2 ** -24, -0].map(Math.f16round).join()`,
			"1.3369140625,65504,Infinity,0,5.960464477539063e-8,0"},
		{`const d = new DataView(new ArrayBuffer(2)); d.setFloat16(0, 1.5); d.getFloat16(0) + "," + d.getUint16(0)`,
			"1.5,15872"},
		{`const b = new ArrayBuffer(8); const c = b.transfer(4); ` +
			`b.detached + "," + b.byteLength + "," + c.byteLength`, "true,0,4"},
		{`"a\ud800b".isWellFormed() + "," + "a\ud800".toWellFormed()`, "false,a\uFFFD"},
		{`const log = []; { const s = new DisposableStack(); s.defer(() => log.push(1)); ` +
			`s.use({ [Symbol.dispose]() { log.push(2) } }); s.dispose() }; log.join()`, "2,1"},
		{`try { const s = new DisposableStack(); s.defer(() => { throw 1 }); s.defer(() => { throw 2 }); ` +
			`s.dispose() } catch (e) { e.name + e.error + e.suppressed + (e instanceof Error) }`,
			"SuppressedError12true"},
		{`new WeakRef(globalThis).deref() === globalThis`, "true"},
		{`Error.isError(new TypeError()) + "" + Error.isError({ __proto__: Error.prototype })`, "truefalse"},
		{`Atomics.add(new Int32Array(new SharedArrayBuffer(8)), 0, 5) + ` +
			`Object.prototype.toString.call(new SharedArrayBuffer(1))`, "0[object SharedArrayBuffer]"},
		{`Iterator + Iterator.prototype.map + WeakRef + RegExp.escape`,
			"function Iterator() { [native code] }function map() { [native code] }function WeakRef() { [native code] " +
				"}function escape() { [native code] }"},
		{`Object.keys(globalThis).length`, "0"},
		{`JSON.parse("[1.0]", (k, v, c) => typeof v === "number" ? c.source : v)[0]`, "1.0"},
		{`Object.defineProperty(Object.prototype, "", { set() { throw new Error("not called") }, ` +
			`configurable: true }); JSON.parse("5", (k, v) => v + 1)`, "6"},
		{`JSON.parse('{"__proto__":1,"a":"\\ud800\\u00e9"}').a.charCodeAt(0) + "" + ` +
			`Object.keys(JSON.parse('{"__proto__":1}'))`, "55296__proto__"},
		{`const k = Symbol("k"), m = new WeakMap([[k, 1], [Symbol.iterator, 2]]), s = new WeakSet([k]); ` +
			`[m.get(k), m.get(Symbol.iterator), m.has(Symbol("k")), s.has(k), m.delete(k), m.has(k), s.delete(k), ` +
			`s.has(k)].join()`, "1,2,false,true,true,false,true,false"},
		{`[() => new WeakSet().add(Symbol.for("r")), () => new WeakSet([1]), () => new WeakMap().set("x", 1), ` +
			`() => new WeakMap([[null, 1]]), () => new WeakMap().getOrInsertComputed(1, () => 2)].map((f) => { ` +
			`try { f(); return "none" } catch (e) { return e.name + ": " + e.message } }).filter((x, i, a) => ` +
			`a.indexOf(x) === i).join()`,
			"TypeError: Invalid value used in weak set,TypeError: Invalid value used as weak map key"},
		{`const b = new ArrayBuffer(8); b.transfer(); [() => b.slice(0), ` +
			`() => b.transfer()].map((f) => { try { f() } catch (e) { return e.name + ": " + e.message } }).join()`,
			"TypeError: Cannot perform ArrayBuffer.prototype.slice on a detached ArrayBuffer,TypeError: Cannot " +
				"perform ArrayBuffer.prototype.transfer on a detached ArrayBuffer"},
		{`Object.keys(Array.prototype[Symbol.unscopables]).sort().join() + Object.getOwnPropertySymbols.length`,
			"at,copyWithin,entries,fill,find,findIndex,findLast,findLastIndex,flat,flatMap,includes,keys,toReversed," +
				"toSorted,toSpliced,values1"},
		{`const d = new Date(0); d.setUTCFullYear(-3, 10, 27); d.toDateString() + "|" + d.toUTCString() + "|" + ` +
			`d.toISOString()`, "Thu Nov 27 -0003|Thu, 27 Nov -0003 00:00:00 GMT|-000003-11-27T00:00:00.000Z"},
		{`const seen = []; const list = new Proxy(["x", "y"], { ` +
			`get(t, k) { if (k !== "toJSON") seen.push(k); return t[k] } }); ` +
			`JSON.parse("[0,0]", function (k, v) { if (k === "0" && this !== list) this[1] = list; return v }); ` +
			`seen.join()`, "length,0,1"},
		{`try { JSON.parse("[0,0]", function (k, v) { if (k === "0") this[1] = this; return v }) } catch (e) { ` +
			`e.name + ": " + e.message }`, "RangeError: Maximum call stack size exceeded"},
		{`["deleteProperty", "defineProperty"].map((trap) => { let n = 0; const refuse = { [trap]: () => false }, ` +
			`fail = { [trap]() { throw new Error(trap) } }; const go = (h) => ` +
			`JSON.parse("[0,0]", function (k, v) { if (k === "0" && n++ === 0) this[1] = new Proxy({ a: 1 }, h); ` +
			`return k === "a" && trap[2] === "l" ? undefined : v }); go(refuse); n = 0; ` +
			`try { go(fail); return "none" } catch (e) { return e.message } }).join()`,
			"deleteProperty,defineProperty"},
		{`Object.is(JSON.parse("-0"), -0) + "," + JSON.parse("12345678901234567890")`, "true,12345678901234567000"},
	} {
		if got := present(t, c.src); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

func TestAsyncBuiltins(t *testing.T) {
	e := newEngine(t)
	v, err := e.eval(t, "a.js", `const out = [];
		Array.fromAsync([1, Promise.resolve(2)], (x) => x * 2).then((x) => out.push("fromAsync " + x));
		Promise.try(() => { throw 7 }).catch((x) => out.push("try " + x));
		const w = Promise.withResolvers(); w.promise.then((x) => out.push("with " + x)); w.resolve(3);
		const s = new AsyncDisposableStack(); s.defer(async () => { out.push("disposed") }); s.disposeAsync();
		out`, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fromAsync 2,4", "try 7", "with 3", "disposed"} {
		if !strings.Contains(v.String(), want) {
			t.Errorf("%q is not among %s", want, v)
		}
	}
}

// eval and the function constructors are refused (RT5).
func TestCodeGeneration(t *testing.T) {
	const want = "EvalError: Code generation from strings disallowed for this context"
	for _, src := range []string{
		`eval("1")`, `(0, eval)("1")`, `new Function("1")`, `Function("1")`, `(async () => {}).constructor("1")`,
		`(function* () {}).constructor("1")`} {
		if got := present(t, src); got != want {
			t.Errorf("%s: %s", src, got)
		}
	}
	if got := present(t, `eval(5)`); got != "5" {
		t.Errorf("eval of a number: %s", got)
	}
}

// TestCaller: only strict functions refuse caller and arguments (ECMA-262, 10.2.4).
func TestCaller(t *testing.T) {
	const source = `function f() { return [f.caller, f.arguments].some((v) => v) }
		function g() { "use strict"; return g.caller }
		let name; try { g() } catch (e) { name = e.name }
		[f(), name].join()`
	v, err := newEngine(t).eval(t, "a.js", source, false)
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != "false,TypeError" {
		t.Error(v)
	}
}

package bounds_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// sorts takes a sum of all pairs that comparison functions see, also those that contradict themselves, and of the
// sorted lists: random ones, sorted and reversed ones, ones with few values, runs, and ones with a disordered end.
const sorts = `
const random = (seed) => () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
let sum = 0, calls = 0;
const mix = (x) => { sum = (Math.imul(sum, 31) + x) | 0; };
const compares = [(a, b) => a - b, (a, b) => (a % 10) - (b % 10), (a, b) => a > b, (a, b) => (a * 7 + b) % 3 - 1,
  () => -0, () => NaN];
for (const size of [0, 1, 2, 3, 15, 64, 65, 300]) {
  for (let shape = 0; shape < 6; shape++) {
    const next = random(size * 7 + shape);
    const value = [() => next() >> 4, (i) => i, (i) => size - i, () => (next() >> 4) % 5,
      (i) => (i % 50) * 3 + (next() >> 6) % 2, (i) => i < size * 0.9 ? i : (next() >> 4) % size][shape];
    for (const compare of compares) {
      const list = Array.from({ length: size }, (_, i) => value(i)), asked = [];
      const copy = list.toSorted((a, b) => { asked.push(a, b); return compare(a, b); });
      list.sort((a, b) => { calls++; mix(a); mix(b); return compare(a, b); });
      copy.forEach(mix);
      asked.forEach(mix);
      list.forEach(mix);
    }
  }
}
sum + " of " + calls;`

// sortsInV8 is what V8 says of sorts.
const sortsInV8 = "1601138018 of 42898"

// The comparison functions see the pairs that V8 shows them, in that order.
func TestSortAsksAsV8Does(t *testing.T) {
	if got := ecmatest.New(t).Eval(sorts); got != sortsInV8 {
		t.Errorf("got %s, want %s", got, sortsInV8)
	}
}

// Elements that the comparison function takes away are back afterwards, undefined ones are last and not compared, and
// an exception leaves the list as it was.
func TestSortOfChangingLists(t *testing.T) {
	ecmatest.Table{
		{`const a = [3, undefined, 1, undefined, 2]; a.sort((a, b) => a - b).join()`, "1,2,3,,"},
		{`const a = [3, 2, 1]; a.sort((x, y) => (a.length = 1, x - y)).join()`, "1,2,3"},
		{`const a = [3, 2, 1]; a.sort((x, y) => (a.push(0), x - y)).join()`, "1,2,3,0,0"},
		{`const a = [3, 2, 1]; try { a.sort(() => { throw 1 }) } catch {} a.join()`, "3,2,1"},
		{`const a = Object.freeze([3, 2, 1]); try { a.sort((x, y) => x - y) } catch (e) { e.name + a.join() }`,
			"TypeError3,2,1"},
		{`const a = [2, 1]; Object.defineProperty(a, 0, { get: () => 5, set(v) { a.got = v } });
			a.sort((x, y) => x - y); a.got + "," + a[1]`, "1,5"},
		{`[2n, 1n].sort((x, y) => x - y).join()`, "TypeError: Cannot convert a BigInt value to a number"},
		{`[2, 1].sort(new Proxy((x, y) => x - y, {})).join()`, "1,2"},
		{`[3, undefined, 1].toSorted((x, y) => x - y).join() + [3, , 1].toSorted((x, y) => x - y).join()`, "1,3,1,3,"},
		{`[2, 1].sort(((x, y) => x - y).bind(null)).join()`, "1,2"},
		{`Object.defineProperty(Object.prototype, 0, { set() {}, configurable: true });
			[, 2, 1].sort((x, y) => x - y).join()`, ",2,"},
		{`try { [].sort.call({ get length() { return "read" } }, null) } catch (e) { e.name }`, "TypeError"},
		{`try { [].toSorted.call({ get length() { throw "read" } }, null) } catch (e) { e.name }`, "TypeError"},
	}.Run(t)
}

func BenchmarkSort(b *testing.B) {
	ecmatest.New(b).Bench(b, `(function () {
		const next = (seed => () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff))(7);
		const all = Array.from({ length: 500 }, () => ({ key: next() % 1000, name: "n" + next() % 100 }));
		return () => all.slice().sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : 1));
	})()`)
}

package gojainternals

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// The head of a map is as large as the runtime of Go makes one, and what a new one has besides its seed is nothing.
func TestHeadsOfMaps(t *testing.T) {
	const many = 1 << 12
	heads := make([]map[unistring.String]goja.Value, many)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range heads {
		heads[i] = map[unistring.String]goja.Value{}
	}
	runtime.ReadMemStats(&after)
	size := uint64(unsafe.Sizeof(slotMap{}))
	if each := (after.TotalAlloc - before.TotalAlloc) / many; each < size || each >= size+16 {
		t.Errorf("a map takes %d bytes, and its head has %d", each, size)
	}
	m := *slotsOf(heads[0])
	if m.seed = 0; m != (slotMap{}) {
		t.Errorf("a new map is %+v", m)
	}
}

// Objects that instructions give names to are made in two pieces: with the head of the map, and the map's slots.
func TestAllocationsOfObjects(t *testing.T) {
	l, rt := layout(t), goja.New()
	ready(t, l, rt)
	v := runQuickened(t, l, rt, `
		function P(i) { this.a = i; this.b = 1; this.c = 2; this.d = 3; }
		const source = { a: 1, get g() { return 1 } }; delete source.g; source.b = 2; source.c = 3;
		({ made: () => { new P(1) }, copied: () => { ({ ...source }) }, rest: () => { const { a, ...b } = source } })`,
		true)
	for name, most := range map[string]float64{"made": 4, "copied": 5, "rest": 9} {
		f, _ := goja.AssertFunction(v.(*goja.Object).Get(name))
		call := func() {
			if _, err := f(goja.Undefined()); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			call()
		}
		if n := testing.AllocsPerRun(100, call); n > most {
			t.Errorf("%s: %v allocations, expected at most %v", name, n, most)
		}
	}
}

// What a map has lost is not kept by the object that it begins in.
func TestMadeMapsGrow(t *testing.T) {
	l, rt := layout(t), goja.New()
	o := l.plainObject(rt)
	b := l.baseOf(o)
	var steps [4 * groupSlots]nameSteps
	for i := range steps {
		name := unistring.String(fmt.Sprint("n", i))
		_ = controlOf(name)
		if !steps[i].add(b, name, l.integer(int64(i))) {
			b.values[name] = l.integer(int64(i))
			b.propNames = steps[i].next(b.propNames, name)
		}
		if len(b.values) != i+1 || len(b.propNames) != i+1 || b.values[name] != l.integer(int64(i)) {
			t.Fatalf("after %d names there are %d, %v", i+1, len(b.values), b.propNames)
		}
	}
	for i := range steps {
		if err := o.Delete(fmt.Sprint("n", i)); err != nil {
			t.Fatal(err)
		}
	}
	if steps[0].add(b, "n0", goja.Null()) || len(b.values) != 0 {
		t.Error("a map that was emptied, and has another seed, took a name")
	}
}

// Random programs about objects that grow, shrink, are copied and guarded give what they give in goja.
func TestRandomObjectsThatGrow(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var sources []string
	for range 40 {
		sources = append(sources, growing(random))
	}
	showSame(t, sources)
}

// growing is a program of functions that are called with objects that other ones have made.
func growing(random *rand.Rand) string {
	names := strings.Fields("a b c d e f g h i j k l")
	name := func() string { return names[random.IntN(len(names))] }
	list := func(most int, one func(i int) string, between string) string {
		var parts []string
		for i := range random.IntN(most + 1) {
			parts = append(parts, one(i))
		}
		return strings.Join(parts, between)
	}
	var b strings.Builder
	b.WriteString(`"use strict"; const r = [], o = [], up = { set k(v) { r.push("k" + v) }, get l() { return "l" },
		j: 1 };
		const t = (f, x, y) => { try { const v = f(x, y); if (v && typeof v === "object") o.push(v) }
			catch (e) { r.push(e.name) } };
		const show = (x) => { const each = []; for (const n in x) each.push(n, String(x[n])); r.push(each.join(),
			Reflect.ownKeys(x).map((n) => { const d = Object.getOwnPropertyDescriptor(x, n);
				return [n, d.writable, d.enumerable, d.configurable, "value" in d ? typeof d.value : "get"].join(":")
			}).join(), JSON.stringify(x), Object.keys(x).length, Object.entries(x).join()) };
		`)
	properties := func() string {
		return list(10, func(i int) string {
			switch random.IntN(16) {
			case 0:
				return "..." + "(x ?? {})"
			case 1:
				return fmt.Sprintf("%d: %d", random.IntN(3), i)
			case 2:
				return fmt.Sprintf("get m() { return %d }", i) // goja keeps what is assigned to some accessors
			case 3:
				return fmt.Sprintf("[%q + '']: %d", name(), i)
			case 4:
				return "__proto__: up"
			}
			return fmt.Sprintf("%s: %d", name(), i)
		}, ", ")
	}
	assignments := func(of string) string {
		return list(12, func(i int) string {
			if random.IntN(8) == 0 {
				return fmt.Sprintf("if (%s.%s) %s.%s = %d", of, name(), of, name(), i)
			}
			return fmt.Sprintf("%s.%s = %d", of, name(), i)
		}, "; ")
	}
	count := 12 + random.IntN(8)
	for i := range count {
		fmt.Fprintf(&b, "const f%d = ", i)
		switch random.IntN(12) {
		case 0, 1:
			object := properties()
			if strings.Count(object, "__proto__") > 1 {
				object = "a: 1"
			}
			fmt.Fprintf(&b, "(x) => ({ %s });\n", object)
		case 2:
			fmt.Fprintf(&b, "(() => { class A { %s constructor() { %s } }; return () => new A })();\n",
				list(4, func(i int) string { return fmt.Sprintf("%s = %d;", name(), i) }, " "), assignments("this"))
		case 3:
			fmt.Fprintf(&b, "(() => { function A() { %s } A.prototype.%s = 1; return () => new A })();\n",
				assignments("this"), name())
		case 4:
			fmt.Fprintf(&b, "(x) => { const { %s, ...rest } = x; %s; return rest };\n",
				name()+": p", assignments("rest"))
		case 5:
			fmt.Fprintf(&b, "(x) => { const y = {}; %s; return y };\n", assignments("y"))
		case 6:
			fmt.Fprintf(&b, "(x) => { delete x.%s; delete x.%s; %s };\n", name(), name(), assignments("x"))
		case 7:
			fmt.Fprintf(&b, "(x) => { for (const n of Object.keys(x)) delete x[n]; %s };\n", assignments("x"))
		case 8:
			fmt.Fprintf(&b, "(x) => { Object.defineProperty(x, %q, { %s: %v, configurable: %v }) };\n", name(),
				[]string{"value", "enumerable", "writable"}[random.IntN(3)], random.IntN(2) == 0, random.IntN(2) == 0)
		case 9:
			fmt.Fprintf(&b, "(x) => { Object.%s(x) };\n",
				[]string{"freeze", "seal", "preventExtensions", "isFrozen"}[random.IntN(4)])
		case 10:
			fmt.Fprintf(&b, "(x, y) => { Object.assign(x, y); %s };\n", assignments("x"))
		default:
			fmt.Fprintf(&b, "(x, y) => { if (y !== x) %s; %s };\n", []string{"Object.setPrototypeOf(x, up)",
				"up." + name() + " = 1", "delete up." + name(), "x[1] = x[0] = 2"}[random.IntN(4)], assignments("x"))
		}
	}
	b.WriteString("for (let i = 0; i < 3; i++) t(() => ({ a: i, b: 1, c: 2 }));\n")
	for i := range 60 {
		fmt.Fprintf(&b, "t(f%d, o[%d %% o.length], o[%d %% o.length]);\n",
			random.IntN(count), random.IntN(40), random.IntN(40))
		if i%10 == 9 {
			b.WriteString("o.slice(-12).forEach(show);\n")
		}
	}
	b.WriteString("o.forEach(show); r")
	return b.String()
}

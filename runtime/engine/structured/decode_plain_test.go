package structured_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// Objects that are made with the names of the one before are what they would be alone, whatever comes after what.
func TestDecodeAfterOthers(t *testing.T) {
	lines, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	exprs := []string{`[{ a: 1, b: 2 }, { a: 3, b: 4 }, { a: 5, b: 6 }, { a: 7 }, { b: 8, a: 9 }, { a: 1, b: 2, c: 3 },
		{ a: { b: 1 } }, {}, { "ä": 1 }, { a: 1, "ä": 2, b: 3 }, { a: 1, 5: 2 }, { ["__proto__"]: 1 }, { a: 1, b: 2 }]`,
		`(() => { const list = [1, 2, 3, 4, 5].map((i) => ({ id: i, self: null, name: "n" }));
			for (const o of list) o.self = o; list[4].self = list; return list })()`,
		`[1, 2, 3, 4, 5, 6].map((i) => ({ a: i, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1 }))`,
		`[1, 2, 3, 4, 5, 6].map((i) => ({ x: [{ x: i }, { x: [i] }] }))`}
	for line := range strings.Lines(string(lines)) {
		expr, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exprs = append(exprs, expr)
	}
	const look = `((v) => { const seen = new Map; const show = (v) => { if (typeof v !== "object" || !v)
		return String(v) +
		typeof v; if (seen.has(v)) return "#" + seen.get(v); seen.set(v, seen.size); v.extra = 1; delete v.extra;
		return Object.prototype.toString.call(v) + (Object.getPrototypeOf(v) === Object.prototype) + v.length +
		Reflect.ownKeys(v).map((k) => String(k) + JSON.stringify(Object.getOwnPropertyDescriptor(v, k), (k, x) =>
		typeof x === "object" && k ? "o" : x) + show(v[k])) }; return show(v) })`
	shared, sharedCodec := newCodec(t)
	for range 3 {
		for _, expr := range exprs {
			alone, codec := newCodec(t)
			show := func(vm *goja.Runtime, c *structured.Codec) string {
				data, err := c.Encode(eval(t, vm, expr), structured.EncodeOptions{})
				if err != nil {
					t.Fatalf("%s: %v", expr, err)
				}
				v, err := c.Decode(data.Data, structured.DecodeOptions{})
				if err != nil {
					t.Fatalf("%s: %v", expr, err)
				}
				f, _ := goja.AssertFunction(eval(t, vm, look))
				out, err := f(goja.Undefined(), v)
				if err != nil {
					t.Fatalf("%s: %v", expr, err)
				}
				return out.String()
			}
			want, err := alone.RunString("(" + look + ")((" + expr + "))")
			if err != nil {
				t.Fatal(err)
			}
			first := show(alone, codec)
			if got := show(shared, sharedCodec); got != first {
				t.Errorf("%s\n got %s\nwant %s", expr, got, first)
			}
			if plain := !strings.Contains(expr, "get ") && !strings.Contains(expr, "class") &&
				!strings.Contains(expr, "Object."); plain && first != want.String() {
				t.Errorf("%s\n got %s\nwant %s", expr, first, want)
			}
		}
	}
}

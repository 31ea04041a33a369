package structured_test

import (
	"testing"

	"eddy/runtime/engine/structured"
)

// What is decoded is what scripts would have made: properties in order, under any name, arrays with and without holes
// and longer than what is made ahead, and objects that scripts change afterwards.
func TestDecodedObjects(t *testing.T) {
	for _, test := range []struct{ made, seen, want string }{
		{`({ b: 1, a: 2, 10: "x", 2: "y", "": 0, "é": 3 })`, `Object.entries(v).join(";")`, "2,y;10,x;b,1;a,2;,0;é,3"},
		{`JSON.parse('{"__proto__": 1, "constructor": 2}')`,
			`[Object.keys(v), v.__proto__, v instanceof Object].join(";")`,
			"__proto__,constructor;1;true"},
		{`[{ a: 1, b: 2 }, { a: 3, b: 4 }, { b: 5 }]`, `v[0].a = 9, v[1].c = 7, delete v[1].a, JSON.stringify(v)`,
			`[{"a":9,"b":2},{"b":4,"c":7},{"b":5}]`},
		{`({ a: 1 })`, `Object.freeze(v), v.a = 2, JSON.stringify(Object.getOwnPropertyDescriptor(v, "a"))`,
			`{"value":1,"writable":false,"enumerable":true,"configurable":false}`},
		{`(() => { const a = [1, 2]; a.push(a, { a }); return a })()`,
			`v.push(5), [v.length, v[2] === v, v[3].a === v, v.map((x) => typeof x)].join(";")`,
			"5;true;true;number,number,object,object,number"},
		{`[]`, `v.push(1, 2), v.length + ";" + v`, "2;1,2"},
		{`(() => { const a = [1, 2, 3]; a.name = "x"; return a })()`, `v.name + v.length + Object.keys(v)`,
			"x30,1,2,name"},
		{`[1, , 3, undefined]`, `[1 in v, 3 in v, v.length, v[2]].join(";")`, "false;true;4;3"},
		{`Array.from({ length: 5000 }, (_, i) => i)`, `v.length + ";" + v[4999] + ";" + v.reduce((a, b) => a + b)`,
			"5000;4999;12497500"},
	} {
		vm, c := newCodec(t)
		b, err := c.Encode(eval(t, vm, test.made), structured.EncodeOptions{})
		if err != nil {
			t.Fatalf("%s: %v", test.made, err)
		}
		v, err := c.Decode(b.Data, structured.DecodeOptions{})
		if err != nil {
			t.Fatalf("%s: %v", test.made, err)
		}
		if err := vm.Set("v", v); err != nil {
			t.Fatal(err)
		}
		if got := eval(t, vm, test.seen).String(); got != test.want {
			t.Errorf("%s: %s: got %s, want %s", test.made, test.seen, got, test.want)
		}
	}
}

// Holes of an array that V8 has written densely, before and behind elements.
func TestDecodedHoles(t *testing.T) {
	vm, c := newCodec(t)
	// [ , 1, , 2] as V8 writes it: version 15, a dense array of four with two holes.
	v, err := c.Decode([]byte{0xff, 0x0f, 'A', 4, '-', 'I', 2, '-', 'I', 4, '$', 0, 4}, structured.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := vm.Set("v", v); err != nil {
		t.Fatal(err)
	}
	if got := eval(t, vm, `[Object.keys(v), v.length, v.indexOf(2)].join(";")`).String(); got != "1,3;4;3" {
		t.Error(got)
	}
}

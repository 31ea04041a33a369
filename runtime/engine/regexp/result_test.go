package regexp_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// What exec and match return is an array of its own, with V8's properties in V8's order.
func TestMatchArrays(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`const m = /(?<!z)a(b)?(c)/.exec("xac"); JSON.stringify([Object.getOwnPropertyNames(m),
			Object.keys(m), m.length, m.index, m.input, m.groups, [...m]])`,
			`[["0","1","2","length","index","input","groups"],["0","1","2","index","input","groups"],` +
				`3,1,"xac",null,["ac",null,"c"]]`},
		{`const m = /(?<y>\d+)-(?<m>\d+)/.exec("on 2024-05"); JSON.stringify([m.groups.y,
			m.groups.m, Object.getPrototypeOf(m.groups), m[0]])`,
			`["2024","05",null,"2024-05"]`},
		{`const m = /(?<!z)a/.exec("a"); m.push("z"); m.index = 7; m.more = 1;
			delete m.input; JSON.stringify([m, Object.keys(m), m.index, "input" in m,
			m.length])`,
			`[["a","z"],["0","1","index","groups","more"],7,false,2]`},
		{`const m = /(?<!z)(.)(.)/.exec("ab"), n = /(?<!z)(.)/.exec("c");
			m.index = 9; m.extra = 1; JSON.stringify([n.index, n.extra, Object.keys(n),
			JSON.stringify([m, n])])`,
			`[0,null,["0","1","index","input","groups"],"[[\"ab\",\"a\",\"b\"],[\"c\",\"c\"]]"]`},
		{`"use strict"; const m = Object.freeze(/(?<!z)a(.)/.exec("ab"));
			let r; try { m.push(1) } catch (e) { r = e.name } JSON.stringify([r,
			m, Object.isFrozen(m)])`,
			`["TypeError",["ab","b"],true]`},
		{`const m = /(?<!z)b/.exec("abc"); m.length = 0; JSON.stringify([m,
			m.index, m.input, Array.isArray(m), m instanceof Array, m.concat([1])])`,
			`[[],1,"abc",true,true,[1]]`},
		{`JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(/(?<!z)b/.exec("abc")))
			.filter(([k]) => k !== "length").map(([k,
			d]) => [k, d.value, d.writable, d.enumerable, d.configurable]))`,
			`[["0","b",true,true,true],["index",1,true,true,true],["input","abc",true,true,true],["groups",` +
				`null,true,true,true]]`},
		{`const m = /\u00f6(.)?/.exec("xö"); JSON.stringify([m, m.index,
			m[1], [.../(ä)|(b)/.exec("b")]])`,
			`[["ö",null],1,null,["b",null,"b"]]`},
		{`const { index, input, groups, ...rest } = /(?<!z)c/.exec("abc");
			JSON.stringify([index, input, groups, rest])`,
			`[2,"abc",null,{"0":"c"}]`},
		{`const m = /(?<!z)(a)(b)?/.exec("a"), r = []; for (const k in m) r.push(k);
			JSON.stringify(r.concat(m.map(String), m.slice(1), structuredLike(m)));
			function structuredLike(x) { return Object.assign([], x).index }`,
			`["0","1","2","index","input","groups","a","a","undefined","a",null,0]`},
		{`const m = "a1b2".match(/(?<!z)\d/); JSON.stringify([m, m.index,
			m.input, "a1b2".match(/\d/g), [..."a1b2".matchAll(/\d/g)].map((m) => m.index)])`,
			`[["1"],1,"a1b2",["1","2"],[1,3]]`},
	} {
		r := ecmatest.New(t)
		if got := r.Eval(c.source); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

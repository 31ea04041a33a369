package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// index compiles a script and gives what is kept of it.
func index(t *testing.T, src string) *Index {
	t.Helper()
	tree, err := goja.Parse("index.js", src, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compile(src, tree, true, nil); err != nil {
		t.Fatal(err)
	}
	x := IndexOf(tree.File)
	if x == nil {
		t.Fatal("a compiled file has no index")
	}
	return x
}

// at is the offset of the only place of a text.
func at(t *testing.T, src, text string) int {
	t.Helper()
	if strings.Count(src, text) != 1 {
		t.Fatalf("%q stands %d times in %q", text, strings.Count(src, text), src)
	}
	return strings.Index(src, text)
}

// An operation is found at the offset that goja reports for it, and knows the text of its operand.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		src, before string // the site is at the end of before
		kind        Kind
		want        string
	}{
		{"a.b.c(1)", "a.b.c", Call, "a.b.c"},
		{"tag`x`", "tag", Call, "tag"},
		{"new X.Y(1)", "", New, "X.Y"},
		{"for (const x of list.of) {}", "for (const x of list.", Iterate, "list.of"},
		{"const { p } = source", "const { p } = ", Destructure, "source p"},
		{"const { p: { q } } = source", "const { p: { q } } = ", Destructure, "source p {p q}"},
		{"const [ p ] = source", "const [ p ] = ", Elements, "source plain"},
		{"const [ p ] = f()", "const [ p ] = f", Elements, "f()"},
	} {
		x := index(t, c.src)
		s := x.Find(len(c.before), c.kind)
		if s == nil {
			t.Errorf("%s: nothing of kind %d at %d", c.src, c.kind, len(c.before))
			continue
		}
		got := x.Source[s.Start:s.End]
		if s.Prop != "" {
			got += " " + s.Prop
		}
		for _, n := range s.Inner {
			got += fmt.Sprint(" ", n)
		}
		if s.Plain {
			got += " plain"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.src, got, c.want)
		}
		if c.kind != Extends && x.Find(len(c.before), Extends) != nil {
			t.Errorf("%s: a class at %d", c.src, len(c.before))
		}
	}
}

// The innermost function around a place has the name that V8 shows.
func TestEnclosing(t *testing.T) {
	for src, want := range map[string]string{
		"function f() { here }":                      "f",
		"const f = () => { here }":                   "f",
		"const o = { m() { here } }":                 "Object.m",
		"const o = { m: () => here }":                "Object.m",
		"o.m = function () { here }":                 "o.m",
		"class A { m() { here } }":                   "A.m",
		"class A { static m() { here } }":            "A.m",
		"class A { get m() { here } }":               "get m",
		"class A { #m() { here } }":                  "#m",
		"class A { constructor() { here } }":         "new A",
		"const A = class { constructor() { here } }": "new A",
		"function f() {} here":                       "nothing",
		"function f() { function g() { here } }":     "g",
		"async function f() { here }":                "async f",
	} {
		x := index(t, src)
		got := "nothing"
		if s := x.Enclosing(at(t, src, "here")); s != nil {
			got = s.Name
			if s.Constructs {
				got = "new " + got
			}
			if s.Async {
				got = "async " + got
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// Lines and columns count from 1, columns in UTF-16 units.
func TestPosition(t *testing.T) {
	src := "a\n/* é漢😀 */ b\n\nc"
	x := index(t, src)
	for text, want := range map[string]string{"a": "1:1", "b": "2:12", "c": "4:1"} {
		line, col := x.Position(at(t, src, text))
		if got := fmt.Sprintf("%d:%d", line, col); got != want {
			t.Errorf("%s stands at %s, want %s", text, got, want)
		}
	}
	if line, col := x.Position(1 << 20); line != 4 || col != 2 {
		t.Errorf("a place behind the end is %d:%d", line, col)
	}
}

// Private methods are known with their class, and an index that there is none of answers nothing.
func TestIndexOfOthers(t *testing.T) {
	x := index(t, "class A { #m() {} n() {} }")
	if len(x.PrivateMethods) != 1 || x.PrivateMethods["m"] != "A" {
		t.Errorf("private methods %v", x.PrivateMethods)
	}
	none := IndexOf(nil)
	if none != nil || none.Find(0, Call) != nil || none.Enclosing(0) != nil || none.Literal(0, "x", Call) != nil {
		t.Error("an index that is not there answers")
	}
}

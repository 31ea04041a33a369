package syntax

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"github.com/dop251/goja/parser"
)

// script is one function with statements of most kinds.
//
//go:embed testdata/parts.js
var script string

// TestPartsAreTheWhole cuts a script at every line that begins with var, and at several.
func TestPartsAreTheWhole(t *testing.T) {
	want, err := parser.ParseFile(nil, "a.js", script, 0, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for at := strings.Index(script, boundary); at >= 0; {
		all = append(all, at)
		next := strings.Index(script[at+1:], boundary)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	list := [][]int{all}
	for i, at := range all {
		list = append(list, []int{at})
		if i > 0 {
			list = append(list, all[i-1:i+1], all[:i+1])
		}
	}
	for _, at := range list {
		got := inParts("a.js", script, at)
		if got == nil {
			t.Errorf("not read in parts at %d", at)
			continue
		}
		if f, g := got.File, want.File; f.Name() != g.Name() || f.Source() != g.Source() || f.Base() != g.Base() {
			t.Errorf("cut at %d: another file", at)
		}
		if !reflect.DeepEqual(got.Body, want.Body) || !reflect.DeepEqual(got.DeclarationList, want.DeclarationList) {
			t.Errorf("cut at %d: another tree", at)
		}
	}
	if len(all) < 8 {
		t.Errorf("%d places to cut", len(all))
	}
}

// TestWhatHasNoParts is read as a whole: the last line that begins with var is no place to cut.
func TestWhatHasNoParts(t *testing.T) {
	for _, source := range []string{
		"(function () {\nvar a = `\nvar b`\n})",
		"(function () {\nvar a = 1; /*\nvar b */\n})",
		"(function () { a(function () {\nvar b\n}) })",
		"(function () { if (a)\nvar b\n})",
		"(function () { a(\nvar b) })",
		"(function () { for (\nvar b of a);\n})",
		"(function () { a:\nvar b\n})",
		"(function () { class A {\nvar \n} })",
		"(function () { a = {\nvar : 1 } })",
		"(function () { a = b +\nvar c\n})",
		"(function ({ a }) {\nvar b\n})",
		"(function () {\nvar b\n})()",
		"(() => {\nvar b\n})",
		"a = {}\nvar b",
		"(class { a() {\nvar b\n} })",
	} {
		if inParts("a.js", source, []int{strings.LastIndex(source, boundary)}) != nil {
			t.Errorf("read in parts: %q", source)
		}
	}
}

// TestLongScript is read in parts by Parse, and gives the same tree and the same errors.
func TestLongScript(t *testing.T) {
	begin, end, _ := strings.Cut(script, "\nvar f")
	const more = "\nvar more = function () { return [1, `2`, /3/] }"
	long := begin + strings.Repeat(more, 8*partLength/len(more)) + "\nvar f" + end
	where := cuts(long, 3)
	if len(where) != 2 || inParts("a.js", long, where) == nil {
		t.Fatalf("cut at %d", where)
	}
	for _, source := range []string{long, strings.Replace(long, "/3/] }\nvar more", "/3/ }\nvar more", 1),
		long[:len(long)-2] + "var 1 })"} {
		want, wanted := parser.ParseFile(nil, "a.js", source, 0, parser.WithDisableSourceMaps)
		got, err := Parse("a.js", source)
		if (err == nil) != (wanted == nil) || err != nil && err.Error() != wanted.Error() {
			t.Errorf("got %v, want %v", err, wanted)
		}
		if err == nil && !reflect.DeepEqual(got.Body, want.Body) {
			t.Error("another tree")
		}
	}
}

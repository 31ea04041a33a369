package kernel_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/kernel"
	"eddy/runtime/engine/script"
)

// TestExplain: a loop that is no kernel says what it is that no kernel has, and where.
func TestExplain(t *testing.T) {
	var lines []string
	kernel.Explain = func(line string) { lines = append(lines, line) }
	t.Cleanup(func() { kernel.Explain = nil })
	src := "function f(a, b) {\n  for (const x of a) b(x);\n  for (let i = 0; i < 9; i++) a[i] = g(i);\n" +
		"  for (let i = 0; i < 9; i++) a[i] = i;\n}\nfunction g(i) {\n  return typeof i;\n}"
	tree, err := parser.ParseFile(nil, "a.js", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := script.Compile(src, tree, true, nil); err != nil {
		t.Fatal(err)
	}
	want := "kernel: 3:3 has no kernel: 7:10 is none's: typeof i;"
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("%s\nexpected %s", strings.Join(lines, "\n"), want)
	}
}

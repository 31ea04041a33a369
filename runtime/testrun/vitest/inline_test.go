package vitest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInline: an inline snapshot is written into its call, indented one step more than the call's line (TEST-114).
func TestInline(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		line, column        int
		text                string
	}{
		{"empty", "  expect(1).toMatchInlineSnapshot();\n", "  expect(1).toMatchInlineSnapshot(`1`);\n", 1, 13, "1"},
		{"replaced", "expect(1).toMatchInlineSnapshot(`2`);\n", "expect(1).toMatchInlineSnapshot(`1`);\n", 1, 11, "1"},
		{"string", "expect(1).toMatchInlineSnapshot(\"2\");\n", "expect(1).toMatchInlineSnapshot(`1`);\n", 1, 11, "1"},
		{"lines", "\n  expect(x).toMatchInlineSnapshot();\n",
			"\n  expect(x).toMatchInlineSnapshot(`\n    {\n      \"a\": 1,\n    }\n  `);\n", 2, 13,
			"\n{\n  \"a\": 1,\n}\n"},
		{"tabs", "\texpect(x).toMatchInlineSnapshot();\n", "\texpect(x).toMatchInlineSnapshot(`\n\t\t[\n\t\t]\n\t`);\n",
			1, 12,
			"\n[\n]\n"},
		{"properties", "expect(x).toMatchInlineSnapshot({ id: expect.any(Number) });\n",
			"expect(x).toMatchInlineSnapshot({ id: expect.any(Number) }, `y`);\n", 1, 11, "y"},
		{"properties and old", "expect(x).toMatchInlineSnapshot({ s: \"}\" }, `z`);\n",
			"expect(x).toMatchInlineSnapshot({ s: \"}\" }, `y`);\n", 1, 11, "y"},
		{"escapes", "expect(x).toMatchInlineSnapshot();\n", "expect(x).toMatchInlineSnapshot(`\\`\\${a}\\\\`);\n", 1,
			11, "`${a}\\"},
		{"beyond ASCII", "it('é😀', () => expect(x).toMatchInlineSnapshot());\n",
			"it('é😀', () => expect(x).toMatchInlineSnapshot(`1`));\n", 1, 27, "1"},
		{"error", "expect(f).toThrowErrorMatchingInlineSnapshot();\n",
			"expect(f).toThrowErrorMatchingInlineSnapshot(`[Error: x]`);\n", 1, 11, "[Error: x]"},
	} {
		file := filepath.Join(t.TempDir(), "a.test.ts")
		if err := os.WriteFile(file, []byte(c.before), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := writeInline(file, []inlineSnapshot{{file, c.line, c.column, c.text}}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.after)
		}
	}
}

package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sources that nest too deep are refused by name of file and line before a parser overflows, however they do it. Those
// that are only long are not.
func TestTooDeep(t *testing.T) {
	again := strings.Repeat
	for _, c := range []struct{ text, want string }{
		{again("(", 1e5) + "1" + again(")", 1e5), "Brackets nest more than 5000 deep"},
		{again("[", 1e6) + again("]", 1e6), "Brackets nest more than 5000 deep"},
		{again("{a:", 1e5) + "1" + again("}", 1e5), "Brackets nest more than 5000 deep"},
		{again("()=>{return ", 1e5) + "1" + again("}", 1e5), "Brackets nest more than 5000 deep"},
		{again("`${", 1e5) + "1" + again("}`", 1e5), "Brackets nest more than 5000 deep"},
		{again(`(")"+`, 1e5) + "1" + again(")", 1e5), "Brackets nest more than 5000 deep"},
		{again("(/'/,", 1e5) + "1" + again(")", 1e5), "Brackets nest more than 5000 deep"},
		{"a" + again(".b.c", 1e5), "An expression of more than 20000 parts"},
		{"a" + again("+b", 25e6), "An expression of more than 20000 parts"},
		{again("!", 1e5) + "a", "An expression of more than 20000 parts"},
		{again("a?b:", 1e5) + "c", "An expression of more than 20000 parts"},
		{"f(a" + again(",b", 1e5) + ")", "More than 20000 parts stand between these parentheses"},
		{"0;" + again("if(a);else ", 1e5) + ";", "A block has more than 5000 branches of else"},
		{again("a=>", 1e5) + "1", "More than 500 arrow functions return each other"},
		{"[" + again("1,", 1e6) + "]", ""},
		{"0;" + again("f(a.b[c], `x${d}`);\n", 1e5), ""},
		{"`" + again("<a href=b> ", 1e5) + "`", ""},
		{`"` + again("([{ ", 1000) + again("x+y ", 1e5) + `"`, ""},
		{"0; /* " + again("it's (", 1000) + " */", ""},
		{"0;" + again("if (a) { b } else { c }\n", 4000), ""},
	} {
		offset, got := tooDeep([]byte(c.text))
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%.30s…: %q at %d, instead of %q", c.text, got, offset, c.want)
		}
	}
}

// A build names what is too deep, as other mistakes, and the next build takes the file when it is mended.
func TestTooDeepBuild(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry := filepath.Join(dir, "index.js")
	write("index.js", `import x from "./deep.json"; export default { fetch() { return x } }`)
	write("deep.json", "\n"+strings.Repeat("[", 1e6)+strings.Repeat("]", 1e6))
	b, err := New(Options{Entry: entry, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = b.Build()
	var failed *BuildError
	if !errors.As(err, &failed) || len(failed.Messages) != 1 || filepath.Base(failed.Messages[0].File) != "deep.json" ||
		failed.Messages[0].Line != 2 || !strings.HasPrefix(failed.Messages[0].Text,
		"Brackets nest more than 5000 deep") {
		t.Errorf("%v", err)
	}
	write("deep.json", strings.Repeat("[", 4000)+strings.Repeat("]", 4000))
	if _, err := b.Build(); err != nil {
		t.Error(err)
	}
}

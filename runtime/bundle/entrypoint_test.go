package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEntrypoint(t *testing.T) {
	for _, c := range []struct {
		file, text, format, exports string
	}{
		{"w.ts", "export class A {}\nexport interface B {}\nexport default {}", "modules", "A default"},
		{"w.js", "import './gone.js';\nexport * from './gone.js';\nexport class A {}", "modules", "A"},
		{"w.js", "addEventListener('fetch', () => {})", "service-worker", ""},
		{"w.js", "self.addEventListener('fetch', () => {});\nexport class A {}", "service-worker", "A"},
		{"w.js", "const local = () => <b>jsx</b>; export { local as default };", "modules", "default"},
		{"w.py", "def on_fetch(): pass", "modules", ""},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, c.file)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		format, exports, err := Entrypoint(file, dir, "")
		slices.Sort(exports)
		if err != nil || string(format) != c.format || strings.Join(exports, " ") != c.exports {
			t.Errorf("%s: %s %q %v", c.text, format, exports, err)
		}
	}
	dir := t.TempDir()
	var failure *BuildError
	if _, _, err := Entrypoint(filepath.Join(dir, "none.ts"), dir, ""); !errors.As(err, &failure) {
		t.Errorf("a file that is not there: %v", err)
	}
}

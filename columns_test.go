package eddy

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is how long a line of code may be, with a tab as wide as four.
const columns = 120

// TestLinesEnd holds Go files to it, and the JavaScript that is built in.
func TestLinesEnd(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if name == "node_modules" || name == "testdata" || len(name) > 1 && name[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".js" || filepath.Base(path) == "idiomorph-0.8.0.js" { // somebody else's, as it came
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, len(text)+1)
		for n := 1; lines.Scan(); n++ {
			line := lines.Text()
			if w := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); w > columns {
				t.Errorf("%s:%d has %d columns", path, n, w)
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

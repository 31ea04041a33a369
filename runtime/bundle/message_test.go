package bundle

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildErrorRendering checks that all errors come at once, each with its frame.
func TestBuildErrorRendering(t *testing.T) {
	dir := project(t, map[string]string{
		"index.ts": "import { a } from './a';\nimport x from 'no-such-package';\n\tconst y = ;\nexport default a + x " +
			"+ y;\n",
		"a.ts": "export const b = 1;\n",
	})
	_, err := Build(Options{Dir: dir, Entry: "index.ts"})
	var failure *BuildError
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	// A syntax error hides what would be found later; the rest comes when it is mended.
	got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	want := strings.Join([]string{
		`Build failed with 1 error:`,
		`index.ts:3:12: Unexpected ";"`,
		`     3 | 	const y = ;`,
		`       | 	          ^`,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	write(t, filepath.Join(dir, "index.ts"),
		"import { a } from './c';\nimport x from '@no-such/package/sub/path';\nexport default a + x;\n")
	_, err = Build(Options{Dir: dir, Entry: "index.ts"})
	got = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	want = strings.Join([]string{
		`Build failed with 2 errors:`,
		`index.ts:1:19: Could not resolve "./c"`,
		`     1 | import { a } from './c';`,
		`       |                   ~~~~~`,
		``,
		`index.ts:2:15: Could not resolve "@no-such/package/sub/path"`,
		`     2 | import x from '@no-such/package/sub/path';`,
		`       |               ~~~~~~~~~~~~~~~~~~~~~~~~~~~`,
		`  note: Install "@no-such/package" with your package manager, or map it to another module with alias in the ` +
			`configuration.`,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderLongLine(t *testing.T) {
	m := BuildMessage{File: "/a.js", Line: 1, Column: 5001, Length: 3,
		LineText: strings.Repeat("x", 5000) + "bad" + strings.Repeat("é", 5000), Text: "wrong"}
	lines := strings.Split(m.Render(), "\n")
	if len(lines[1]) > maxFrame+20 {
		t.Errorf("the frame has %d bytes", len(lines[1]))
	}
	if at := strings.Index(lines[1], "bad"); at < 0 || strings.Index(lines[2], "~~~") != at {
		t.Errorf("marker at %d, text at %d", strings.Index(lines[2], "~~~"), at)
	}
}

func TestWarnings(t *testing.T) {
	b := build(t, map[string]string{"index.js": "const x = 1;\nexport default typeof x === 'nmuber';\n"})
	if len(b.Warnings) != 1 || b.Warnings[0].Line != 2 || filepath.Base(b.Warnings[0].File) != "index.js" {
		t.Errorf("got %+v", b.Warnings)
	}
}

func TestEntryMissing(t *testing.T) {
	_, err := Build(Options{Dir: t.TempDir(), Entry: "src/index.ts"})
	var failure *BuildError
	if !errors.As(err, &failure) || !strings.HasPrefix(failure.Messages[0].Text, "The entry file can't be read") {
		t.Errorf("got %v", err)
	}
}

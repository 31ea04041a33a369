package vitest

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestSnapshotFile: the form of a file of snapshots (TEST-112, TEST-113): its head, the order by numbers, the escapes.
func TestSnapshotFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "__snapshots__", "a.test.ts.snap")
	entries := map[string]string{
		"a > b 10": `"ten"`, "a > b 2": "\n{\n  \"x\": 1,\n}\n", "back`tick 1": "`${x}` \\n",
	}
	if err := WriteSnapshots(file, entries); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n" +
		"\nexports[`a > b 2`] = `\n{\n  \"x\": 1,\n}\n`;\n" +
		"\nexports[`a > b 10`] = `\"ten\"`;\n" +
		"\nexports[`back\\`tick 1`] = `\\`\\${x}\\` \\\\n`;\n"
	if string(data) != want {
		t.Errorf("file:\n%s\nwant:\n%s", data, want)
	}
	got, err := ReadSnapshots(file)
	if err != nil || !maps.Equal(got, entries) {
		t.Errorf("read %v, %v", got, err)
	}
	if err := os.WriteFile(file, []byte("// head\n\nexports[`a`] = 5;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSnapshots(file); err == nil || err.Error() != file+
		":3: expected exports[`name`] = `value`; run with "+
		"-u to write the file anew" {
		t.Errorf("error %v", err)
	}
}

// FuzzSnapshotFile: whatever is in the file, it is read or refused, and what was read is written and read again.
func FuzzSnapshotFile(f *testing.F) {
	f.Add("exports[`a`] = `b`;\n")
	f.Add("exports[`a\\`] = `${`;")
	f.Fuzz(func(t *testing.T, text string) {
		entries, _, ok := parseSnapshots(text)
		if !ok || len(entries) == 0 {
			return
		}
		file := filepath.Join(t.TempDir(), "a.snap")
		if err := WriteSnapshots(file, entries); err != nil {
			t.Fatal(err)
		}
		again, err := ReadSnapshots(file)
		if err != nil || !maps.Equal(again, entries) {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
	})
}

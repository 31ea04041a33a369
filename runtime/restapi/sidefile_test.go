package restapi

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzSideFile: any file is refused or read, and what was read is written and read again.
func FuzzSideFile(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"subscriptions":[{"id":"a","name":"n","enabled":true}],"jurisdictions":{"q":"eu"},` +
			`"purges":{"q":"2026-04-01T00:00:00Z"}}`, `{"version":2}`, `null`, `{}`, "",
		`{"version":1,"purges":{"q":"9999-99-99T00:00:00Z"}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "control.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openSideFile(path)
		if err != nil {
			return
		}
		if err := s.change(func(d *sideData) error { return nil }); err != nil {
			t.Fatalf("%q cannot be written again: %v", text, err)
		}
		if _, err := openSideFile(path); err != nil {
			t.Fatalf("%q is written as what does not read: %v", text, err)
		}
	})
}

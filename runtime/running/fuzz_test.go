package running

import (
	"os"
	"path/filepath"
	"testing"

	"eddy/runtime/statedir"
)

// FuzzRunningFile: any running file, or file of the registry, is read, or is none.
func FuzzRunningFile(f *testing.F) {
	f.Add([]byte(`{"pid":1,"url":"http://localhost:1","state":"/s","started":"2026-04-01T00:00:00Z","token":"t"}`))
	f.Add([]byte(`{"pid":-1,"url":"::"}`))
	f.Add([]byte(`null`))
	f.Add([]byte(``))
	state := statedir.Dir(f.TempDir())
	if err := os.MkdirAll(filepath.Dir(state.Running()), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(state.Running(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := readRunning(string(state)); err == nil {
			_, _ = Dial(s.URL, "")
			patience(s.PID)
		}
		readRegistered(state.Running())
	})
}

package logstore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"eddy/queues/logstore"
)

// What is in the log is nobody else's to read, and a link put in the place of a segment is not followed.
func TestFilesOnDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has neither modes nor links that anybody may make
	}
	dir := filepath.Join(t.TempDir(), "queues")
	open := func() (*logstore.Log, error) { return logstore.Open(logstore.Options{Dir: dir}) }
	l, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append([]byte("x"), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	segment := filepath.Join(dir, "00000001.log")
	for name, want := range map[string]os.FileMode{dir: 0o700, segment: 0o600, dir + ".mark": 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(segment, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, segment); err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil {
		t.Error("a link is followed")
	}
}

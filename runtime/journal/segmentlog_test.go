package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		list = append(list, strings.TrimLeft(f.Name(), "0"))
	}
	return list
}

// One write is spread over segments at the ends of entries, and a log that is opened again goes on where it was.
func TestSegmentLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	l, err := openSegments(dir, 20)
	if err != nil {
		t.Fatal(err)
	}
	var entries []byte
	for range 5 {
		entries = appendEntry(entries, []byte("nine byte"))
	}
	if err := errors.Join(l.Write(entries), l.Close()); err != nil || l.LastIndex() != 5 {
		t.Fatal(err, l.LastIndex())
	}
	if got := names(t, dir); !slices.Equal(got, []string{"1", "3", "5"}) {
		t.Errorf("segments begin at %q, want two entries in each", got)
	}
	if l, err = openSegments(dir, 20); err != nil || l.LastIndex() != 5 {
		t.Fatal(err, l.LastIndex())
	}
	if err := errors.Join(l.Write(entries[:20]), l.Close()); err != nil || l.LastIndex() != 7 {
		t.Fatal(err, l.LastIndex())
	}
	if got := names(t, dir); !slices.Equal(got, []string{"1", "3", "5", "7"}) {
		t.Errorf("segments begin at %q, want the third full and a fourth", got)
	}
	last := filepath.Join(dir, "00000000000000000007")
	if err := os.WriteFile(last, entries[:9], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openSegments(dir, 20); !errors.Is(err, errCut) || !strings.Contains(err.Error(), last) {
		t.Errorf("open says %v, want that %s is cut", err, last)
	}
}

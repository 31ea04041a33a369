package logstore_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// A folder that is removed or replaced under an open log, or a lock file that somebody removes, is noticed before the
// next append is confirmed, and what stands there by then is left alone.
func TestMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // open files cannot be moved there
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, move := range map[string]func(t *testing.T, state string){
		"removed": func(t *testing.T, state string) { must(t, os.RemoveAll(state)) },
		"replaced": func(t *testing.T, state string) {
			must(t, os.CopyFS(state+".copy", os.DirFS(state)))
			must(t, os.Rename(state, state+".old"))
			must(t, os.Rename(state+".copy", state))
		},
		"folder": func(t *testing.T, state string) { must(t, os.RemoveAll(filepath.Join(state, "queues"))) },
		"segment": func(t *testing.T, state string) {
			must(t,
				os.Remove(filepath.Join(state, "queues", "00000001.log")))
		},
		"lock": func(t *testing.T, state string) { must(t, os.Remove(filepath.Join(state, "queues", "lock"))) },
	} {
		for what, use := range map[string]func(*logstore.Log) error{
			"append": func(l *logstore.Log) error {
				_, err := l.Append([]byte("lost"), true)
				if _, again := l.Append([]byte("lost"), true); !errors.Is(again, logstore.ErrPoisoned) {
					t.Errorf("%s: the next append: %v", name, again)
				}
				return err
			},
			"unsynced": func(l *logstore.Log) error { _, err := l.Append([]byte("lost"), false); return err },
			"snapshot": func(l *logstore.Log) error {
				return l.Snapshot(func(func([]byte) error) error { return nil })
			},
			"close": func(l *logstore.Log) error { return l.Close() },
		} {
			t.Run(name+" before "+what, func(t *testing.T) {
				state := filepath.Join(t.TempDir(), "state")
				l, err := logstore.Open(logstore.Options{Dir: filepath.Join(state, "queues")})
				must(t, err)
				defer l.Close()
				_, err = l.Append([]byte("kept"), true)
				must(t, err)
				move(t, state)
				before := files(t, state)
				if err := use(l); !errors.Is(err, logstore.ErrMoved) || !strings.Contains(err.Error(), state) {
					t.Errorf("got %v", err)
				}
				_ = l.Close()
				if after := files(t, state); !maps.Equal(after, before) {
					t.Errorf("what stands there was changed: %q, was %q", after, before)
				}
			})
		}
	}
}

// files are the contents of a folder's files by name; of one that is not there, none.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// BenchmarkAppend is what the log itself costs per group: the write, the looks at what is at its path, and with fsync
// the wait for the disk.
func BenchmarkAppend(b *testing.B) {
	for name, durability := range map[string]logstore.Durability{"fsync": logstore.Strict,
		"relaxed": logstore.Relaxed} {
		b.Run(name, func(b *testing.B) {
			l, err := logstore.Open(logstore.Options{Dir: filepath.Join(b.TempDir(), "v3", "eddy", "queues"),
				Durability: durability})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			group := make([]byte, 200)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Append(group, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

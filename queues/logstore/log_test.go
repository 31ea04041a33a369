package logstore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"eddy/queues/logstore"
	"eddy/queues/logstore/logstoretest"
)

func TestOnDisk(t *testing.T) {
	logstoretest.Exercise(t, func(t *testing.T) (logstore.FS, string) { return logstore.OS{}, t.TempDir() })
}

func TestInMemory(t *testing.T) {
	logstoretest.Exercise(t, func(*testing.T) (logstore.FS, string) { return logstore.NewMemFS(), "log" })
}

func TestOnCrashFS(t *testing.T) {
	logstoretest.Exercise(t, func(*testing.T) (logstore.FS, string) { return logstoretest.NewCrashFS(), "log" })
}

// The error of a second process names the first and says what to do.
func TestLockNamesThePid(t *testing.T) {
	dir := t.TempDir()
	l, err := logstore.Open(logstore.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = logstore.Open(logstore.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) ||
		!strings.Contains(err.Error(), "stop that process") {
		t.Fatalf("got %v", err)
	}
	// The lock of a dead process is no lock.
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	l, err = logstore.Open(logstore.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
}

// After a failed write or sync nothing is accepted until the log is opened again, and then everything acknowledged
// is there.
func TestPoison(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		fs := logstoretest.NewCrashFS()
		l, err := logstore.Open(logstore.Options{Dir: "log", FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append([]byte("kept"), true); err != nil {
			t.Fatal(err)
		}
		fs.FailWith(func(o, _ string) error {
			if o == op {
				return syscall.ENOSPC
			}
			return nil
		})
		if _, err := l.Append([]byte("lost"), true); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: %v", op, err)
		}
		fs.FailWith(nil)
		if _, err := l.Append([]byte("refused"), true); !errors.Is(err, logstore.ErrPoisoned) ||
			!errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: after the failure: %v", op, err)
		}
		if err := l.Snapshot(nil); !errors.Is(err, logstore.ErrPoisoned) {
			t.Fatalf("%s: snapshot after the failure: %v", op, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		var groups []string
		l, err = logstore.Open(logstore.Options{Dir: "log", FS: fs, Replay: func(_ logstore.Ref, g []byte) error {
			groups = append(groups, string(g))
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if groups[0] != "kept" || slices.Contains(groups, "refused") {
			t.Fatalf("%s: replayed %q", op, groups)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever the disk kept of what was not synced, every acknowledged group is there, in order, and nothing that was
// never appended. Snapshots and drops are cut at any moment too.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(300) {
		for _, d := range []logstore.Durability{logstore.Strict, logstore.Relaxed} {
			powerCut(t, seed, d)
		}
	}
}

func powerCut(t *testing.T, seed uint64, durability logstore.Durability) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	fs := logstoretest.NewCrashFS()
	var tried, acked []string
	for round := range 4 {
		var groups []string
		l, err := logstore.Open(logstore.Options{
			Dir: "log", FS: fs, SegmentBytes: 2000, Durability: durability,
			LoadSnapshot: func(p []byte) error {
				groups = append(groups,
					strings.Split(string(p), "\n")...)
				return nil
			},
			Replay: func(_ logstore.Ref, g []byte) error { groups = append(groups, string(g)); return nil },
		})
		if err != nil {
			t.Fatalf("seed %d, round %d, durability %v: %v", seed, round, durability, err)
		}
		if durability == logstore.Strict && len(groups) < len(acked) {
			t.Fatalf(
				"seed %d, round %d: %d groups of %d acknowledged ones are left",
				seed,
				round,
				len(groups),
				len(acked),
			)
		}
		if len(groups) > len(tried) || !slices.Equal(groups, tried[:len(groups)]) {
			t.Fatalf("seed %d, round %d: what is left is no beginning of what was written", seed, round)
		}
		tried, acked = groups, slices.Clone(groups)
		ops := r.IntN(40)
		failAt := r.IntN(150)
		count := 0
		fs.FailWith(func(string, string) error {
			if count++; count > failAt {
				return syscall.EIO
			}
			return nil
		})
		for range ops {
			if r.IntN(10) == 0 && len(acked) == len(tried) && len(tried) > 0 {
				if l.Snapshot(
					func(add func([]byte) error) error { return add([]byte(strings.Join(tried, "\n"))) },
				) == nil {
					for _, s := range l.Segments() {
						if s.Sealed && r.IntN(2) == 0 && l.Drop(s.ID) != nil {
							break
						}
					}
				}
				continue
			}
			g := fmt.Sprintf("%d/%d %s", round, len(tried), strings.Repeat("x", r.IntN(1500)))
			tried = append(tried, g)
			if _, err := l.Append([]byte(g), true); err != nil {
				break
			}
			acked = append(acked, g)
		}
		fs = fs.PowerCut(r)
	}
}

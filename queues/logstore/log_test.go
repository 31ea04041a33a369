package logstore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"eddy/queues/logstore"
	"eddy/queues/logstore/logstoretest"
)

func TestOnDisk(t *testing.T) {
	logstoretest.Exercise(t, func(t *testing.T) (logstore.FS, string) { return logstore.MachineFS{}, t.TempDir() })
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
	for op, why := range map[string]error{"write": syscall.EIO, "sync": syscall.ENOSPC} {
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
				return why
			}
			return nil
		})
		if _, err := l.Append([]byte("lost"), true); !errors.Is(err, why) {
			t.Fatalf("%s: %v", op, err)
		}
		fs.FailWith(nil)
		if _, err := l.Append([]byte("refused"), true); !errors.Is(err, logstore.ErrPoisoned) ||
			!errors.Is(err, why) {
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

// A disk that is full for one operation, whichever it is, leaves the log as it was: the next try succeeds, and exactly
// what was acknowledged is there, after an orderly end and after a crash. Only a sync that fails ends the log.
func TestFullForOnce(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		for failing, done := 1, false; !done; failing++ {
			fs := logstoretest.NewCrashFS()
			o := logstore.Options{Dir: "log", FS: fs, SegmentBytes: 100}
			l, err := logstore.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			ops, failed := 0, ""
			fs.FailWith(func(op, name string) error {
				if ops++; ops != failing {
					return nil
				}
				failed = op + " " + name
				return syscall.ENOSPC
			})
			var acked []string
			poisoned := false
			for i := range 12 {
				group := "group " + strconv.Itoa(i)
				_, err := l.Append([]byte(group), true)
				if errors.Is(err, logstore.ErrFull) {
					_, err = l.Append([]byte(group), true)
				}
				if poisoned = err != nil; poisoned {
					if !strings.HasPrefix(failed, "sync") {
						t.Errorf("%s: %v", failed, err)
					}
					break
				}
				acked = append(acked, group)
			}
			done = failed == ""
			fs.FailWith(nil)
			if orderly {
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			} else {
				fs = fs.PowerCut(rand.New(rand.NewPCG(uint64(failing), 1)))
			}
			var got []string
			o.FS, o.Replay = fs, func(_ logstore.Ref, g []byte) error { got = append(got, string(g)); return nil }
			if l, err = logstore.Open(o); err != nil {
				t.Errorf("%s: afterwards: %v", failed, err)
				continue
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if poisoned { // what is on disk of the last one is unknown
				got = got[:min(len(got), len(acked))]
			}
			if !slices.Equal(got, acked) {
				t.Errorf("%s: %q were acknowledged, %q are there", failed, acked, got)
			}
		}
	}
}

// Opening a new log waits for no disk, nor does closing it when nothing was written. Its first file is durable before
// anything says that it must be there.
func TestNewLogIsSyncedLate(t *testing.T) {
	fs := logstoretest.NewCrashFS()
	var syncs []string
	fs.FailWith(func(op, name string) error {
		if op == "sync" || op == "syncdir" || op == "rename" {
			syncs = append(syncs, op+" "+name)
		}
		return nil
	})
	open := func() *logstore.Log {
		l, err := logstore.Open(logstore.Options{Dir: "log", FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	l := open()
	if len(syncs) != 0 {
		t.Errorf("before the first group: %q", syncs)
	}
	if _, err := l.Append([]byte("group"), true); err != nil {
		t.Fatal(err)
	}
	want := []string{"sync 00000001.log", "syncdir log", "sync log.mark.tmp", "rename log.mark.tmp", "syncdir .",
		"sync 00000001.log"}
	if !slices.Equal(syncs, want) {
		t.Errorf("the first group: %q, want %q", syncs, want)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Whichever operation of the disk fails, once or from then on, with a full disk or a broken one: the call that needs it
// says so, and when the disk works again the log opens and has every group that was acknowledged.
func TestEveryOperationFails(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
		for _, once := range []bool{true, false} {
			for failing := 1; ; failing++ {
				fs := logstoretest.NewCrashFS()
				ops, failed := 0, ""
				fs.FailWith(func(op, name string) error {
					if ops++; ops == failing || ops > failing && !once {
						if failed == "" {
							failed = op + " " + name
						}
						return why
					}
					return nil
				})
				acked, told := useLog(fs, why)
				fs.FailWith(nil)
				if failed == "" {
					break // there are no more operations
				}
				if !told {
					t.Errorf("%v at %s: nobody was told", why, failed)
				}
				got := map[string]bool{}
				l, err := logstore.Open(logstore.Options{
					Dir: "log", FS: fs,
					LoadSnapshot: func(p []byte) error { got[string(p)] = true; return nil },
					Replay:       func(_ logstore.Ref, g []byte) error { got[string(g)] = true; return nil },
				})
				if err != nil {
					t.Errorf("%v at %s: afterwards: %v", why, failed, err)
					continue
				}
				for _, g := range acked {
					if !got[g] {
						t.Errorf("%v at %s: %q is lost", why, failed, g)
					}
				}
				if _, err := l.Append([]byte("on"), true); err != nil {
					t.Errorf("%v at %s: it does not go on: %v", why, failed, err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// useLog does everything that writes: appends over several segments, a snapshot, a drop, the end. The groups that were
// acknowledged are in the snapshot, too, if it was made.
func useLog(fs logstore.FS, why error) (acked []string, told bool) {
	saw := func(err error) bool {
		told = told || errors.Is(err, why)
		return err == nil
	}
	l, err := logstore.Open(logstore.Options{Dir: "log", FS: fs, SegmentBytes: 100})
	if !saw(err) {
		return nil, told
	}
	for i := range 9 {
		g := strconv.Itoa(i) + " of a log"
		if _, err := l.Append([]byte(g), true); saw(err) {
			acked = append(acked, g)
		}
		if i == 5 {
			if saw(l.Snapshot(func(add func([]byte) error) error {
				for _, g := range acked {
					if err := add([]byte(g)); err != nil {
						return err
					}
				}
				return nil
			})) {
				for _, s := range l.Segments() {
					if s.Sealed {
						saw(l.Drop(s.ID))
					}
				}
			}
		}
	}
	saw(l.Close())
	return acked, told
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

package storage_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
)

// crashDirEnv tells the re-executed test binary where to write.
const crashDirEnv = "EDDY_STORAGE_CRASH_DIR"

// TestMain turns the test binary into the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirEnv); dir != "" {
		crashChild(dir)
		return
	}
	os.Exit(m.Run())
}

// crashChild commits turns for ever and says so after each. Every turn writes
// the same number to a key, a row and the alarm; between commits it writes
// things that must never be seen.
func crashChild(dir string) {
	ns, err := storage.OpenNamespace(dir, crashOptions(dir, 2))
	check(err)
	for n := 1; ; n++ {
		s := ns.Store(id(n % 4))
		check(s.Put("n", []byte(strconv.Itoa(n))))
		check(exec(s, "CREATE TABLE IF NOT EXISTS t(n); DELETE FROM t; INSERT INTO t VALUES("+strconv.Itoa(n)+")"))
		check(s.SetAlarm(time.Unix(int64(n), 0)))
		check(s.Commit())
		fmt.Println(n)
		if n%5 == 0 {
			b, err := s.CurrentBookmark()
			check(err)
			fmt.Println(n, b)
		}
		check(s.Put("uncommitted", []byte("x")))
		check(exec(s, "INSERT INTO t VALUES(-1)"))
		check(s.SetAlarm(time.Unix(1<<40, 0)))
		check(s.Rollback())
		check(s.Put("uncommitted", []byte("x")))
		check(s.Rollback())
	}
}

// crashOptions keep a history, and few files open, so that they are closed and
// checkpointed all the time.
func crashOptions(dir string, open int) storage.Options {
	return storage.Options{OpenFiles: open, HistoryDir: filepath.Join(dir, "history"),
		Notify: func(text string) { check(errors.New(text)) }}
}

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

var crashRounds = flag.Int("crash.rounds", 2, "how often TestCrash kills its child process")

// Kill the process at any instant: what was committed is there, all of it, and
// nothing else (TX7).
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	for round := range *crashRounds {
		cmd := osexec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), crashDirEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		last := map[int]int{}
		bookmarks := map[string]int{}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			number, bookmark, marked := strings.Cut(lines.Text(), " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(lines.Text())
			}
			if marked {
				bookmarks[bookmark] = n
			}
			last[n%4] = n
			if n == 40+round*17 {
				must(t, cmd.Process.Kill()) // what is in the pipe is still read
			}
		}
		_ = cmd.Wait() // it was killed
		verifyCrash(t, dir, last)
		verifyBookmarks(t, dir, bookmarks)
	}
}

// Bookmarks that were given out before the crash still lead where they did
// (SQL18), and back.
func verifyBookmarks(t *testing.T, dir string, bookmarks map[string]int) {
	ns, err := storage.OpenNamespace(dir, crashOptions(dir, 0))
	must(t, err)
	defer ns.Close()
	at := func(s *storage.Store) int {
		v, _, err := s.Get("n")
		must(t, err)
		n, _ := strconv.Atoi(string(v))
		return n
	}
	back := func(s *storage.Store, bookmark string) (undo string) {
		undo, err := s.RestoreOnNextSession(bookmark)
		must(t, err)
		_, err = s.BeginSession()
		must(t, err)
		return undo
	}
	tried := 0
	for bookmark, n := range bookmarks { // in any order
		if tried++; tried > 5 {
			break
		}
		s := ns.Store(id(n % 4))
		now := at(s)
		undo := back(s, bookmark)
		if got := at(s); got != n {
			t.Errorf("bookmark of %d leads to %d", n, got)
		}
		back(s, undo)
		if got := at(s); got != now {
			t.Errorf("back from %d: %d, want %d", n, got, now)
		}
	}
}

func verifyCrash(t *testing.T, dir string, last map[int]int) {
	ns, err := storage.OpenNamespace(dir, crashOptions(dir, 0))
	must(t, err)
	defer ns.Close()
	index, err := ns.Alarms()
	must(t, err)
	for object := range 4 {
		s := ns.Store(id(object))
		v, _, err := s.Get("n")
		must(t, err)
		n, _ := strconv.Atoi(string(v))
		// The line may not have been written for the very last commit.
		if n != last[object] && n != last[object]+4 {
			t.Errorf("object %d: %d was committed, %d is there", object, last[object], n)
		}
		if got := rows(t, s, "SELECT group_concat(n) FROM t"); got != strconv.Itoa(n) {
			t.Errorf("object %d: key %d, rows %s", object, n, got)
		}
		if got := names(t, s, storage.ListOptions{}); got != "n" {
			t.Errorf("object %d: keys %s", object, got)
		}
		at, err := s.Alarm()
		must(t, err)
		if at.Unix() != int64(n) {
			t.Errorf("object %d: alarm %d, key %d", object, at.Unix(), n)
		}
		for _, a := range index {
			if a.ID == id(object) && a.Time.After(at) {
				t.Errorf("object %d: index says %v, later than %v", object, a.Time, at)
			}
		}
	}
}

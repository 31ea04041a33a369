package storage_test

import (
	"bufio"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
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
	ns, err := storage.OpenNamespace(dir, storage.Options{OpenFiles: 2})
	check(err)
	for n := 1; ; n++ {
		s := ns.Store(id(n % 4))
		check(s.Put("n", []byte(strconv.Itoa(n))))
		check(exec(s, "CREATE TABLE IF NOT EXISTS t(n); DELETE FROM t; INSERT INTO t VALUES("+strconv.Itoa(n)+")"))
		check(s.SetAlarm(time.Unix(int64(n), 0)))
		check(s.Commit())
		fmt.Println(n)
		check(s.Put("uncommitted", []byte("x")))
		check(exec(s, "INSERT INTO t VALUES(-1)"))
		check(s.SetAlarm(time.Unix(1<<40, 0)))
		check(s.Rollback())
		check(s.Put("uncommitted", []byte("x")))
		check(s.Rollback())
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// Kill the process at any instant: what was committed is there, all of it, and
// nothing else (TX7).
func TestCrash(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	for round := range rounds {
		cmd := osexec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), crashDirEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		last := map[int]int{}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(lines.Text())
			}
			last[n%4] = n
			if n == 40+round*17 {
				must(t, cmd.Process.Kill()) // what is in the pipe is still read
			}
		}
		_ = cmd.Wait() // it was killed
		verifyCrash(t, dir, last)
	}
}

func verifyCrash(t *testing.T, dir string, last map[int]int) {
	ns, err := storage.OpenNamespace(dir, storage.Options{})
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

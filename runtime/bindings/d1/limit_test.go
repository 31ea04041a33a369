package d1

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
)

const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "

// A call that computes for too long or collects too much ends with the platform's text and undoes what it wrote. The
// database serves the next.
func TestCallLimits(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
	run(t, d, "create table t (n)")
	for _, c := range []struct {
		sql  string
		want error
	}{
		{endless + "SELECT count(*) FROM c", errCPU},
		{endless + "INSERT INTO t SELECT n FROM c", errCPU},
		{endless + "SELECT n, hex(zeroblob(500000)) FROM c", errMemory},
	} {
		limit := time.Millisecond
		if c.want == errMemory {
			limit = time.Hour
		}
		if _, err := d.Run(limit, []Statement{{"insert into t values (1)", nil}, {c.sql, nil}}); !errors.Is(
			err, c.want) {
			t.Errorf("%s: %v, want %v", c.sql, err, c.want)
		}
		if n := run(t, d, "select count(*) from t").Rows[0][0]; n != 0.0 {
			t.Errorf("%s: %v rows are left", c.sql, n)
		}
	}
	run(t, d, "insert into t values (1)")
}

// The end of the session ends the call that runs, every call that waits behind it, and a script without a limit.
func TestCloseEndsCalls(t *testing.T) {
	for _, sql := range []string{endless + "SELECT count(*) FROM c", endless + "INSERT INTO t SELECT n FROM c"} {
		d := open(t, filepath.Join(t.TempDir(), "x.sqlite"))
		run(t, d, "create table t (n)")
		ended := make(chan error, 3)
		go func() { _, err := d.Script(sql); ended <- err }()
		for range 2 {
			go func() { _, err := d.Run(time.Hour, []Statement{{sql, nil}}); ended <- err }()
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := <-ended; !errors.Is(err, ErrClosed) {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}

// stopped is the clock of a process that stands still between its timers: one that is due fires when the process goes
// on, whatever time it is then.
type stopped struct {
	clock.Real
	due chan func()
}

func (s stopped) AfterFunc(_ time.Duration, f func()) clock.Timer {
	s.due <- f
	return time.NewTimer(time.Hour) // for Stop
}

// A machine that stands still during a call does not end it, however long that was; time that goes by does.
func TestLimitOfAStoppedProcess(t *testing.T) {
	s := stopped{due: make(chan func(), 1)}
	d := &Database{machine: s}
	late := d.limit(5 * time.Second)
	(<-s.due)()
	if late() || d.stop.Load() {
		t.Error("a process that stood still has lost its call")
	}
	<-s.due
	late = d.limit(5 * time.Second)
	for !d.stop.Load() {
		select {
		case f := <-s.due:
			f()
		default:
			runtime.Gosched()
		}
	}
	if !late() {
		t.Error("a call without end goes on")
	}
}

// A D1 database computes on its own account: a Worker's limit shortens a call, but not below what an honest query
// needs.
func TestCallLimit(t *testing.T) {
	for worker, want := range map[time.Duration]time.Duration{
		0: maxCall, time.Millisecond: 5 * time.Second, 10 * time.Second: 10 * time.Second, time.Hour: maxCall,
	} {
		if got := callLimit(worker); got != want {
			t.Errorf("a Worker with %s: %s, want %s", worker, got, want)
		}
	}
}

// A file that was removed while it is open is noticed before the call is answered; the next call goes on with a new
// one.
func TestMovedFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d1")
	d := open(t, filepath.Join(dir, "x.sqlite"))
	run(t, d, "create table t (n)")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(0, []Statement{{"insert into t values (1)", nil}}); !errors.Is(err, sqlite.ErrMoved) {
		t.Errorf("error %v", err)
	}
	run(t, d, "create table t (n)")
}

package workflows

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
)

// plainHome keeps a file where it is. If failed is set, nothing is kept any more.
type plainHome struct {
	path   string
	failed error // the workflow's goroutine, or before it begins
	kept   int
}

func (h *plainHome) Open(o sqlite.Options) (*sqlite.DB, error) { return sqlite.Open(h.path, o) }
func (h *plainHome) Leave(db *sqlite.DB) error                 { return db.Close() }
func (h *plainHome) Keep(*sqlite.DB) (wait func() error) {
	return func() error {
		h.kept++
		return h.failed
	}
}

// calling is a runner whose lives are told to the test.
type calling chan *Life

func (c calling) Run(l *Life) (Stop, bool) {
	c <- l
	return func(error, int) {}, true
}

// A workflow that goes to another node lets attempts end that run, keeps what they give, and begins none; what waits
// is let go with its time. The next workflow goes on with all of it.
func TestRetire(t *testing.T) {
	c := clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	c.Pause()
	path := filepath.Join(t.TempDir(), "flow.sqlite")
	lives := make(calling, 4)
	open := func() *Workflow {
		w := Open(Options{Name: "flow", Path: path, Clock: c, Home: &plainHome{path: path},
			Failed: func(err error) { t.Error(err) }})
		w.Attach(lives)
		return w
	}
	w := open()
	created(t, w, "runs", "waits")
	byID := map[string]*Life{}
	for range 2 {
		l := <-lives
		byID[l.Instance] = l
	}
	runs, waits := byID["runs"], byID["waits"]
	first, second := StepID{Do, "a", 1}, StepID{Do, "b", 1}
	if b, err := Call(w, func(done func(Begun, error)) { runs.Begin(first, "{}", done) }); err != nil || b.Ended {
		t.Fatal(b, err)
	}
	slept := make(chan error, 1)
	waits.Sleep(StepID{Sleep, "s", 1}, time.Hour, func(_ Begun, err error) { slept <- err })
	status(t, w, "waits", Waiting)
	quiet := make(chan struct{})
	w.Retire(func() { close(quiet) })
	runs.Begin(second, "{}", func(Begun, error) { t.Error("a step began, or was refused") })
	created(t, w, "new")
	select {
	case <-quiet:
		t.Error("it is quiet while an attempt runs")
	case l := <-lives:
		t.Errorf("%s has a life", l.Instance)
	default:
	}
	v := Value{Clone: []byte("1"), Shown: "1", Chunks: -1}
	if _, err := Call(w, func(done func(struct{}, error)) { runs.Succeed(first, v, done) }); err != nil {
		t.Error(err)
	}
	<-quiet
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = open()
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	again := map[string]*Life{}
	for range 2 {
		l := <-lives
		again[l.Instance] = l
	}
	if again["runs"] == nil || again["new"] == nil {
		t.Fatalf("%v have lives", again)
	}
	if b, err := Call(w, func(done func(Begun, error)) { again["runs"].Begin(first, "{}", done) }); err != nil ||
		!b.Ended || string(b.Value) != "1" {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err := Call(w, func(done func(Begun, error)) { again["runs"].Begin(second, "{}", done) }); err != nil ||
		b.Attempt != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	c.Advance(t.Context(), time.Hour)
	if l := <-lives; l.Instance != "waits" {
		t.Errorf("%s woke", l.Instance)
	}
}

// What the cluster has not kept is told to nobody: commands fail with the reason, those that have begun before with
// [ErrDisconnected], and lives end.
func TestHomeLost(t *testing.T) {
	lost := errors.New("elsewhere")
	h := &plainHome{path: filepath.Join(t.TempDir(), "flow.sqlite")}
	lives := make(calling, 1)
	failed := make(chan error, 1)
	w := Open(Options{Name: "flow", Path: h.path, Home: h, Failed: func(err error) { failed <- err }})
	w.Attach(lives)
	created(t, w, "a")
	l := <-lives
	if _, err := Call(w, func(done func(Begun, error)) { l.Begin(StepID{Do, "a", 1}, "{}", done) }); err != nil {
		t.Fatal(err)
	}
	rolled := make(chan error, 1)
	w.Terminate("a", true, func(_ struct{}, err error) { rolled <- err })
	if l = <-lives; !l.Rollback {
		t.Fatal("the life does not roll back")
	}
	if _, err := Call(w, func(done func(struct{}, error)) {
		command(w, func(*turn) (struct{}, error) { h.failed = lost; return struct{}{}, nil }, done)
	}); !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
	if err := <-failed; !errors.Is(err, lost) {
		t.Errorf("failed with %v", err)
	}
	if err := <-rolled; !errors.Is(err, ErrDisconnected) {
		t.Errorf("a rollback: %v", err)
	}
	if _, err := Call(w, func(done func(struct{}, error)) { w.Exists("a", done) }); !errors.Is(err, lost) ||
		!errors.Is(w.Err(), lost) {
		t.Errorf("error %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if h.kept < 3 {
		t.Errorf("%d turns were handed in", h.kept)
	}
}

func created(t *testing.T, w *Workflow, ids ...string) {
	t.Helper()
	var list []New
	for _, id := range ids {
		list = append(list, New{ID: id, Shown: "{}"})
	}
	errs, err := Call(w, func(done func([]error, error)) { w.Create(list, done) })
	if err != nil || slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		t.Fatal(fmt.Sprint(errs), err)
	}
}

func status(t *testing.T, w *Workflow, id string, want Status) {
	t.Helper()
	info, err := Call(w, func(done func(*Info, error)) { w.Status(id, false, done) })
	if err != nil || info.Status != want {
		t.Errorf("%s is %v, %v, want %v", id, info, err, want)
	}
}

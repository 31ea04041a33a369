package objectjs

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
)

var (
	serialPrograms = flag.Int("serial.programs", 8, "how many programs TestSerial generates")
	serialSeed     = flag.Uint64("serial.seed", 0, "seed of TestSerial, 0 for a new one")
)

// TestSerial generates Workers of a few objects whose calls get, put, query, wait, call each other, open transactions
// and critical sections, throw and abort, runs them on the virtual clock through everything there is, and lets a model
// judge what happened: who ran between whom, what was seen, who heard what, and what a copy of the disk taken in the
// middle of a turn holds (GT1 to GT9, TX1, TX3, TX4, TX6, TX7, AL2 to AL6). A program that fails is made smaller before
// it is shown.
func TestSerial(t *testing.T) {
	seed := *serialSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	n := *serialPrograms
	t.Logf("seed %d", seed)
	crashes := 0
	for i := range n {
		g := &serialGenerator{rng: rand.New(rand.NewPCG(seed, uint64(i)))}
		p := g.program()
		copies, err := runSerial(t, p)
		crashes += copies
		if err == nil {
			continue
		}
		p, err = shrinkSerial(t, p, err)
		t.Fatalf("program %d of seed %d: %v\n%s", i, seed, err, p.source())
	}
	t.Logf("%d programs, %d copies of the disk", n, crashes)
}

// shrinkSerial leaves out what is not needed to fail.
func shrinkSerial(t *testing.T, p *serialProgram, failure error) (*serialProgram, error) {
	fails := func() bool {
		_, err := runSerial(t, p)
		if err != nil {
			failure = err
		}
		return err != nil
	}
	for smaller := true; smaller; {
		smaller = false
		for i := 0; i < len(p.groups); i++ {
			was := p.groups
			p.groups = slices.Delete(slices.Clone(was), i, i+1)
			if fails() {
				smaller, i = true, i-1
				continue
			}
			p.groups = was
		}
		for _, g := range p.groups {
			for i := 0; i < len(g.calls); i++ {
				was := g.calls
				g.calls = slices.Delete(slices.Clone(was), i, i+1)
				if fails() {
					smaller, i = true, i-1
					continue
				}
				g.calls = was
			}
		}
		p.lists(func(list *[]*serialOp) {
			for i := 0; i < len(*list); i++ {
				was := *list
				*list = slices.Delete(slices.Clone(was), i, i+1)
				if fails() {
					smaller, i = true, i-1
					continue
				}
				*list = was
			}
		})
	}
	return p, failure
}

// crashPoint is the binding env.CRASH(): it copies the state directory as it is in the middle of a turn, as if the
// process had been killed there, and gives the copy's name.
type crashPoint struct {
	root, into string
	n          int
	err        error
}

func (c *crashPoint) Name() string { return "CRASH" }

func (c *crashPoint) Install(iso *worker.Isolate) (goja.Value, error) {
	return iso.Runtime().ToValue(func() string {
		c.n++
		name := fmt.Sprintf("copy%d", c.n)
		if err := copyState(c.root, filepath.Join(c.into, name)); err != nil && c.err == nil {
			c.err = err
		}
		return name
	}), nil
}

// copyState copies logs before databases: a checkpoint in between leaves a log that repeats what is in the database,
// never one that lacks something.
func copyState(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "v3/do/*/*"))
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b string) int {
		rank := func(s string) int {
			if strings.HasSuffix(s, "-wal") {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	for _, f := range files {
		if strings.HasSuffix(f, "-shm") {
			continue
		}
		rel, err := filepath.Rel(from, f)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(f)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// askSerial fetches a path.
func askSerial(w *worker.Worker, path string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		req, err := http.NewRequest("GET", "http://localhost"+path, nil)
		if err != nil {
			answer <- err.Error()
			return
		}
		res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
		if err != nil {
			answer <- err.Error()
			return
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		answer <- string(body)
	}()
	return answer
}

// runSerial runs a program and judges it.
func runSerial(t *testing.T, p *serialProgram) (copies int, err error) {
	dir, err := os.MkdirTemp("", "serial")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	crash := &crashPoint{root: filepath.Join(dir, "state"), into: dir}
	b := newBenchAt(t, crash.root, Options{})
	defer b.close()
	w := b.start(config{classes: []string{"A", "B"}, change: func(o *worker.Options) {
		o.Bindings = append(o.Bindings,
			crash)
	}}, p.source())
	answered := askSerial(w, "/run")
	var outcome string
	select {
	case outcome = <-answered:
	case <-time.After(5 * time.Minute): // time jumps: a program takes milliseconds
		outcome = "nothing"
	}
	b.clock.WaitIdle(t.Context()) // alarms
	var hist []serialEntry
	select {
	case a := <-askSerial(w, "/hist"):
		if err := json.Unmarshal([]byte(a), &hist); err != nil {
			return 0, fmt.Errorf("the history is %s", a)
		}
	case <-time.After(5 * time.Minute): // of a Worker that has nothing to do
		return 0, errors.New("the Worker does not answer any more")
	}
	if outcome != "ok" {
		return 0, fmt.Errorf("the driver answered %s\n%s\n%s", outcome, b.notes(), historyOf(hist))
	}
	if crash.err != nil {
		t.Fatal(crash.err)
	}
	b.close()
	m := newSerialModel(p)
	if err := m.check(hist); err != nil {
		return 0, err
	}
	for name, ranges := range m.crashes {
		if err := judgeDisk(b, filepath.Join(dir, name), ranges); err != nil {
			return 0, fmt.Errorf("after a crash at %s: %w\n%s", name, err, historyOf(hist))
		}
	}
	var last [serialObjects]serialRange
	for i, o := range m.objects {
		last[i].allowed = []serialState{o.cur}
	}
	if err := judgeDisk(b, crash.root, last); err != nil {
		return 0, fmt.Errorf("at the end: %w\n%s", err, historyOf(hist))
	}
	return crash.n, nil
}

func historyOf(hist []serialEntry) string {
	var b strings.Builder
	for _, e := range hist {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// judgeDisk opens a state directory as the next process would, and compares it with what may be there.
func judgeDisk(b *bench, root string, want [serialObjects]serialRange) error {
	for class := range 2 {
		key := "w-" + string(rune('A'+class))
		ns, err := storage.OpenNamespace(statedir.Dir(root).Namespace(key), storage.Options{})
		if err != nil {
			return err
		}
		for i := class; i < serialObjects; i += 2 {
			got, err := readSerial(ns.Store(b.objs.ID(key, fmt.Sprintf("o%d", i))))
			if err != nil {
				_ = ns.Close()
				return err
			}
			if !slices.ContainsFunc(want[i].allowed, func(s serialState) bool { return s.stored() == got }) {
				var may []string
				for _, s := range want[i].allowed {
					may = append(may, s.stored())
				}
				_ = ns.Close()
				return fmt.Errorf("o%d holds %q, may hold %q", i, got, may)
			}
		}
		if err := ns.Close(); err != nil {
			return err
		}
	}
	return nil
}

// readSerial is what an object has stored, in the model's form.
func readSerial(s *storage.Store) (string, error) {
	state := serialState{kv: map[string]string{}}
	entries, err := s.List(storage.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		// FF 0F 49: version 15, an integer; then zigzag.
		n, used := binary.Varint(e.Value[3:])
		if used <= 0 || e.Value[2] != 'I' {
			return "", fmt.Errorf("%s holds %x", e.Key, e.Value)
		}
		state.kv[e.Key] = strconv.FormatInt(n, 10)
	}
	if !s.Exists() {
		return state.stored(), nil
	}
	c, err := s.Exec("SELECT count(*) FROM sqlite_master WHERE name = 't'")
	if err != nil {
		return "", err
	}
	row, _, err := c.Next()
	c.Close()
	if err != nil || row[0] == 0.0 || row[0] == int64(0) {
		return state.stored(), err
	}
	if c, err = s.Exec("SELECT n FROM t ORDER BY rowid"); err != nil {
		return "", err
	}
	defer c.Close()
	for {
		row, ok, err := c.Next()
		if err != nil || !ok {
			return state.stored(), err
		}
		state.rows = append(state.rows, fmt.Sprint(row[0]))
	}
}

package testrun

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// Explore says how orders of events are searched.
type Explore struct {
	// Schedules is how many orders each test is run under; 0 searches none. The first has the run's seed, each next one
	// a seed one higher.
	Schedules int
	// Crash adds crashes to what may happen.
	Crash bool
}

// Explored is what a search came to.
type Explored struct {
	Tests, Schedules int
	// Distinct is how many different orders of steps there were among them, and Ran how many of them ran: an order that
	// has run does not run again with the same random numbers.
	Distinct, Ran int
	Duration      time.Duration
}

// exploration is the search for one test.
type exploration struct {
	r     *run
	file  *File
	task  *Task
	name  string
	alone string
	// length is how many choices the plain schedule has.
	length int
	orders map[uint64]bool
	// known are the orders that the test has passed.
	known known
}

// explore runs each test of a file that has passed under many schedules.
func (r *run) explore(ctx context.Context, f *File, told *Explored) {
	began := time.Now()
	f.Tests(func(path []string, t *Task) {
		if t.State != Passed || ctx.Err() != nil {
			return
		}
		name := strings.Join(append(path[:len(path):len(path)], t.Name), " ")
		e := &exploration{r: r, file: f, task: t, name: name, orders: map[uint64]bool{}, known: known{}}
		told.Tests++
		e.search(ctx, told)
		told.Distinct += len(e.orders)
	})
	told.Duration += time.Since(began)
}

// search tries schedules until one fails, and then the shortest that fails.
func (e *exploration) search(ctx context.Context, told *Explored) {
	e.alone = "^" + regexp.QuoteMeta(e.name) + "$"
	first := e.schedule(e.r.o.Seed)
	first.strategy = nil
	if failed := e.try(ctx, first); failed != nil {
		// The test needs what others in its file do before.
		e.alone = ""
		first = e.schedule(e.r.o.Seed)
		first.strategy = nil
		if failed := e.try(ctx, first); failed != nil {
			e.fail(first, failed, "with the plain order of events, at the time at which explored tests begin")
			return
		}
	}
	e.length = len(first.chosen)
	for done, t := range e.tried(ctx) {
		told.Schedules++
		if t.known {
			continue
		}
		told.Ran++
		e.orders[t.schedule.order()] = true
		if t.failed == nil {
			e.known.add(t.schedule)
			continue
		}
		seed := t.schedule.seed
		s, failed := e.shrink(ctx, t.schedule, t.failed)
		e.fail(s, failed, fmt.Sprintf("with seed %d (schedule %d of %d)", seed, done+1, e.r.o.Explore.Schedules))
		return
	}
}

// tried is a schedule that has run. failed is the file under it, nil if the test passed. known says that it did not
// run, because its order has.
type tried struct {
	schedule *schedule
	failed   *File
	known    bool
}

// tried runs the schedules, several at a time, and gives them in the order of their seeds.
func (e *exploration) tried(ctx context.Context) iter.Seq2[int, tried] {
	return func(yield func(int, tried) bool) {
		ctx, stop := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer stop()
		workers := cmp.Or(e.r.o.Workers, runtime.GOMAXPROCS(0))
		var running []chan tried
		next := 0
		for {
			for ; len(running) < workers && next < e.r.o.Explore.Schedules; next++ {
				s, over := e.schedule(e.r.o.Seed+uint64(next)), make(chan tried, 1)
				running = append(running, over)
				if e.known.has(s.stream, newStrategy(s.seed, e.length)) {
					over <- tried{schedule: s, known: true}
					continue
				}
				group.Go(func() { over <- tried{schedule: s, failed: e.try(ctx, s)} })
			}
			if len(running) == 0 || ctx.Err() != nil {
				return
			}
			t := <-running[0]
			if ctx.Err() != nil || !yield(next-len(running), t) {
				return
			}
			running = running[1:]
		}
	}
}

func (e *exploration) schedule(seed uint64) *schedule {
	return &schedule{seed: seed, stream: seed / streamed, alone: e.alone, id: e.task.ID,
		strategy: newStrategy(seed, e.length)}
}

// try runs the test under a schedule and returns the file if it failed.
func (e *exploration) try(ctx context.Context, s *schedule) *File {
	f := &File{Path: e.file.Path, Name: e.file.Name}
	quiet := *e.r
	quiet.pass = &pass{root: e.r.root}
	quiet.o.Lines = nil
	quiet.o.Settings.Update = "none"
	if err := quiet.runFile(ctx, f, s); err != nil {
		f.Errors = append(f.Errors, &TaskError{Name: "Error", Message: err.Error()})
	}
	t := f.byID[e.task.ID]
	switch {
	case t == nil, t.State == Failed, len(f.Unhandled) > 0, len(f.Errors) > 0:
		return f
	}
	return nil
}

// order is a number for the order of steps.
func (s *schedule) order() uint64 {
	h := fnv.New64a()
	for _, c := range s.chosen {
		fmt.Fprintln(h, c.step.Kind, c.step.Name, c.step.Owner, c.step.Number)
	}
	return h.Sum64()
}

// shrink looks for a shorter schedule that fails, too.
func (e *exploration) shrink(ctx context.Context, s *schedule, failed *File) (*schedule, *File) {
	s = shortest(s, func(plan []int) *schedule {
		t := e.schedule(s.seed)
		t.plan, t.strategy = plan, nil
		f := e.try(ctx, t)
		if f == nil || ctx.Err() != nil {
			return nil
		}
		failed = f
		return t
	})
	return s, failed
}

// shortest looks for a schedule that fails and departs from the plain one in fewer places: it takes departures away,
// many at a time and then one by one, as long as the test still fails. again tries a plan and returns its schedule if
// it fails. What is found after so many tries is short enough: a test that polls has thousands of departures.
func shortest(s *schedule, again func(plan []int) *schedule) *schedule {
	tries := 0
	try := func(plan []int) bool {
		if tries++; tries > maxShrinks {
			return false
		}
		t := again(plan)
		if t != nil {
			s = t
		}
		return t != nil
	}
	try(s.indexes())
	for part := max(len(s.indexes())/2, 1); ; {
		better := false
		for from := 0; from < len(s.indexes()) && tries <= maxShrinks; from += part {
			plan := s.indexes()
			to := min(from+part, len(plan))
			if allZero(plan[from:to]) {
				continue
			}
			clear(plan[from:to])
			if try(trimmed(plan)) {
				better = true
			}
		}
		if !better {
			if part == 1 {
				break
			}
			part = (part + 1) / 2
		}
	}
	// What follows a fault stands one place later: without it the rest moves up.
	for i := 0; i < len(s.indexes()) && tries <= maxShrinks; {
		plan := s.indexes()
		if !try(trimmed(slices.Delete(plan, i, i+1))) {
			i++
		}
	}
	return s
}

// maxShrinks is how many schedules are tried for a shorter one.
const maxShrinks = 500

func allZero(list []int) bool {
	for _, n := range list {
		if n != 0 {
			return false
		}
	}
	return true
}

// fail makes the test fail with what went wrong under the schedule.
func (e *exploration) fail(s *schedule, failed *File, under string) {
	var errs []*TaskError
	if t := failed.byID[e.task.ID]; t != nil {
		errs = append(errs, t.Errors...)
	}
	errs = append(append(errs, failed.Errors...), failed.Unhandled...)
	if len(errs) == 0 {
		errs = []*TaskError{{Name: "Error", Message: "The test did not end."}}
	}
	first := *errs[0]
	first.Message += "\n\nThis came " + under + ":\n" + lister{e.r.source, e.r.o.Dir}.steps(s) +
		fmt.Sprintf("Again: eddy test --explore=1 --seed=%d %s -t '%s'", s.seed, e.file.Name, e.name)
	errs[0] = &first
	e.task.State, e.task.Errors = Failed, errs
	e.file.State = Failed
	e.r.tell(e.file, e.task, "test")
}

// shownSteps is how many steps are shown although the rest of them comes in the plain order.
const shownSteps = 8

// lister shows schedules with lines of the user's source; dir is what files are relative to.
type lister struct {
	// source is the map of a Worker's script, nil if there is none.
	source func(worker string) *bundle.SourceMap
	dir    string
}

// steps is the numbered list of a schedule's steps.
func (l lister) steps(s *schedule) string {
	var lines []string
	last := 0 // the lines up to the last departure from the plain order
	names, now := map[string]map[uint64]int{}, exploredTime()
	for _, c := range s.chosen {
		if len(c.offered) == 1 && c.step.Timer || c.index == 0 && c.step.Name == "test" {
			continue // it came when it would have come anyway
		}
		text := l.step(c.step, names, now)
		if c.step.Timer {
			now = c.step.When
		}
		lines = append(lines, fmt.Sprintf("%3d  %s\n", len(lines)+1, text))
		if c.index > 0 {
			last = len(lines)
		}
	}
	if more := len(lines) - max(last, shownSteps-1); more > 1 {
		lines = append(lines[:len(lines)-more], fmt.Sprintf("     and %d more in the plain order\n", more))
	}
	return strings.Join(lines, "")
}

// step describes a step. names numbers the events that are called the same.
func (l lister) step(step *clock.Step, names map[string]map[uint64]int, now time.Time) string {
	name := step.Name
	if step.Owner != 0 {
		m := names[name]
		if m == nil {
			m = map[uint64]int{}
			names[name] = m
		}
		if m[step.Owner] == 0 {
			m[step.Owner] = len(m) + 1
		}
		if m[step.Owner] > 1 {
			name += fmt.Sprintf(" #%d", m[step.Owner])
		}
	}
	switch {
	case step.Timer && !step.When.After(now):
		return "what is due now comes"
	case step.Timer:
		return "time goes on by " + step.When.Sub(now).String()
	case step.Kind == "arrival":
		name += " arrives"
	case step.Kind == "timer":
		return name + " goes on after its timer"
	case step.Kind == "patience":
		return name + " goes on, as its time is over and the others had theirs"
	case step.Kind == "outcome":
		return name + " is settled"
	}
	if where := worker.Place(l.source(step.Where.Worker), l.dir, step.Where); where != "" {
		return name + "  " + where
	}
	return name
}

package replay

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"eddy/runtime/bundle"
	"eddy/runtime/cause"
	regexpcheck "eddy/runtime/engine/regexp"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// ChaosOptions say how idempotency is checked.
type ChaosOptions struct {
	Options
	// Runs is how many schedules are tried.
	Runs int
	// Ignore are paths of what may differ, with * for any text.
	Ignore []string
	// Workers is how many schedules run at a time; 0 is the number of cores.
	Workers int
	// Findings is the number of findings after which the check ends; 0 means ten.
	Findings int
}

// StateDifference says how the end state of a schedule differs from that of the plain run.
type StateDifference struct {
	Differences []Difference `json:"differences"`
	// Steps lists what happened, in order.
	Steps []ChaosStep `json:"steps"`
	// Run is the number of the run that found it, counted from 1.
	Run int `json:"run"`
}

// ChaosStep is one step of a schedule: a delivery, or a fault. Lines are the lines of the user's code that ran.
type ChaosStep struct {
	Text  string   `json:"text"`
	Lines []string `json:"lines,omitempty"`
}

// Chaos is the result of a check.
type Chaos struct {
	Runs       int               `json:"runs"`
	Deliveries int               `json:"deliveries"`
	Findings   []StateDifference `json:"findings"`
}

// maxFindings is the default of ChaosOptions.Findings.
const maxFindings = 10

// checker checks one capture.
type checker struct {
	o      ChaosOptions
	list   []*Recorded
	base   []*delivery
	events []*Rerun // the events that are no deliveries
	ignore []*regexp.Regexp
	calls  []int // of each delivery in the plain run
	sends  []int // of outgoing requests
	asked  []int // of objects
	used   []int // of bindings
	clean  any   // end state of the plain run

	mu      sync.Mutex
	scripts map[string]*worker.Script // guarded by mu
}

// delivery is a batch of messages that are delivered for the first time.
type delivery struct {
	*Recorded
	number int // counted from 1
	// after holds the spans of the deliveries that have led to this one, which therefore come before it.
	after map[string]bool
}

// Check runs the deliveries of a capture as they are, and then under many schedules in which what a queue may do to
// its consumers happens, and compares the end states.
func Check(ctx context.Context, o ChaosOptions, list []*Recorded, plan []*Rerun) (*Chaos, error) {
	c := &checker{o: o, list: list, base: deliveries(list, plan), scripts: map[string]*worker.Script{}}
	if len(c.base) == 0 {
		return nil, fmt.Errorf("there are no deliveries to check: --chaos is for events of queues")
	}
	for _, step := range plan {
		if !step.Line.Delivers() && step.Line.Kind != journal.Dead { // messages die anew
			c.events = append(c.events, step)
		}
	}
	plain, err := c.run(ctx, c.base, nil)
	if err != nil {
		return nil, err
	}
	if len(plain.missed) > 0 {
		return nil, fmt.Errorf("the plain run cannot be compared: %s", plain.missed[0])
	}
	paths := append(slices.Clone(o.Ignore), ignoredIn(list)...)
	for _, path := range append(paths, c.commented()...) {
		if err := CheckIgnore(path); err != nil {
			return nil, err
		}
		c.ignore = append(c.ignore, pathPattern(path))
	}
	c.clean, c.calls, c.sends = c.normal(plain.state), plain.calls, plain.sends
	c.asked, c.used = plain.asked, plain.used
	result := &Chaos{Runs: o.Runs, Deliveries: len(c.base)}
	seen := map[string]bool{}
	for run, r := range c.each(ctx, c.schedules()) {
		if r.err != nil {
			return nil, r.err
		}
		differences := c.differences(c.clean, r.state)
		if len(differences) == 0 || seen[kindOf(differences)] {
			continue
		}
		seen[kindOf(differences)] = true
		f, err := c.shrink(ctx, r, differences)
		if err != nil {
			return nil, err
		}
		f.Run = run + 1
		seen[kindOf(f.Differences)] = true
		result.Findings = append(result.Findings, f)
		if len(result.Findings) == cmp.Or(o.Findings, maxFindings) {
			result.Runs = run + 1
			break
		}
	}
	return result, ctx.Err()
}

// deliveries returns the batches of a plan, each without the messages that an earlier batch had.
func deliveries(all []*Recorded, plan []*Rerun) (list []*delivery) {
	seen := map[string]bool{}
	for _, s := range plan {
		if !s.Line.Delivers() {
			continue
		}
		line := *s.Line
		line.Messages = nil
		for _, m := range s.Line.Messages {
			if !seen[m.ID] {
				seen[m.ID] = true
				m.Attempts = 1
				line.Messages = append(line.Messages, m)
			}
		}
		if len(line.Messages) > 0 {
			list = append(list, &delivery{&Recorded{s.File, s.Number, &line, s.Start}, len(list) + 1,
				ancestors(all, s.Line)})
		}
	}
	return list
}

// kindOf names the kind of a finding: the first path that differs, without numbers and ids.
func kindOf(list []Difference) string { return digits().ReplaceAllString(list[0].Path, "#") }

var digits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*`)
})

// schedules returns the faults of each run: first each fault alone, in a random order, and then several of them
// together.
func (c *checker) schedules() [][]fault {
	rng := rand.New(rand.NewPCG(c.o.Seed, 5))
	var single []fault
	for d := range c.base {
		single = append(single, fault{kind: again, at: d, to: d}, fault{kind: gone, at: d})
		single = append(single, c.reordered(d)...)
		for n := range c.calls[d] + 1 {
			single = append(single, fault{kind: crash, at: d, n: n}, fault{kind: limit, at: d, n: n},
				fault{kind: reset, at: d, n: n})
		}
		for n := range c.sends[d] {
			single = append(single, fault{kind: lost, at: d, n: n + 1})
		}
		for n := range c.used[d] {
			single = append(single, fault{kind: refused, at: d, n: n + 1})
		}
		for n := range c.asked[d] {
			single = append(single, fault{kind: fails, at: d, n: n + 1})
		}
	}
	rng.Shuffle(len(single), func(i, j int) { single[i], single[j] = single[j], single[i] })
	list := make([][]fault, c.o.Runs)
	for i := range list {
		if i < len(single) {
			list[i] = single[i : i+1]
			continue
		}
		for range 2 + rng.IntN(2) {
			list[i] = append(list[i], single[rng.IntN(len(single))])
		}
	}
	return list
}

// reordered are the faults in which messages come in another order, or beside each other, as far as where they come
// from allows it.
func (c *checker) reordered(d int) (list []fault) {
	last, messages := len(c.base)-1, len(c.base[d].Line.Messages)
	if key := laneOf(c.base[d].Line); key != "" {
		for m := 1; m < messages; m++ {
			list = append(list, fault{kind: apart, at: d, to: d, n: m})
		}
		for _, to := range slices.Compact([]int{min(d+1, last), last}) {
			if to > d && laneOf(c.base[to].Line) != key {
				list = append(list, fault{kind: later, at: d, to: to})
			}
		}
		return list
	}
	list = append(list, fault{kind: twice, at: d})
	if last > d {
		list = append(list, fault{kind: again, at: d, to: last}, fault{kind: later, at: d, to: d + 1},
			fault{kind: later, at: d, to: last})
	}
	if messages > 1 {
		for m := range messages {
			list = append(list, fault{kind: apart, at: d, to: d, n: m})
		}
	}
	return list
}

// each runs schedules, several at a time, and passes on their results in order.
func (c *checker) each(ctx context.Context, list [][]fault) func(func(int, *chaosRun) bool) {
	return func(yield func(int, *chaosRun) bool) {
		ctx, stop := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer stop()
		results := make([]chan *chaosRun, len(list))
		for i := range results {
			results[i] = make(chan *chaosRun, 1)
		}
		next := make(chan int)
		group.Go(func() {
			defer close(next)
			for i := range list {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for range cmp.Or(c.o.Workers, runtime.GOMAXPROCS(0)) {
			group.Go(func() {
				for i := range next {
					r, err := c.run(ctx, c.base, list[i])
					if err != nil {
						r = &chaosRun{err: err}
					}
					results[i] <- r
				}
			})
		}
		for i := range results {
			select {
			case r := <-results[i]:
				if !yield(i, r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// shrink looks for the shortest schedule that shows a difference of the same kind: first with fewer faults, then with
// fewer deliveries.
func (c *checker) shrink(ctx context.Context, r *chaosRun, differences []Difference) (StateDifference, error) {
	best, shown := r, differences
	try := func(base []*delivery, faults []fault) (bool, error) {
		clean := c.clean
		if !slices.Equal(base, c.base) {
			plain, err := c.run(ctx, base, nil)
			if err != nil {
				return false, err
			}
			clean = c.normal(plain.state)
		}
		t, err := c.run(ctx, base, faults)
		if err != nil {
			return false, err
		}
		d := c.differences(clean, t.state)
		if len(d) > 0 && kindOf(d) == kindOf(differences) {
			best, shown = t, d
			return true, nil
		}
		return false, nil
	}
	for i := 0; i < len(best.faults) && len(best.faults) > 1; {
		ok, err := try(best.base, slices.Delete(slices.Clone(best.faults), i, i+1))
		if err != nil {
			return StateDifference{}, err
		}
		if !ok {
			i++
		}
	}
	// What comes again or late may do so earlier, so that the deliveries between have no part in it.
	for i, f := range best.faults {
		nearest := f
		switch {
		case f.kind == again && f.to > f.at:
			nearest.to = f.at
		case f.kind == later && f.to > f.at+1:
			nearest.to = f.at + 1
		default:
			continue
		}
		faults := slices.Clone(best.faults)
		faults[i] = nearest
		if _, err := try(best.base, faults); err != nil {
			return StateDifference{}, err
		}
	}
	// Most deliveries have no part in it: many go at a time, and then one by one.
	for part := max(len(best.base)/2, 1); len(best.base) > 1; part = (part + 1) / 2 {
		better := false
		for from := 0; from < len(best.base) && len(best.base) > 1; {
			base, faults, ok := without(best.base, best.faults, from, min(from+part, len(best.base)))
			if ok {
				var err error
				if ok, err = try(base, faults); err != nil {
					return StateDifference{}, err
				}
			}
			if better = better || ok; !ok {
				from += part
			}
		}
		if part == 1 && !better {
			break
		}
	}
	for d := 0; d < len(best.base); d++ {
		for m := 0; m < len(best.base[d].Line.Messages) && len(best.base[d].Line.Messages) > 1; {
			ok, err := try(withoutMessage(best.base, d, m), best.faults)
			if err != nil {
				return StateDifference{}, err
			}
			if !ok {
				m++
			}
		}
	}
	return StateDifference{Differences: shown, Steps: best.steps}, nil
}

// withoutMessage removes a message from a delivery.
func withoutMessage(base []*delivery, d, m int) []*delivery {
	base = slices.Clone(base)
	line := *base[d].Line
	line.Messages = slices.Delete(slices.Clone(line.Messages), m, m+1)
	r := base[d].Recorded
	base[d] = &delivery{&Recorded{r.File, r.Number, &line, r.At}, base[d].number, base[d].after}
	return base
}

// ancestors returns the spans of the deliveries that have led to a line.
func ancestors(list []*Recorded, of *journal.Line) map[string]bool {
	lines := map[string]*journal.Line{}
	for _, r := range list {
		if r.Line.Span != "" {
			lines[r.Line.Span] = r.Line
		}
	}
	found := map[string]bool{}
	var climb func(l *journal.Line)
	climb = func(l *journal.Line) {
		spans := []string{l.Parent}
		for _, m := range l.Messages {
			if c := cause.Parse(m.Cause); c.Valid() {
				spans = append(spans, hex.EncodeToString(c.Span[:]))
			}
		}
		for _, span := range spans {
			if above := lines[span]; above != nil && !found[span] {
				found[span] = true
				climb(above)
			}
		}
	}
	climb(of)
	return found
}

// without removes deliveries. It returns false if a fault belongs to one of them.
func without(base []*delivery, faults []fault, from, to int) ([]*delivery, []fault, bool) {
	moved := func(i int) (int, bool) {
		switch {
		case i < from:
			return i, true
		case i < to:
			return 0, false
		}
		return i - (to - from), true
	}
	var left []fault
	for _, f := range faults {
		var ok, too bool
		f.at, ok = moved(f.at)
		if f.to, too = moved(f.to); !ok || !too {
			return nil, nil, false
		}
		left = append(left, f)
	}
	base = slices.Delete(slices.Clone(base), from, to)
	return base, left, len(base) > 0
}

// script builds a Worker's script, once for all runs.
func (c *checker) script(cfg *wrangler.Config, o bundle.Options) (*worker.Script, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.scripts[cfg.Name]; s != nil {
		return s, nil
	}
	o.CheckRegExp = regexpcheck.Check
	b, err := bundle.Build(o)
	if err != nil {
		return nil, err
	}
	c.scripts[cfg.Name] = &worker.Script{Bundle: b}
	return c.scripts[cfg.Name], nil
}

// source returns the source map of a Worker's script, nil if there is none.
func (c *checker) source(name string) *bundle.SourceMap {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.scripts[name]; s != nil {
		return s.Bundle.Map
	}
	return nil
}

// Chaos writes the result of a check.
func (s Show) Chaos(b *strings.Builder, x *Chaos) {
	for _, f := range x.Findings {
		for i, d := range f.Differences {
			mark := s.Paint("31", "✘")
			if i > 0 {
				mark = " "
			}
			fmt.Fprintf(b, "%s %s: %s → %s\n", mark, d.Path, s.side("31", d.Want), s.side("32", d.Got))
		}
		for i, step := range f.Steps {
			fmt.Fprintf(b, "  %d  %s\n", i+1, step.Text)
			for _, line := range step.Lines {
				fmt.Fprintf(b, "       %s\n", s.Paint("2", line))
			}
		}
	}
}

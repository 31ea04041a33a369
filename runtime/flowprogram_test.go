package runtime

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// flowOp is an operation of a generated workflow, with what must come of it.
type flowOp struct {
	kind         string // do, sleep, event, all
	name, typ    string
	fails, limit int
	bare         bool // a do whose failure nobody catches
	times        int  // a loop around it
	ms, delay    int
	branches     [][]*flowOp
}

// generateFlow makes the operations of a program. Branches have names of their own: of steps of one name the platform
// counts those that are called first, and which branch that is depends on the time.
func generateFlow(rng *rand.Rand, depth int, prefix string) (ops []*flowOp) {
	for range 1 + rng.IntN(4) {
		o := &flowOp{name: prefix + string(rune('a'+rng.IntN(2))), times: 1 + rng.IntN(4)/3, ms: rng.IntN(40)}
		switch n := rng.IntN(7); {
		case n < 3:
			o.kind, o.fails, o.limit, o.delay = "do", rng.IntN(4)*rng.IntN(2), rng.IntN(4), rng.IntN(30)
			o.ms *= rng.IntN(2)
		case n == 3:
			o.kind, o.ms = "sleep", o.ms*4
		case n < 6:
			o.kind, o.typ, o.ms = "event", string(rune('x'+rng.IntN(2))), 1+o.ms*10
		case depth == 0:
			continue
		default:
			o.kind, o.times = "all", 1
			for b := range 2 + rng.IntN(2) {
				o.branches = append(o.branches, generateFlow(rng, depth-1, fmt.Sprint(prefix, len(ops), ".", b, ".")))
			}
		}
		ops = append(ops, o)
	}
	if depth == flowDepth && rng.IntN(5) == 0 {
		ops = append(ops, &flowOp{kind: "do", name: "bare", fails: rng.IntN(3), limit: 1, bare: true, times: 1})
	}
	return ops
}

// flowDepth is how deep groups of branches may nest.
const flowDepth = 2

// flowCode is a program in JavaScript: an async function of what tells the test.
func flowCode(ops []*flowOp) string {
	var b strings.Builder
	b.WriteString("async (t) => {\n const out = [];\n")
	for _, o := range ops {
		if o.times > 1 {
			fmt.Fprintf(&b, " for (let i = 0; i < %d; i++)", o.times)
		}
		switch o.kind {
		case "do":
			call := "try"
			if o.bare {
				call = "do"
			}
			backoff := []string{"constant", "linear", "exponential"}[o.delay%3]
			fmt.Fprintf(&b, " out.push(await t.%s(%q, { retries: { limit: %d, delay: %d, backoff: %q } }, %d, %d));\n",
				call, o.name, o.limit, o.delay, backoff, o.fails, o.ms)
		case "sleep":
			fmt.Fprintf(&b, " out.push(await t.sleep(%q, %d));\n", o.name, o.ms)
		case "event":
			fmt.Fprintf(&b, " out.push(await t.event(%q, %q, %d));\n", o.name, o.typ, o.ms)
		case "all":
			b.WriteString(" out.push(await Promise.all([\n")
			for _, ops := range o.branches {
				fmt.Fprintf(&b, "(%s)(t),\n", flowCode(ops))
			}
			b.WriteString(" ]));\n")
		}
	}
	b.WriteString(" return out;\n}")
	return b.String()
}

// flowWant is what may stand at each place of a program's output, and whether the program may fail or must.
type flowWant struct {
	places            [][]string
	mayFail, mustFail bool
}

// wanted is what the program says. After an attempt that a kill has cut short there is always another one with a number
// of its own, even if it was the last: a step with enough retries never fails, and one with too few may have a value.
func wanted(ops []*flowOp, killed bool) (w flowWant) {
	counts := map[string]int{}
	var walk func(ops []*flowOp)
	walk = func(ops []*flowOp) {
		for _, o := range ops {
			for _, b := range o.branches {
				walk(b)
			}
			for range o.times {
				switch o.kind {
				case "sleep":
					w.places = append(w.places, []string{"slept"})
				case "event":
					w.places = append(w.places, nil)
				case "do":
					counts[o.name]++
					value := fmt.Sprint(o.name, "-", counts[o.name])
					switch fails := o.fails > o.limit; {
					case o.bare:
						w.mayFail, w.mustFail = w.mayFail || fails, w.mustFail || fails && !killed
						w.places = append(w.places, []string{value})
					case fails && killed:
						w.places = append(w.places, []string{value, "failed"})
					case fails:
						w.places = append(w.places, []string{"failed"})
					default:
						w.places = append(w.places, []string{value})
					}
				}
			}
		}
	}
	walk(ops)
	return w
}

// fits tells whether an output is one that the program may have.
func (w flowWant) fits(out string) bool {
	got := strings.Fields(out)
	if len(got) != len(w.places) {
		return false
	}
	for i, place := range w.places {
		event := got[i] == "late" || got[i][0] == 'e'
		if place == nil && !event || place != nil && !slices.Contains(place, got[i]) {
			return false
		}
	}
	return true
}

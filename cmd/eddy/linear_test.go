package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// history is what clients have asked registers, and what they were told. Registers go out of use when they have a few
// changes without an answer: the judge tries all that those may have been, so it always comes to an end.
type history struct {
	began time.Time

	mu      sync.Mutex // guards the rest
	ops     []porcupine.Operation
	unknown int
	open    map[string]int   // changes without an answer, by object
	newest  map[string]int   // what was told last, by object
	lives   map[string]lives // by object
	age     [slots]int       // how many objects each slot has had
}

// slots is how many objects are in use at a time.
const slots = 6

// mostOpen is how many changes without an answer an object has before the next one takes its place. Those that are on
// their way then may be added to them.
const mostOpen = 3

// lives are the instances of an object, with when each was asked, and when it had answered.
type lives map[string][]span

type span struct{ called, returned int64 }

// asked is a call of a register.
type asked struct {
	object, path string
	value, from  int
}

// nothing is the answer of a call that was not answered.
const nothing = math.MinInt

func newHistory() *history {
	return &history{began: time.Now(), open: map[string]int{}, newest: map[string]int{}, lives: map[string]lives{}}
}

func (h *history) now() int64 { return int64(time.Since(h.began)) }

// object is the one that a slot has now, with what it was last heard to hold.
func (h *history) object(slot int) (name string, value int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name = fmt.Sprintf("r%d-%d", slot, h.age[slot])
	if h.open[name] >= mostOpen {
		h.age[slot]++
		name = fmt.Sprintf("r%d-%d", slot, h.age[slot])
	}
	return name, h.newest[name]
}

// note notes a call. One without an answer may have happened, or may yet.
func (h *history) note(client int, a asked, called, returned int64, text string, err error) {
	number, instance, _ := strings.Cut(text, " ")
	told, bad := strconv.Atoi(number)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil || bad != nil {
		h.unknown++
		if a.path == "/get" {
			return // it tells nothing
		}
		told, returned = nothing, math.MaxInt64
		h.open[a.object]++
	} else {
		if a.path != "/cas" {
			h.newest[a.object] = told
		}
		if h.lives[a.object] == nil {
			h.lives[a.object] = lives{}
		}
		h.lives[a.object][instance] = append(h.lives[a.object][instance], span{called, returned})
	}
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: a, Call: called, Output: told, Return: returned})
}

// objects are all that were asked and answered.
func (h *history) objects() (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.lives {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// registers is what a register may say: each change counts once, and nobody reads what was before.
var registers = porcupine.Model{
	Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
		at := map[string]int{}
		for _, op := range all {
			object := op.Input.(asked).object
			i, ok := at[object]
			if !ok {
				i = len(parts)
				at[object] = i
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], op)
		}
		return parts
	},
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		n, in, told := state.(int), input.(asked), output.(int)
		right := n
		switch in.path {
		case "/add":
			n++
			right = n
		case "/put":
			n = in.value
			right = n
		case "/cas":
			right = 0
			if n == in.from {
				n, right = in.value, 1
			}
		}
		return told == nothing || told == right, n
	},
	Equal: func(a, b any) bool { return a == b },
}

// wrong says of which objects no order of the calls explains the answers, and which had two instances at a time.
func (h *history) wrong() (texts []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, part := range registers.Partition(h.ops) {
		if porcupine.CheckOperations(registers, part) {
			continue
		}
		slices.SortFunc(part, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		texts = append(texts, fmt.Sprintf("%s is not linearizable: %s", part[0].Input.(asked).object, story(part)))
	}
	for name, l := range h.lives {
		if text := l.two(); text != "" {
			texts = append(texts, name+": "+text)
		}
	}
	return texts
}

// story tells the calls of an object shortly: those around the first one that cannot be explained.
func story(ops []porcupine.Operation) string {
	bad := len(ops)
	for n := range ops {
		if !porcupine.CheckOperations(registers, ops[:n+1]) {
			bad = n + 1
			break
		}
	}
	var b strings.Builder
	for _, op := range ops[max(0, bad-12):bad] {
		in := op.Input.(asked)
		fmt.Fprintf(&b, "\n  client %d, %.3f s", op.ClientId, float64(op.Call)/1e9)
		if op.Return != math.MaxInt64 {
			fmt.Fprintf(&b, " to %.3f s", float64(op.Return)/1e9)
		}
		fmt.Fprintf(&b, ": %s", in.path)
		if in.path == "/put" || in.path == "/cas" {
			fmt.Fprintf(&b, " %d", in.value)
		}
		if in.path == "/cas" {
			fmt.Fprintf(&b, " for %d", in.from)
		}
		if told := op.Output.(int); told == nothing {
			b.WriteString(" → no answer")
		} else {
			fmt.Fprintf(&b, " → %d", told)
		}
	}
	return b.String()
}

// two finds an instance that answered before another one was asked, and was asked after that one had answered: both
// lived. It is empty if there is none.
func (l lives) two() string {
	for one, mine := range l {
		first, last := int64(math.MaxInt64), int64(0)
		for _, s := range mine {
			first, last = min(first, s.returned), max(last, s.called)
		}
		for other, theirs := range l {
			for _, s := range theirs {
				if other != one && first < s.called && s.returned < last {
					at := func(t int64) string { return fmt.Sprintf("%.3f s", float64(t)/1e9) }
					return fmt.Sprintf("instance %s answered at %s, %s from %s to %s, and %s was asked at %s", one,
						at(first), other, at(s.called), at(s.returned), one, at(last))
				}
			}
		}
	}
	return ""
}

// The judge finds a lost change, a read of what was before, and two instances.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		texts string
		paths string
		wrong string
	}{
		{"1 a, 2 a, 2 a", "/add /add /get", ""},
		{"1 a, 1 a", "/add /add", "not linearizable"},
		{"1 a, 0 a", "/add /get", "not linearizable"},
		{"1 a, ?, 3 a", "/add /add /add", ""},
		{"1 a, ?, 2 a", "/add /add /add", ""},
		{"7 a, 1 a, 7 a", "/put /cas /get", ""},
		{"7 a, 0 a, 7 a", "/put /cas /get", "not linearizable"},
		{"7 a, ?, 8 a", "/put /put /get", "not linearizable"},
		{"1 a, 2 b, 3 b", "/add /add /add", ""},
		{"1 a, 2 b, 3 a", "/add /add /add", "instance a answered"},
	} {
		h := newHistory()
		paths := strings.Fields(c.paths)
		for i, text := range strings.Split(c.texts, ", ") {
			h.note(0, asked{object: "c", path: paths[i], value: 7, from: 7}, int64(2*i), int64(2*i+1), text, nil)
		}
		got := strings.Join(h.wrong(), "\n")
		if (got == "") != (c.wrong == "") || !strings.Contains(got, c.wrong) {
			t.Errorf("%s, %s: %q", c.paths, c.texts, got)
		}
	}
}

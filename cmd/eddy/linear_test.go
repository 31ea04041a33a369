package main

import (
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// history is what clients have asked counters, and what they were told.
type history struct {
	began time.Time

	mu      sync.Mutex
	ops     []porcupine.Operation // guarded by mu
	unknown int                   // guarded by mu
}

// asked is a call of a counter; told is its answer, -1 if there was none.
type asked struct{ object, path string }

func (h *history) now() int64 { return int64(time.Since(h.began)) }

// note notes a call. One without an answer may have happened, or may yet.
func (h *history) note(client int, object, path string, called int64, text string, err error) {
	told, bad := strconv.Atoi(text)
	returned := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil || bad != nil {
		h.unknown++
		if path == "/get" {
			return // it tells nothing
		}
		told, returned = -1, math.MaxInt64
	}
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: asked{object, path}, Call: called, Output: told,
		Return: returned})
}

// counters is what a counter may say: each addition counts once, and nobody reads what was before.
var counters = porcupine.Model{
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
		n := state.(int)
		if input.(asked).path == "/add" {
			n++
		}
		return output.(int) == -1 || output.(int) == n, n
	},
	Equal: func(a, b any) bool { return a == b },
}

// judge fails the test if no order of the calls explains the answers.
func (h *history) judge(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if result := porcupine.CheckOperationsTimeout(counters, h.ops, 2*time.Minute); result != porcupine.Ok {
		t.Errorf("the calls of objects are not linearizable: %s", result)
	}
}

// The judge finds a lost addition, and a read of what was before.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		texts []string
		paths []string
		want  porcupine.CheckResult
	}{
		{[]string{"1", "2", "2"}, []string{"/add", "/add", "/get"}, porcupine.Ok},
		{[]string{"1", "1"}, []string{"/add", "/add"}, porcupine.Illegal},
		{[]string{"1", "0"}, []string{"/add", "/get"}, porcupine.Illegal},
		{[]string{"1", "?", "3"}, []string{"/add", "/add", "/add"}, porcupine.Ok},
		{[]string{"1", "?", "2"}, []string{"/add", "/add", "/add"}, porcupine.Ok},
	} {
		h := &history{began: time.Now()}
		for i, text := range c.texts {
			h.note(0, "c", c.paths[i], h.now(), text, nil)
		}
		if got := porcupine.CheckOperations(counters, h.ops); (got && c.want != porcupine.Ok) ||
			(!got && c.want == porcupine.Ok) {
			t.Errorf("%v %v: %v", c.paths, c.texts, got)
		}
	}
}

package queues

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Queues come in the order of their deadlines, then of their making; one that is set anew moves, and 0 takes it out.
func TestDeadlines(t *testing.T) {
	var h deadlines[*queue]
	q := map[string]*queue{}
	for i, name := range []string{"a", "b", "c", "d"} {
		q[name] = &queue{name: name, serial: uint64(i)}
	}
	for _, step := range []struct {
		set  string // name=deadline …
		now  int64  // then those that are due
		want string
	}{
		{"a=30 b=10 c=10 d=20", 10, "b c"},
		{"", 10, ""},
		{"a=5", 5, "a"},
		{"b=40 c=50 d=0", 60, "b c"},
		{"d=0 a=70 b=70 b=80 a=90", 100, "b a"},
	} {
		for set := range strings.FieldsSeq(step.set) {
			name, value, _ := strings.Cut(set, "=")
			var due int64
			if _, err := fmt.Sscan(value, &due); err != nil {
				t.Fatal(err)
			}
			h.set(q[name], due)
		}
		var got []string
		h.take(step.now, func(q *queue) { got = append(got, q.name) })
		if strings.Join(got, " ") != step.want {
			t.Errorf("set %q, at %d: %v, want %s", step.set, step.now, got, step.want)
		}
	}
	if h.Len() != 0 {
		t.Errorf("%d are left", h.Len())
	}
}

// A deadline that moves, among those of a thousand queues.
func BenchmarkDeadlines(b *testing.B) {
	var h deadlines[*queue]
	list := make([]*queue, 1000)
	for i := range list {
		list[i] = &queue{serial: uint64(i)}
		h.set(list[i], int64(i+1))
	}
	random := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.set(list[i%1000], 1+random.Int64N(1000))
	}
}

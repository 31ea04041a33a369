package durableobject

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// scripted is an actor with so many sockets.
type scripted int

func (s scripted) Sockets() int { return int(s) }

// The whole table, as text: commands in, states out. An impossible command says so.
func TestLife(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"arrive constructed quiet expire", "starting running idle cold"},
		{"arrive constructed quiet arrive quiet sleep arrive",
			"starting running idle running idle hibernating starting"},
		{"arrive arrive reset arrive", "starting starting broken !"},
		{"arrive constructed quiet sleep expire", "starting running idle hibernating cold"},
		{"quiet", "!"},
		{"arrive quiet", "starting !"},
		{"arrive constructed expire", "starting running !"},
	} {
		state := Cold
		var got []string
		for _, word := range strings.Fields(c.script) {
			var trigger Trigger
			for trigger = Arrive; trigger.String() != word; trigger++ {
			}
			to, err := next(state, trigger)
			if err != nil {
				got = append(got, "!")
				break
			}
			state = to
			got = append(got, to.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.script, s, c.want)
		}
	}
}

// GT9: idle for ten seconds, then gone; what happens in between starts the time anew; sockets make it hibernate.
func TestSweep(t *testing.T) {
	var log []string
	n := NewNamespace(0, func(o *Object) { log = append(log, fmt.Sprintf("%x %s", o.ID[0], o.State())) })
	start := time.Unix(100, 0)
	run := func(id byte, sockets int, at time.Time) *Object {
		o := n.Get(ID{id})
		if o.State() == Cold {
			n.Change(o, Arrive, at)
			n.Change(o, Constructed, at)
		} else {
			n.Change(o, Arrive, at)
		}
		o.Actor = scripted(sockets)
		n.Change(o, Quiet, at)
		return o
	}
	run(1, 0, start)
	run(2, 3, start.Add(time.Second))
	run(1, 0, start.Add(5*time.Second))
	if due, ok := n.Sweep(start.Add(10 * time.Second)); !ok || !due.Equal(start.Add(11*time.Second)) {
		t.Error(due, ok)
	}
	if due, ok := n.Sweep(start.Add(11 * time.Second)); !ok || !due.Equal(start.Add(15*time.Second)) {
		t.Error(due, ok)
	}
	if _, ok := n.Sweep(start.Add(15 * time.Second)); ok {
		t.Error("something idles still")
	}
	if got := strings.Join(log, "; "); got != "2 hibernating; 1 cold" {
		t.Error(got)
	}
	if n.Live(ID{1}) != nil || n.Live(ID{2}) == nil {
		t.Error("the cold one is forgotten, the hibernating one is not")
	}
}

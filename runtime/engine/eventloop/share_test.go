package eventloop

import (
	"testing"
	"time"
)

// What a turn did not get: all that its first look came late, and from then on what the process did not take.
func TestShortage(t *testing.T) {
	begun := time.Unix(1000, 0)
	at := func(ms int) time.Time { return begun.Add(time.Duration(ms) * time.Millisecond) }
	for _, c := range []struct {
		name  string
		looks [][2]int // when, in milliseconds, and what the process has taken by then; -1 where nobody tells
		want  int
	}{
		{"all of it", [][2]int{{20, 5}, {60, 45}}, 0},
		{"more, on other processors", [][2]int{{20, 5}, {60, 500}}, 0},
		{"half of it", [][2]int{{20, 5}, {60, 25}}, 20},
		{"nothing at first", [][2]int{{520, 5}}, 500},
		{"nothing at first, half afterwards", [][2]int{{520, 5}, {620, 55}}, 550},
		{"the latest look counts", [][2]int{{20, 5}, {60, 5}, {100, 85}}, 0},
		{"nobody tells", [][2]int{{30, -1}, {600, -1}}, 10},
	} {
		s := shortage{planned: at(20)}
		var got time.Duration
		for _, look := range c.looks {
			got = s.look(at(look[0]), func() (time.Duration, bool) {
				return time.Duration(look[1]) * time.Millisecond, look[1] >= 0
			})
		}
		if got != time.Duration(c.want)*time.Millisecond {
			t.Errorf("%s: %v, expected %d ms", c.name, got, c.want)
		}
	}
}

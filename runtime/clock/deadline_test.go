package clock

import (
	"strings"
	"testing"
	"time"
)

type dated struct {
	Deadline
	name string
}

func (d *dated) Before(other *dated) bool { return d.Earlier(&other.Deadline) }

// Things fall due in the order of time, then of adding. One that was removed may be added again, and is then the
// newest.
func TestDeadlines(t *testing.T) {
	var d Deadlines[*dated]
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	a, b, c, e := &dated{name: "a"}, &dated{name: "b"}, &dated{name: "c"}, &dated{name: "e"}
	d.Add(a, at(30))
	d.Add(b, at(10))
	d.Add(c, at(10))
	d.Add(e, at(20))
	if !d.Remove(b) || d.Remove(b) {
		t.Error("removing twice: the first time it was there, the second not")
	}
	d.Add(b, at(10))
	var got []string
	for {
		x, ok := d.First()
		if !ok {
			break
		}
		got = append(got, x.name)
		d.Remove(x)
	}
	if s := strings.Join(got, " "); s != "c b e a" {
		t.Errorf("%s, want c b e a", s)
	}
}

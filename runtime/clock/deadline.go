package clock

import "time"

// Deadline is a time that something waits for in [Deadlines]. What waits there embeds it.
type Deadline struct {
	Slot
	When time.Time
	seq  uint64
}

func (d *Deadline) deadline() *Deadline { return d }

// Earlier orders by the time, then by the order in which they were added.
func (d *Deadline) Earlier(other *Deadline) bool {
	if !d.When.Equal(other.When) {
		return d.When.Before(other.When)
	}
	return d.seq < other.seq
}

// Dated is what embeds a [Deadline]. Its Before is [Deadline.Earlier].
type Dated[T any] interface {
	Placed[T]
	deadline() *Deadline
}

// Deadlines orders what waits for a time: by the time, then by the order in which it was added. The zero value is
// empty. It has one user at a time.
type Deadlines[T Dated[T]] struct {
	Ordered[T]
	seq uint64
}

// Add makes x wait until when. x must not be waiting already.
func (d *Deadlines[T]) Add(x T, when time.Time) {
	d.seq++
	*x.deadline() = Deadline{When: when, seq: d.seq}
	d.Put(x)
}

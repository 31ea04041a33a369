package journal

// What an event cannot know beforehand, and a replay must give it again: random bytes and the time.

const (
	// keptRandom is how many random bytes of an event are kept, keptLooks how many looks at the clock.
	keptRandom = 4 << 10
	keptLooks  = 256
)

// NoteRandom changes random bytes to those that the script shall get, if an event runs again, and notes bytes that a
// script got from the source of randomness, in the order in which it got them.
func (e *Entry) NoteRandom(b []byte) {
	if c := e.given(); c != nil {
		c.Random = c.Random[copy(b, c.Random):]
	}
	if room := keptRandom - len(e.Random); room > 0 {
		e.Random = append(e.Random, b[:min(len(b), room)]...)
	}
}

// NoteLook notes what a script sees on the clock, in milliseconds since 1970, and gives what it shall see.
func (e *Entry) NoteLook(ms int64) (seen int64) {
	if c := e.given(); c != nil {
		if len(c.Clock) > 0 {
			c.last, c.Clock = c.Clock[0], c.Clock[1:]
			ms = c.last
		}
		ms = max(ms, c.last)
	}
	if len(e.Looks) < keptLooks {
		e.Looks = append(e.Looks, ms-e.looked)
		e.looked = ms
	}
	return ms
}

// Chances are what scripts shall see in an event that runs again: random bytes, and the clock in milliseconds since
// 1970, one for each look. After them the session's own follow.
type Chances struct {
	Random []byte
	Clock  []int64
	last   int64
}

// given are the chances of the event, nil for none.
func (e *Entry) given() *Chances {
	if e.from == nil {
		return nil
	}
	if !e.resolved {
		e.resolved, e.chances = true, e.from(e)
	}
	return e.chances
}

// Seen are the times that scripts saw on the clock, in milliseconds since 1970, one for each look.
func (e *Entry) Seen() []int64 {
	list := make([]int64, len(e.Looks))
	var ms int64
	for i, d := range e.Looks {
		ms += d
		list[i] = ms
	}
	return list
}

package member

import (
	"context"
	"strconv"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
)

// node is a process of the world. It keeps a counter in each shard that it owns, as an object would: in memory, and in
// the shard before anybody hears of it.
type node struct {
	w      *world
	name   string
	rate   float64 // of its clock
	life   int     // which start this is
	member *Member
	held   map[int]*counter
	cut    time.Time // until then it does not reach the database
	paused bool
	since  time.Time     // of the pause
	stood  time.Duration // for how long its clock stood still
	later  []func()      // what it does when it wakes up
	gained int
	places func([]engine.NodeID, int) []engine.NodeID // of another version; nil: this one's
}

// counter is a shard as its owner has it in memory.
type counter struct {
	shard *Shard
	value int
	ready bool
	last  []func(error) // answers that wait for the newest batch
	busy  int           // batches that were handed in and are not kept yet
}

// Now, AfterFunc make a node its own clock, which runs a little too fast or too slow. A node that is paused does
// nothing, but its clock runs on.
func (n *node) Now() time.Time {
	start := time.Unix(0, 0)
	stood := n.stood
	if n.paused && n.w.mutant.frozen {
		stood += n.w.now().Sub(n.since)
	}
	return start.Add(time.Duration(float64(n.w.now().Sub(start)-stood) * n.rate))
}

func (n *node) AfterFunc(d time.Duration, f func()) clock.Timer {
	life, due, t := n.life, n.Now().Add(d), &timer{}
	var ring func()
	ring = func() {
		n.wake(life, func() {
			switch left := due.Sub(n.Now()); {
			case t.stopped:
			case left > time.Millisecond: // its clock stood still meanwhile
				n.w.after(time.Duration(float64(left)/n.rate), ring)
			default:
				f()
			}
		})
	}
	n.w.after(time.Duration(float64(d)/n.rate), ring)
	return t
}

// timer is one of a node's clock.
type timer struct{ stopped bool }

func (t *timer) Stop() bool { was := t.stopped; t.stopped = true; return !was }

func (n *node) Hold(reason string) func()                 { return n.w.clock.Hold(reason) }
func (n *node) Participant(name string) clock.Participant { return n.w.clock.Participant(name) }

// wake runs f if the process that asked for it still lives, as soon as it is not paused.
func (n *node) wake(life int, f func()) {
	switch {
	case life != n.life:
	case n.paused:
		n.later = append(n.later, func() { n.wake(life, f) })
	default:
		f()
	}
}

func (n *node) pause(d time.Duration) {
	if n.paused {
		return
	}
	n.paused, n.since = true, n.w.now()
	n.w.after(d, func() {
		n.paused = false
		if n.w.mutant.frozen {
			n.stood += n.w.now().Sub(n.since)
		}
		later := n.later
		n.later = nil
		for _, f := range later {
			f()
		}
	})
}

func (n *node) join() {
	n.life++
	life := n.life
	n.held = map[int]*counter{}
	n.member = start(Options{
		Node: engine.Node{ID: engine.NodeID(n.name + "/" + strconv.Itoa(life)), URL: n.name}, Clock: n,
		Confirmed: n.w.mutant.confirmed,
		Events: Events{
			Gained:  n.gain,
			Handing: func(_ *Shard, ready func()) { n.AfterFunc(n.w.upTo(20*time.Millisecond), ready) },
			Lost:    func(s *Shard, _ error) { delete(n.held, s.ID()) },
			Ended:   func(error) { n.w.after(n.w.upTo(2*time.Second), func() { n.again(life) }) },
		},
	}, net{n, life})
	m := n.member
	if n.places != nil {
		m.places = n.places // nothing has answered yet
	}
	n.AfterFunc(n.w.upTo(3*time.Second), m.Ready)
}

// again starts the node anew, if nobody has yet.
func (n *node) again(life int) {
	if n.life == life {
		n.join()
	}
}

// crash ends the process; it is started again after a while.
func (n *node) crash() {
	n.life++
	n.held, n.member = nil, nil
	life := n.life
	n.w.after(n.w.upTo(8*time.Second), func() { n.again(life) })
}

// gain loads the counter, which takes a while and may have to be tried again.
func (n *node) gain(s *Shard) {
	n.gained++
	c := &counter{shard: s}
	n.held[s.ID()] = c
	n.load(c)
}

func (n *node) load(c *counter) {
	value := 0
	net{n, n.life}.call(callTime, func(answer func(error)) {
		read := func(_ engine.Key, v engine.Value) (err error) {
			value, err = strconv.Atoi(string(v.Data))
			return err
		}
		answer(n.w.primary.Read(context.Background(), c.shard.grant, "", "", read))
	}, func(err error) {
		if n.held[c.shard.ID()] != c {
			return
		}
		if err != nil {
			n.load(c)
			return
		}
		c.value, c.ready = value, true
	})
}

// increment and read are what clients ask for; done(value, true) is the answer that leaves the node.
func (n *node) increment(id int, done func(int, bool)) {
	c := n.held[id]
	if c == nil || !c.ready {
		done(0, false)
		return
	}
	c.value++
	value := c.value
	c.busy++
	c.shard.Commit(engine.Batch{Puts: []engine.Put{{Key: "n", Value: engine.Value{
		Data: []byte(strconv.Itoa(value)), Number: c.shard.Number()}}}}, func(err error) {
		c.busy--
		done(value, err == nil)
		if c.busy == 0 || err != nil {
			last := c.last
			c.last = nil
			for _, f := range last {
				f(err)
			}
		}
	})
}

func (n *node) read(id int, done func(int, bool)) {
	c := n.held[id]
	if c == nil || !c.ready {
		done(0, false)
		return
	}
	value := c.value
	leave := func(err error) {
		switch {
		case err != nil:
			done(0, false)
		case n.w.mutant.lease:
			done(value, true)
		default:
			c.shard.Confirm(func(err error) { done(value, err == nil) })
		}
	}
	if c.busy > 0 {
		c.last = append(c.last, leave)
		return
	}
	leave(nil)
}

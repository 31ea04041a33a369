package durableobject

// OutputGate holds back what an object says to the outside until the writes made before it are confirmed (GT7). It
// is confined to the isolate's loop.
type OutputGate struct {
	locked    uint64 // locks taken so far
	confirmed uint64 // all locks up to this number are released
	released  map[uint64]bool
	waiting   []outWaiter
	broken    error
}

type outWaiter struct {
	after uint64
	run   func(error)
}

// Lock says that something is being written; outputs from now on wait until confirm is called. An error breaks the
// gate: all that waits, and all that comes, is told so.
func (g *OutputGate) Lock() (confirm func(error)) {
	g.locked++
	n := g.locked
	return func(err error) {
		if n <= g.confirmed || g.released[n] {
			return
		}
		if err != nil {
			g.Break(err)
			return
		}
		if g.released == nil {
			g.released = map[uint64]bool{}
		}
		g.released[n] = true
		for g.released[g.confirmed+1] {
			delete(g.released, g.confirmed+1)
			g.confirmed++
		}
		g.drain()
	}
}

// Output runs fn when everything locked so far is confirmed, at once if it is, in order with other outputs.
func (g *OutputGate) Output(fn func(error)) {
	if g.broken != nil {
		fn(g.broken)
		return
	}
	if g.locked == g.confirmed && len(g.waiting) == 0 {
		fn(nil)
		return
	}
	g.waiting = append(g.waiting, outWaiter{g.locked, fn})
}

func (g *OutputGate) drain() {
	for len(g.waiting) > 0 && g.waiting[0].after <= g.confirmed && g.broken == nil {
		run := g.waiting[0].run
		g.waiting = g.waiting[1:]
		run(nil)
	}
}

// Break tells all that waits, and all that comes, that the writes are lost.
func (g *OutputGate) Break(err error) {
	if g.broken != nil {
		return
	}
	g.broken = err
	waiting := g.waiting
	g.waiting = nil
	for _, w := range waiting {
		w.run(err)
	}
}

// Pending tells whether writes are unconfirmed.
func (g *OutputGate) Pending() bool { return g.locked != g.confirmed }

// Waiting counts what the object has said and nobody has heard yet.
func (g *OutputGate) Waiting() int { return len(g.waiting) }

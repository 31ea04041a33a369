package durableobject

// InputGate decides which event enters an object next (GT1, GT4). While a [Section] is open only what belongs to it
// enters; everything else waits, in order. The gate is confined to the isolate's loop, so it has no mutex.
type InputGate struct {
	open    *Section // innermost open section, nil if none
	waiting []waiter
	broken  error
	// draining is set while waiters are run, so that a section opened by one of them stops the others.
	draining bool
	// Defer, if set, runs each waiter that is let in later, in a turn of its own: an event starts only when nothing
	// else is executing (GT1).
	Defer func(func())
}

// Section is a critical section: blockConcurrencyWhile or transaction (TX4). Sections nest.
type Section struct {
	parent *Section
	ended  bool
}

type waiter struct {
	section *Section
	run     func()
}

// Enter runs fn now or when the sections that keep it out have ended. section is the section that fn belongs to, nil
// for a new event. A section that has ended stands for its nearest parent that has not. When the gate is broken, fn
// never runs.
func (g *InputGate) Enter(section *Section, fn func()) {
	if g.broken != nil {
		return
	}
	if section.live() == g.open && (len(g.waiting) == 0 || !g.waitingFor(g.open)) {
		fn()
		return
	}
	g.waiting = append(g.waiting, waiter{section, fn})
}

// waitingFor tells whether somebody who came earlier waits for the same section: those keep their order.
func (g *InputGate) waitingFor(s *Section) bool {
	for _, w := range g.waiting {
		if w.section.live() == s {
			return true
		}
	}
	return false
}

func (s *Section) live() *Section {
	for s != nil && s.ended {
		s = s.parent
	}
	return s
}

// Lock opens a section inside parent (nil for none) as soon as no other section holds the gate, and calls start with
// it, at once if possible. The caller is inside already, so it goes before those that wait to enter.
func (g *InputGate) Lock(parent *Section, start func(*Section)) {
	open := func() {
		s := &Section{parent: parent.live()}
		g.open = s
		start(s)
	}
	if g.broken == nil && parent.live() == g.open {
		open()
		return
	}
	g.Enter(parent, open)
}

// Unlock ends s and lets in what waited. Sections inside s that are still open end with it.
func (g *InputGate) Unlock(s *Section) {
	if s.ended {
		return
	}
	for o := g.open; o != nil && o != s; o = o.parent {
		o.ended = true
	}
	s.ended = true
	g.open = g.open.live()
	g.drain()
}

func (g *InputGate) drain() {
	if g.draining {
		return
	}
	g.draining = true
	if g.Defer != nil {
		g.Defer(g.step)
		return
	}
	defer func() { g.draining = false }()
	for run := g.next(); run != nil; run = g.next() {
		run()
	}
}

// step runs one waiter and leaves the others to the next turn.
func (g *InputGate) step() {
	g.draining = false
	run := g.next()
	if run == nil {
		return
	}
	defer func() {
		if len(g.waiting) > 0 {
			g.drain()
		}
	}()
	run()
}

// next takes the first waiter that may enter now, nil if there is none.
func (g *InputGate) next() func() {
	if g.broken != nil {
		return nil
	}
	for i, w := range g.waiting {
		if w.section.live() == g.open {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return w.run
		}
	}
	return nil
}

// Break refuses everything from now on, because the object is being reset. It reports how many waiters were dropped.
func (g *InputGate) Break(err error) int {
	n := len(g.waiting)
	g.broken, g.waiting = err, nil
	return n
}

// Held tells whether a section is open.
func (g *InputGate) Held() bool { return g.open != nil }

// Waiting counts the events that wait to enter.
func (g *InputGate) Waiting() int { return len(g.waiting) }

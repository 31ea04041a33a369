package workflows

import "eddy/runtime/sqlite"

// Home is where a cluster keeps the file of a workflow that is on this node. The workflow's goroutine calls its
// methods. A workflow whose home has failed refuses everything; the next one, here or on another node, goes on with
// what was kept.
type Home interface {
	// Open brings the file here and opens it.
	Open(o sqlite.Options) (*sqlite.DB, error)
	// Keep hands in what the connection has committed since the last time. wait waits until that is kept, and what was
	// read may be told.
	Keep(db *sqlite.DB) (wait func() error)
	// Leave closes the connection. The file stays.
	Leave(db *sqlite.DB) error
}

// Retire comes to an end before the workflow goes to another node: no life and no attempt begins any more, and what
// waits is let go. done is called, on the workflow's goroutine, when no attempt runs, or nothing can be done any more.
func (w *Workflow) Retire(done func()) {
	err := w.post(request{refuse: func(error) { done() }, run: func(t *turn) { w.retired = done }})
	if err != nil {
		done()
	}
}

// retire ends the lives of which no attempt runs. The next life of one that waits begins when its time has come.
func (t *turn) retire() {
	w := t.w
	for _, l := range w.lives {
		if l.attempts > 0 {
			continue
		}
		wake := int64(0)
		if l.since != 0 {
			wake = t.nextWait(l)
		}
		t.drop(l)
		t.exec("UPDATE instances SET wake=? WHERE seq=?", wake, l.in.seq)
		t.then(func() { l.stop(ErrClosed) })
	}
	if len(w.lives) == 0 && !w.quiet {
		w.quiet = true
		t.after = append(t.after, func(error) { w.retired() })
	}
}

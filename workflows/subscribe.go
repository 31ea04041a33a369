package workflows

// Happened is an event of an instance in the form that a subscriber gets.
type Happened struct {
	InstanceEvent
	// Value is the structured clone of a step's result or of the payload. It is nil where there is none, and where it
	// is sensitive. Chunks counts the pieces of a stream, -1 for any other value.
	Value []byte
}

// manyHappened is how many events one answer of [Workflow.Subscribe] has at most.
const manyHappened = 100

// watcher is a subscriber that waits for the next event.
type watcher struct{ done func([]Happened, error) }

// Subscribe returns the events of an instance whose ID is above after, and waits for the next one if there are none
// yet. An empty answer means that the instance has ended and that there is nothing more (FLOW-140).
func (w *Workflow) Subscribe(id string, after int64, done func([]Happened, error)) {
	refuse := func(err error) { done(nil, err) }
	err := w.post(request{refuse: refuse, run: func(t *turn) {
		answer := func(list []Happened, err error) {
			t.after = append(t.after, func(failed error) {
				if failed != nil {
					list, err = nil, failed
				}
				done(list, err)
			})
		}
		in, err := t.change(id)
		if err != nil {
			answer(nil, err)
			return
		}
		var list []Happened
		t.history(in, after, manyHappened, func(e InstanceEvent) { list = append(list, Happened{InstanceEvent: e}) })
		if len(list) == 0 && !in.status.Final() {
			w.watching[in.seq] = append(w.watching[in.seq], watcher{done})
			return
		}
		for i := range list {
			list[i].Value = t.valueOf(in, list[i].InstanceEvent)
		}
		answer(list, nil)
	}})
	if err != nil {
		refuse(err)
	}
}

// valueOf returns the value that belongs to an event.
func (t *turn) valueOf(in *instance, e InstanceEvent) (v []byte) {
	switch e.Type {
	case WorkflowStart:
		return in.payload
	case StepSuccess:
		t.query("SELECT value FROM steps WHERE instance=? AND kind=? AND name||'-'||count=? AND value IS NOT NULL AND "+
			"config NOT LIKE '%\"sensitive\":\"output\"%'", func(r row) { v = r.Bytes(0) }, in.seq, int64(Do), e.Step)
	}
	return v
}

// tell answers the subscribers that wait for an event of an instance.
func (t *turn) tell(in *instance, e InstanceEvent) {
	waiting := t.w.watching[in.seq]
	if len(waiting) == 0 {
		return
	}
	delete(t.w.watching, in.seq)
	list := []Happened{{InstanceEvent: e, Value: t.valueOf(in, e)}}
	t.after = append(t.after, func(failed error) {
		for _, x := range waiting {
			if failed != nil {
				x.done(nil, failed)
			} else {
				x.done(list, nil)
			}
		}
	})
}

// unwatch ends the subscriptions to an instance that is deleted.
func (t *turn) unwatch(seq int64) {
	waiting := t.w.watching[seq]
	delete(t.w.watching, seq)
	t.after = append(t.after, func(error) {
		for _, x := range waiting {
			x.done(nil, nil)
		}
	})
}

// refuseWatchers ends all subscriptions with an error.
func (w *Workflow) refuseWatchers(err error) {
	for _, waiting := range w.watching {
		for _, x := range waiting {
			x.done(nil, err)
		}
	}
	clear(w.watching)
}

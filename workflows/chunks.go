package workflows

import "fmt"

// maxState is how many bytes of streams one instance may store (FLOW-161).
const maxState = 1 << 30

// StoreChunk stores one piece of the stream that an attempt of a step returned. The next attempt removes the pieces of
// an attempt that was cut off (FLOW-29).
func (l *Life) StoreChunk(id StepID, n int, bytes []byte, done func(struct{}, error)) {
	l.command(func(t *turn) error {
		s := t.step(l.in, id)
		t.exec("INSERT OR REPLACE INTO chunks(step, n, bytes) VALUES(?,?,?)", s.row, n, bytes)
		l.stored += int64(len(bytes))
		if l.stored > maxState {
			return &Failure{"WorkflowFatalError", "The instance has exceeded the 1GiB storage limit"}
		}
		return nil
	}, done)
}

// Chunk reads one piece of a stream that a step returned.
func (l *Life) Chunk(id StepID, n int, done func([]byte, error)) {
	command(l.w, func(t *turn) ([]byte, error) {
		if err := t.live(l); err != nil {
			return nil, err
		}
		l.calls++
		var b []byte
		t.query("SELECT bytes FROM chunks JOIN steps USING(step) WHERE instance=? AND kind=? AND name=? AND count=? "+
			"AND n=?",
			func(r row) { b = r.Bytes(0) }, l.in.seq, int64(id.Kind), id.Name, id.Count, n)
		if b == nil {
			return nil, &Failure{"WorkflowInternalError",
				fmt.Sprintf("Stored output for %s is corrupt or incomplete.", id.Label())} // FLOW-97
		}
		return b, nil
	}, done)
}

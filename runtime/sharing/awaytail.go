package sharing

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"eddy/runtime/rpc/wire"
	"eddy/runtime/worker"
)

// Tail sends a trace to a Worker of another session. It does not wait. A trace is lost if no session runs the Worker,
// as it is if the session ends before it takes it.
func (s *Sharing) Tail(name string, t *worker.Trace) {
	if _, ok := s.Queues.Running(name); ok {
		s.tails.add(name, t)
	}
}

// sendTail sends traces and waits until the other session has taken them. A failure means that the Worker runs nowhere
// any more, and the traces are lost.
func (s *Sharing) sendTail(name string, list []*worker.Trace) {
	to, ok := s.Queues.Running(name)
	if !ok {
		return
	}
	w := s.wires.open(to)
	if w == nil {
		return
	}
	head, err := json.Marshal(asking{Tail: true})
	if err != nil {
		panic(err) // it has texts and a flag
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err) // traces are texts, numbers and times
	}
	reply, err := w.Entry(wire.Entry{Worker: name}).Fetch(context.Background(), wire.Question{Head: head,
		Body: io.NopCloser(bytes.NewReader(body)), Length: int64(len(body))})
	if err == nil {
		reply.Drop()
	}
}

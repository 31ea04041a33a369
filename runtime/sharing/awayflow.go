package sharing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/workflows"
)

// maxFlowCommand bounds a command to a workflow, and the answer, in bytes: a hundred instances with 1 MiB each, in
// base64.
const maxFlowCommand = 256 << 20

// Flow is the way to a workflow whose class a Worker of another session has, nil if no other session runs the Worker.
func (s *Sharing) Flow(script, name string) *workflows.Distant {
	to, ok := s.Queues.Running(script)
	if !ok {
		return nil
	}
	return &workflows.Distant{Send: func(c workflows.Command) {
		go func() {
			w := s.wires.open(to)
			if w == nil {
				c.Answer(nil, rpc.Disconnected())
				return
			}
			c.Answer(sendFlow(w.Entry(wire.Entry{Worker: script}), name, c.Text))
		}()
	}}
}

// FlowOver is a workflow of a cluster, wherever it is.
func FlowOver(way objectstore.Way) *workflows.Distant {
	return workflows.InOrder(func(command []byte, reads bool) ([]byte, error) {
		text, err := objectstore.Whole(way, struct{}{}, command, reads, &struct{}{}, maxFlowCommand)
		if errors.Is(err, objectstore.ErrDisconnected) {
			err = workflows.ErrDisconnected
		}
		return text, err
	})
}

// ServeFlow executes a command that came over a [objectstore.Way] to a workflow that is on this node.
func ServeFlow(w *workflows.Workflow, command []byte) (objectstore.Told, error) {
	type answer struct {
		text []byte
		err  error
	}
	answered := make(chan answer, 1)
	w.Serve(command, func(text []byte, err error) { answered <- answer{text, err} })
	a := <-answered
	switch {
	case errors.Is(a.err, workflows.ErrDisconnected):
		return objectstore.Told{}, objectstore.ErrDisconnected
	case errors.Is(a.err, workflows.ErrClosed):
		return objectstore.Told{}, objectstore.ErrElsewhere // it had not begun
	case a.err != nil:
		return objectstore.Told{}, a.err
	}
	return objectstore.TellBody(struct{}{}, a.text)
}

// ReadFlowCommand reads a command that came over a [objectstore.Way].
func ReadFlowCommand(body io.Reader) ([]byte, error) {
	command, err := io.ReadAll(io.LimitReader(body, maxFlowCommand))
	if err != nil {
		return nil, objectstore.ErrDisconnected // the caller has gone
	}
	return command, nil
}

func sendFlow(to *wire.Proxy, name string, command []byte) ([]byte, error) {
	head, err := json.Marshal(asking{Workflow: name})
	if err != nil {
		panic(err) // it has texts and numbers
	}
	reply, err := to.Fetch(context.Background(), wire.Question{Head: head,
		Body: io.NopCloser(bytes.NewReader(command)), Length: int64(len(command))})
	if err != nil {
		return nil, err
	}
	defer reply.Drop()
	if reply.Body == nil {
		return nil, errors.New("the other session answered nothing")
	}
	return io.ReadAll(io.LimitReader(reply.Body, maxFlowCommand))
}

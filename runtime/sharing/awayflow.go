package sharing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

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
	return &workflows.Distant{Send: func(command []byte, answer func([]byte, error)) {
		go func() {
			w := s.wires.open(to)
			if w == nil {
				answer(nil, rpc.Disconnected())
				return
			}
			answer(sendFlow(w.Entry(wire.Entry{Worker: script}), name, command))
		}()
	}}
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

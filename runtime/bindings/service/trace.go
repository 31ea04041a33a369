package service

import (
	"encoding/json"
	"strings"

	"eddy/runtime/worker"
)

// Describe implements [worker.Describer].
func (c *call) Describe(*worker.Invocation) *worker.TracedEvent {
	method, err := json.Marshal(strings.Join(c.op.Path, "."))
	if err != nil {
		return nil // a string always marshals
	}
	return &worker.TracedEvent{Class: "JsRpcEventInfo", Properties: [][2]string{{"rpcMethod", string(method)}}}
}

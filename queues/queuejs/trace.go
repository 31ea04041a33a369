package queuejs

import (
	"encoding/json"
	"strconv"

	"eddy/runtime/worker"
)

// Describe implements [worker.Traced].
func (e *batchEvent) Describe(*worker.Invocation) *worker.TracedEvent {
	name, err := json.Marshal(e.in.Queue)
	if err != nil {
		return nil // a string always marshals
	}
	return &worker.TracedEvent{
		Class:      "QueueEventInfo",
		Properties: [][2]string{{"batchSize", strconv.Itoa(len(e.in.Messages))}, {"queue", string(name)}},
	}
}

package queue

import (
	"context"
	"time"
)

// Job is the unit of work delivered to a [Handler].
type Job struct {
	// ID is the backend's unique identifier: a UUID for durable backends, a number that grows for inmem. It is never
	// empty when a Handler sees it, and stays the same across retries and into the dead letter topic.
	ID string
	// Topic is the full name of the topic as the backend knows it, see [FormatTopic].
	Topic string
	// Payload is the body given to Enqueue, byte for byte. It belongs to the handler.
	Payload []byte
	// Attempt is 1 on the first delivery, 2 on the first retry, and so on. Deliveries whose worker died count.
	Attempt int
	// EnqueuedAt is when the job was first enqueued; retries and the way into a dead letter topic keep it.
	EnqueuedAt time.Time
}

// Handler processes one job. Returning nil acknowledges the job, and the backend removes it. Any other error
// schedules a retry after the subscription's back-off, or routes the job to the dead letter topic once its retries
// are used up; an error that matches [ErrSkipRetry] routes it there on this attempt. A panic counts as an error.
//
// ctx ends when the context given to Subscribe does, and when the handler has outlived the shutdown timeout.
type Handler func(ctx context.Context, job *Job) error

// Priority controls the relative order of jobs of one topic: of those that are eligible to run, the ones with a higher
// priority are delivered first. Jobs of equal priority are delivered in the order in which they became eligible. Every
// int8 is valid.
type Priority int8

// The priorities that have names.
const (
	PriorityLow    Priority = -1
	PriorityNormal Priority = 0
	PriorityHigh   Priority = 1
)

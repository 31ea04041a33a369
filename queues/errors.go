package queues

import (
	"errors"
	"fmt"
)

// Production's data-plane codes (H-22).
const (
	CodeQueueNotFound = 10104
	CodeMetadata      = 10203
	CodeMessageSize   = 10204
	CodeBatchSize     = 10205
	CodeBatchCount    = 10206
	CodeOverloaded    = 10250
	CodeStorage       = 10251
	CodeDisabled      = 10252
)

// Error is a refusal with production's code.
type Error struct {
	Code int
	// Cause says what was wrong, with figures.
	Cause string
	// Old is the text that wrangler dev gave before error codes were exposed (P-25, P-26), to be prefixed with the
	// operation: `Queue send failed: <Old>`.
	Old string
}

// Error is the form that programs see from compatibility date 2026-03-12 on (P-25).
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Cause, e.Code) }

func newError(code int, cause string) *Error { return &Error{Code: code, Cause: cause, Old: cause} }

var (
	// ErrClosed is returned once the broker is closed.
	ErrClosed = errors.New("the broker is closed")
	// ErrQueueExists refuses to create a queue under a taken name.
	ErrQueueExists = errors.New("a queue of this name exists already")
	// ErrTooManyQueues refuses to create one queue more than an account may have (D-23).
	ErrTooManyQueues = fmt.Errorf("there are %d queues already, which is the most an account can have", MaxQueues)
	// ErrConsumerExists refuses a second consumer (D-11; 11004 of H-19).
	ErrConsumerExists = errors.New("the queue has a consumer already")
	// ErrNoConsumer is returned when a queue has no consumer of the type asked for.
	ErrNoConsumer = errors.New("the queue has no such consumer")
	// ErrPaused refuses to pull from a paused queue; its text is the product's (D-17).
	ErrPaused = errors.New("queue_delivery_paused")
	// ErrPullNotEnabled refuses to pull from a queue without an http_pull consumer (H-8).
	ErrPullNotEnabled = errors.New("the queue has no http_pull consumer")
	// ErrWallTime is the cause of a delivery's context when its time was up (D-15).
	ErrWallTime = errors.New("the consumer exceeded its wall time limit of 15 minutes")
	// ErrNoLane is returned when nothing waits in the lane, or the do-queue queue, that the caller named.
	ErrNoLane = errors.New("nothing is waiting there")
	// ErrQueueName refuses a name that no queue can have.
	ErrQueueName = errors.New("queue name")
	// ErrNoMessage is returned when the queue does not have the message that the caller named.
	ErrNoMessage = errors.New("no such message")
)

func notFound(queue string) *Error {
	return &Error{Code: CodeQueueNotFound, Cause: fmt.Sprintf("queue %q does not exist", queue), Old: "Not Found"}
}

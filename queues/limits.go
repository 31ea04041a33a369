package queues

import (
	"fmt"
	"time"
)

// Product limits. Production's 5,000 messages per second and queue (P-28) is not among them: it protects a service that
// many share, and a burst that a test sends here hurts nobody.
const (
	MaxMessageBytes = 128_000        // P-23
	MaxBatchCount   = 100            // P-24
	MaxBatchBytes   = 256_000        // P-24, X-5
	MaxDelaySeconds = 86_400         // P-30, X-9
	MaxBacklogBytes = 25_000_000_000 // P-28
	MaxQueues       = 10_000         // D-23

	// MaxLaneMessageBytes is what a Durable Object's storage takes as one value: do-queue itself names no limit.
	MaxLaneMessageBytes = 2 << 20

	MaxRetriesLimit      = 100                 // K-3
	MaxBatchSizeLimit    = 100                 // K-1
	MaxBatchTimeoutLimit = 60 * time.Second    // K-2
	MaxConcurrencyLimit  = 250                 // K-6
	MaxVisibilityTimeout = 12 * time.Hour      // K-7
	MinRetention         = 60 * time.Second    // K-10
	MaxRetention         = 14 * 24 * time.Hour // K-10
	DeliveryWallTime     = 15 * time.Minute    // D-15
)

// CheckSend applies the producer's limits to the messages of one send (batch false) or sendBatch. The error is an
// [*Error] with production's code and, for older compatibility dates, the old text (P-23..P-30, X-4).
func CheckSend(msgs []Outgoing, batch bool, delay Delay) error {
	if batch && len(msgs) > MaxBatchCount {
		return newError(
			CodeBatchCount,
			fmt.Sprintf("batch message count of %d exceeds limit of %d", len(msgs), MaxBatchCount),
		)
	}
	if err := checkDelay(delay); err != nil {
		return err
	}
	total := 0
	for i := range msgs {
		n := len(msgs[i].Body)
		total += n
		if n > MaxMessageBytes {
			if batch {
				return newError(
					CodeMessageSize,
					fmt.Sprintf(
						"message in batch has length %d bytes which exceeds single message size limit of %d",
						n,
						MaxMessageBytes,
					),
				)
			}
			return newError(
				CodeMessageSize,
				fmt.Sprintf("message length of %d bytes exceeds limit of %d", n, MaxMessageBytes),
			)
		}
		if err := checkDelay(msgs[i].Delay); err != nil {
			return err
		}
	}
	if batch && total > MaxBatchBytes {
		return newError(CodeBatchSize, fmt.Sprintf("batch size of %d bytes exceeds limit of %d", total, MaxBatchBytes))
	}
	return nil
}

// CheckLaneSend applies the limits to a message for a lane.
func CheckLaneSend(queue string, msg Outgoing) error {
	if queue == "" {
		return fmt.Errorf("send to a lane: the queue has no name")
	}
	if n := len(msg.Body); n > MaxLaneMessageBytes {
		return newError(
			CodeMessageSize,
			fmt.Sprintf("message length of %d bytes exceeds limit of %d", n, MaxLaneMessageBytes),
		)
	}
	return nil
}

func checkDelay(d Delay) error {
	if d.set && (d.seconds < 0 || d.seconds > MaxDelaySeconds) {
		return &Error{
			Code:  CodeMetadata,
			Cause: fmt.Sprintf("delay of %d seconds is outside 0 to %d", d.seconds, MaxDelaySeconds),
			Old:   "Internal Server Error",
		}
	}
	return nil
}

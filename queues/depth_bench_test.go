package queues_test

import (
	"fmt"
	"slices"
	"testing"

	"eddy/queues"
	"eddy/queues/logstore"
)

// depths are those at which everything must cost the same, or a logarithm.
var depths = []int{10, 1_000, 100_000, 1_000_000}

// waits are the places in which the messages of a deep queue are.
var waits = map[string]func(b *testing.B, broker *queues.Broker, depth int){
	"ready": func(*testing.B, *queues.Broker, int) {},
	"leased": func(b *testing.B, broker *queues.Broker, depth int) {
		for got := 0; got < depth; {
			msgs, _, err := broker.Pull(
				b.Context(),
				"q",
				queues.PullOptions{BatchSize: 100, VisibilityTimeout: queues.MaxVisibilityTimeout},
			)
			if err != nil {
				b.Fatal(err)
			}
			got += len(msgs)
		}
	},
}

// deep is a broker whose queue q holds depth messages in the place named; as many lie in the dead letter queue "dead"
// and, one each, in the lanes of "jobs".
func deep(b *testing.B, place string, depth int) *queues.Broker {
	broker, _, err := queues.Open(
		queues.Options{FS: logstore.NewMemFS(), Durability: logstore.Relaxed, SnapshotBytes: 1 << 40},
	)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { broker.Close() })
	if err := broker.Declare(b.Context(), queues.Topology{Queues: []string{"q", "other"}}); err != nil {
		b.Fatal(err)
	}
	c := queues.DefaultConsumer("q", queues.PullConsumer)
	c.MaxRetries, c.DeadLetterQueue = 0, "dead"
	if _, err := broker.SetConsumer(b.Context(), c, true); err != nil {
		b.Fatal(err)
	}
	send := func() {
		msgs := slices.Repeat([]queues.Outgoing{{Body: body[:20], ContentType: queues.ContentText}}, min(depth, 100))
		for range depth / len(msgs) {
			if _, err := broker.Send(b.Context(), "q", msgs, queues.SendOptions{Batch: true}); err != nil {
				b.Fatal(err)
			}
		}
	}
	send()
	for got := 0; got < depth; { // into the dead letter queue
		msgs, _, err := broker.Pull(b.Context(), "q", queues.PullOptions{BatchSize: 100})
		if err != nil {
			b.Fatal(err)
		}
		var retries []queues.LeaseRetry
		for _, m := range msgs {
			retries = append(retries, queues.LeaseRetry{LeaseID: m.LeaseID})
		}
		if _, err := broker.Ack(b.Context(), "q", nil, retries); err != nil {
			b.Fatal(err)
		}
		got += len(msgs)
	}
	send()
	waits[place](b, broker, depth)
	for i := range depth {
		broker.LaneSendAsync(
			"jobs",
			fmt.Sprint("jobs:", i),
			queues.Outgoing{Body: body[:20], ContentType: queues.ContentText},
			func(queues.ID, error) {},
		)
	}
	if _, err := broker.LaneQueues(b.Context()); err != nil { // after all that was sent
		b.Fatal(err)
	}
	return broker
}

// BenchmarkDepth does what producers, consumers and operators do with a queue that is deep already.
func BenchmarkDepth(b *testing.B) {
	one := []queues.Outgoing{{Body: body[:20], ContentType: queues.ContentText}}
	check := func(b *testing.B, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, place := range []string{"ready", "leased"} {
		for _, depth := range depths {
			broker := deep(b, place, depth)
			for _, op := range []struct {
				name string
				do   func(b *testing.B)
			}{
				{"send", func(b *testing.B) {
					_, err := broker.Send(b.Context(), "q", one, queues.SendOptions{})
					check(b, err)
				}},
				{"pull+retry", func(b *testing.B) {
					_, _, err := broker.Pull(b.Context(), "q",
						queues.PullOptions{BatchSize: 1, VisibilityTimeout: queues.MaxVisibilityTimeout})
					check(b, err)
				}},
				{"queues", func(b *testing.B) { _, err := broker.Queues(b.Context()); check(b, err) }},
				{"queue-of", func(b *testing.B) { _, err := broker.QueueOf(b.Context(), "q"); check(b, err) }},
				{"peek", func(b *testing.B) { _, err := broker.Peek(b.Context(), "q", 10); check(b, err) }},
				{"dead-letters", func(b *testing.B) {
					_, err := broker.DeadLetters(b.Context(), "dead", queues.DeadLetterFilter{Limit: 10})
					check(b, err)
				}},
				{"lane-send", func(b *testing.B) {
					_, err := broker.LaneSend(b.Context(), "jobs", "jobs:1", one[0])
					check(b, err)
				}},
				{"lane-queues", func(b *testing.B) { _, err := broker.LaneQueues(b.Context()); check(b, err) }},
				{"sizes", func(b *testing.B) { _, err := broker.Sizes(b.Context()); check(b, err) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/depth=%d", op.name, place, depth), func(b *testing.B) {
					for b.Loop() {
						op.do(b)
					}
				})
			}
		}
	}
}

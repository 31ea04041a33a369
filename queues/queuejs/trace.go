package queuejs

import (
	"encoding/json"
	"strconv"
	"time"

	"eddy/queues"
	"eddy/runtime/cause"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
)

// Describe implements [worker.Describer].
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

// Causes implements [worker.Recorder]: each message has that of who sent it.
func (e *batchEvent) Causes() []cause.Cause { return causesOf(e.in.Messages) }

func causesOf(messages []queues.Message) (list []cause.Cause) {
	for i := range messages {
		trace := messages[i].Trace
		if trace == "" || i > 0 && trace == messages[i-1].Trace {
			continue
		}
		if c := cause.Parse(trace); c.Valid() {
			list = append(list, c)
		}
	}
	return list
}

// Record implements [worker.Recorder].
func (e *batchEvent) Record(into *journal.Entry) {
	d := &journal.Delivery{Queue: e.in.Queue, Backlog: e.in.Metrics.BacklogCount, Bytes: e.in.Metrics.BacklogBytes,
		Messages: make([]journal.Message, len(e.in.Messages))}
	if s := &e.in.Settings; s.MaxBatchSize > 0 {
		d.Settings = &journal.Settings{BatchSize: s.MaxBatchSize, BatchTimeout: s.MaxBatchTimeout.Milliseconds(),
			MaxRetries: s.MaxRetries, RetryDelay: int64(s.RetryDelay / time.Second), DeadLetterQueue: s.DeadLetterQueue}
	}
	of := e.outcome.InOrder()
	for i := range e.in.Messages {
		d.Messages[i] = noted(&e.in.Messages[i])
		if !e.outcome.Abandoned {
			note(&d.Messages[i], of)
		}
	}
	if f := e.outcome.Failure; f != nil {
		d.Reason, d.Error = f.Reason, f.Error
	}
	into.Delivery = d
}

// noted is a message that was delivered, as entries have it.
func noted(m *queues.Message) journal.Message {
	return journal.Message{ID: m.ID, Timestamp: m.Timestamp.UnixMilli(), Attempts: m.Attempts,
		ContentType: m.ContentType.String(), Body: m.Body, Cause: m.Trace}
}

// note adds what became of a message.
func note(m *journal.Message, of func(queues.ID) (bool, queues.Delay)) {
	retry, delay := of(m.ID)
	if m.Outcome = journal.Ack; retry {
		m.Outcome, m.Delay = journal.Retry, seconds(delay)
	}
}

// Causes implements [worker.Recorder].
func (e *laneEvent) Causes() []cause.Cause { return causesOf(e.in.Messages) }

// Record implements [worker.Recorder].
func (e *laneEvent) Record(into *journal.Entry) {
	d := &journal.Delivery{Queue: e.in.Queue, Lane: e.in.Key, Messages: make([]journal.Message, len(e.in.Messages))}
	of := e.outcome.InOrder()
	for i := range e.in.Messages {
		d.Messages[i] = noted(&e.in.Messages[i])
		if !e.outcome.Abandoned {
			note(&d.Messages[i], of)
		}
	}
	if f := e.outcome.Failure; f != nil {
		d.Reason, d.Error = f.Reason, f.Error
	}
	into.Kind, into.Delivery = journal.Lane, d
}

// Causes implements [worker.Recorder].
func (e *laneDeadEvent) Causes() []cause.Cause { return causesOf([]queues.Message{e.dead.Message}) }

// Record implements [worker.Recorder].
func (e *laneDeadEvent) Record(into *journal.Entry) {
	m := noted(&e.dead.Message)
	if into.Outcome == "ok" {
		m.Outcome = journal.Ack
	}
	into.Delivery = &journal.Delivery{Queue: e.dead.Queue, Lane: e.dead.Key, Messages: []journal.Message{m},
		Reason: e.dead.Failure.Reason, Error: e.dead.Failure.Error, Stack: e.dead.Failure.Stack}
}

// seconds is a delay as entries have it: nil for none.
func seconds(d queues.Delay) *int32 {
	if n, given := d.Seconds(); given {
		return &n
	}
	return nil
}

// recordSend notes a send in the entry of the event that makes it, and gives the messages its cause.
func (p *producer) recordSend(msgs []queues.Outgoing, o *queues.SendOptions) {
	e := p.iso.Recording()
	if e == nil {
		return
	}
	o.Trace = e.Cause().String()
	s := journal.Sent{Queue: p.Queue, At: p.iso.Loop.Clock().Now().UnixMicro(),
		Messages: make([]journal.Message, len(msgs))}
	common := seconds(o.Delay)
	for i := range msgs {
		delay := common
		if _, given := msgs[i].Delay.Seconds(); given {
			delay = seconds(msgs[i].Delay)
		}
		s.Messages[i] = journal.Message{ContentType: msgs[i].ContentType.String(), Body: msgs[i].Body, Delay: delay}
	}
	e.AddSent(s)
}

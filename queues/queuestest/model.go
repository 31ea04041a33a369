package queuestest

import (
	"fmt"
	"slices"
	"strings"
)

// Model is what a set of queues must do, written as plainly as possible: lists that are searched and sorted anew for
// every step. Times are milliseconds.
type Model struct {
	Now    int64
	Queues []*ModelQueue // in order of creation
	leases int
	order  int
}

// ModelQueue is a queue with a pull consumer.
type ModelQueue struct {
	Name                  string
	Retention, RetryDelay int64
	MaxRetries            int
	DeadLetter            *ModelQueue
	Paused                bool
	Messages              []*ModelMessage // by arrival
	position              int
}

// ModelMessage is a message; bodies are unique, so a body names it.
type ModelMessage struct {
	Body    string
	Sent    int64
	Arrived int64
	Fails   int
	State   string // "ready", "delayed", "in flight"
	Visible int64  // when delayed
	Lease   int    // when in flight
	Until   int64
	Dead    bool
	order   int // of arrival, over all queues
	place   int // in the ready order
}

// SetBack goes on from an earlier time: what waits keeps the time that was left to it.
func (m *Model) SetBack(to int64) {
	by := m.Now - to
	for _, q := range m.Queues {
		last := int64(0)
		for _, msg := range q.Messages {
			if msg.Visible > m.Now {
				msg.Visible -= by
			}
			if msg.Until > m.Now {
				msg.Until -= by
			}
			if msg.Arrived > to {
				msg.Arrived = max(msg.Arrived-by, last)
			}
			last = msg.Arrived
		}
	}
	m.Now = to
}

// Send adds messages with the delays given, in milliseconds.
func (m *Model) Send(q *ModelQueue, bodies []string, delays []int64) {
	for i, body := range bodies {
		m.arrive(q, &ModelMessage{Body: body, Sent: m.Now, Arrived: m.Now}, delays[i])
	}
}

func (m *Model) arrive(q *ModelQueue, msg *ModelMessage, delay int64) {
	m.order++
	msg.order = m.order
	q.Messages = append(q.Messages, msg)
	m.join(q, msg, delay)
}

func (m *Model) join(q *ModelQueue, msg *ModelMessage, delay int64) {
	if delay > 0 {
		msg.State, msg.Visible = "delayed", m.Now+delay
		return
	}
	q.position++
	msg.State, msg.place = "ready", q.position
}

// Pull leases the first n ready messages.
func (m *Model) Pull(q *ModelQueue, n int, visibility int64) (lease int, out []*ModelMessage) {
	for _, msg := range q.Messages {
		if msg.State == "ready" {
			out = append(out, msg)
		}
	}
	slices.SortFunc(out, func(a, b *ModelMessage) int { return a.place - b.place })
	out = out[:min(n, len(out))]
	m.leases++
	for _, msg := range out {
		msg.State, msg.Lease, msg.Until = "in flight", m.leases, m.Now+visibility
	}
	return m.leases, out
}

// Ack removes a message, whoever has it.
func (m *Model) Ack(q *ModelQueue, body string) {
	q.Messages = slices.DeleteFunc(q.Messages, func(msg *ModelMessage) bool { return msg.Body == body })
}

// Retry gives a message back that is still under the lease, and says whether it was. A negative delay is the queue's.
func (m *Model) Retry(q *ModelQueue, body string, lease int, delay int64) bool {
	for _, msg := range q.Messages {
		if msg.Body == body && msg.State == "in flight" && msg.Lease == lease {
			m.failed(q, msg, delay)
			return true
		}
	}
	return false
}

func (m *Model) failed(q *ModelQueue, msg *ModelMessage, delay int64) {
	msg.Fails++
	switch {
	case msg.Fails <= q.MaxRetries && delay < 0:
		m.join(q, msg, q.RetryDelay)
	case msg.Fails <= q.MaxRetries:
		m.join(q, msg, delay)
	default:
		m.Ack(q, msg.Body)
		if q.DeadLetter != nil {
			m.arrive(q.DeadLetter, &ModelMessage{Body: msg.Body, Sent: msg.Sent, Arrived: m.Now, Dead: true}, 0)
		}
	}
}

// Redrive moves the oldest dead letters, at most limit, to another queue.
func (m *Model) Redrive(q, to *ModelQueue, limit int) (n int) {
	for _, msg := range slices.Clone(q.Messages) {
		if msg.Dead && msg.State != "in flight" && n < limit {
			m.Ack(q, msg.Body)
			m.arrive(to, &ModelMessage{Body: msg.Body, Sent: msg.Sent, Arrived: m.Now}, 0)
			n++
		}
	}
	return n
}

// Purge empties a queue.
func (m *Model) Purge(q *ModelQueue) { q.Messages = nil }

// Advance lets time pass; everything happens at its own moment.
func (m *Model) Advance(to int64) {
	for {
		next := to
		for _, q := range m.Queues {
			for _, msg := range q.Messages {
				for _, at := range []int64{msg.due(), msg.end(q)} {
					if at > m.Now && at < next {
						next = at
					}
				}
			}
		}
		m.Jump(next)
		if next >= to {
			return
		}
	}
}

// Jump lets time pass while nobody looks; everything happens at the end.
func (m *Model) Jump(to int64) {
	m.Now = max(m.Now, to)
	for _, q := range m.Queues {
		visible := []*ModelMessage{}
		for _, msg := range q.Messages {
			if msg.State == "delayed" && msg.Visible <= m.Now {
				visible = append(visible, msg)
			}
		}
		slices.SortFunc(visible, func(a, b *ModelMessage) int {
			if a.Visible != b.Visible {
				return int(a.Visible - b.Visible)
			}
			return a.order - b.order
		})
		for _, msg := range visible {
			m.join(q, msg, 0)
		}
	}
	for _, q := range m.Queues {
		over := []*ModelMessage{}
		for _, msg := range q.Messages {
			if msg.State == "in flight" && msg.Until <= m.Now {
				over = append(over, msg)
			}
		}
		slices.SortFunc(over, func(a, b *ModelMessage) int {
			switch {
			case a.Until != b.Until:
				return int(a.Until - b.Until)
			case a.Lease != b.Lease:
				return a.Lease - b.Lease
			default:
				return a.place - b.place
			}
		})
		for _, msg := range over {
			m.failed(q, msg, -1)
		}
		q.Messages = slices.DeleteFunc(q.Messages, func(msg *ModelMessage) bool {
			return msg.State != "in flight" && msg.end(q) <= m.Now
		})
	}
}

func (msg *ModelMessage) due() int64 {
	switch msg.State {
	case "delayed":
		return msg.Visible
	case "in flight":
		return msg.Until
	}
	return 0
}

func (msg *ModelMessage) end(q *ModelQueue) int64 {
	return msg.Arrived + q.Retention
}

// String is the queue as text, in order of arrival.
func (q *ModelQueue) String() string {
	var b strings.Builder
	for _, msg := range q.Messages {
		fmt.Fprintf(&b, "%s %s fails=%d dead=%v", msg.Body, msg.State, msg.Fails, msg.Dead)
		if msg.State == "delayed" {
			fmt.Fprintf(&b, " until %d", msg.Visible)
		}
		b.WriteString("\n")
	}
	return b.String()
}

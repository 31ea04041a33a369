package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"eddy/queues"
	"eddy/runtime/clock"
)

// Refused is an owner's answer to a guest that it does not take.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// dial opens a link.
func (q *Queues) dial(ctx context.Context, to Address) (*link, error) {
	ctx, cancel := clock.WithPatience(ctx, handshakeTime)
	defer cancel()
	ws, res, err := websocket.Dial(ctx, to.URL+Path, &websocket.DialOptions{
		HTTPClient: to.client(), Host: "localhost", HTTPHeader: http.Header{"Authorization": {"Bearer " + to.Token}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if res != nil && res.StatusCode == http.StatusForbidden {
			b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // for the text only
			return nil, fmt.Errorf("%s: %s", to.URL, strings.TrimSpace(string(b)))
		}
		return nil, err
	}
	l := &link{q: q, to: to, pipe: newPipe(ws), partial: map[uint64]*packet{},
		deliveries: map[uint64]context.CancelCauseFunc{}}
	l.pipe.put(&packet{Kind: kindHello, Seq: 1, Hello: &hello{Version: version, Session: q.session(),
		Token: q.o.Token}})
	f, err := l.pipe.read(ctx)
	switch {
	case err != nil:
	case f.Kind != kindAnswer || f.Error == nil && f.Session == nil:
		err = fmt.Errorf("peer: the answer to the introduction is %q", f.Kind)
	case f.Error != nil:
		err = &Refused{f.Error.err()}
	}
	if err != nil {
		l.pipe.end()
		return nil, err
	}
	if to.Cert != "" {
		watch(ws)
	}
	l.owner = *f.Session
	l.neighbours = []neighbour{{l.owner, to.Token}} // until it introduces the others
	return l, nil
}

// errBroken is the cause of what the end of a link gives up.
var errBroken = errors.New("the session that owns the queues has ended")

// serve handles what the owner sends until the link ends. bye says that it ended in order, and with which request.
func (l *link) serve() (bye bool, last uint64, err error) {
	for {
		f, err := l.pipe.read(context.Background())
		if err != nil {
			return false, 0, err
		}
		switch f.Kind {
		case kindBye:
			return true, f.Seq, nil
		case kindAnswer:
			l.q.answered(f)
		case kindDeliver, kindLane, kindDead:
			if err := l.deliver(f); err != nil {
				return false, 0, err
			}
		case kindCancel:
			l.mu.Lock()
			cancel := l.deliveries[f.ID]
			l.mu.Unlock()
			if cancel != nil {
				cancel(f.Error.err())
			}
		case kindActivity:
			l.q.mu.Lock()
			observers := l.q.mu.observers
			l.q.mu.Unlock()
			for _, o := range observers {
				o(*f.Activity)
			}
		case kindSessions:
			l.q.mu.Lock()
			l.neighbours = f.Sessions
			l.q.mu.Unlock()
		case kindServe:
			if l.q.o.Serve != nil {
				go l.q.o.Serve(f.Script, f.Queue) // it asks the owner, whose answer comes through here
			}
		case kindLaneSent:
			if l.q.o.LaneSent != nil {
				go l.q.o.LaneSent(f.Queue)
			}
		default:
			return false, 0, fmt.Errorf("peer: an owner sent %q", f.Kind)
		}
	}
}

// answered ends a request.
func (q *Queues) answered(f *packet) {
	q.mu.Lock()
	r := q.mu.sent[f.Seq]
	delete(q.mu.sent, f.Seq)
	q.mu.Unlock()
	if r != nil {
		r.done(f, f.Error.err())
	}
}

// deliver hands a delivery to the code that is attached, once it is whole.
func (l *link) deliver(f *packet) error {
	if before := l.partial[f.ID]; before != nil {
		before.Messages, before.More = append(before.Messages, f.Messages...), f.More
		f = before
	}
	if f.More {
		size := 0
		for i := range f.Messages {
			size += len(f.Messages[i].Body)
		}
		if size > maxPartial {
			return fmt.Errorf("peer: a delivery of more than %d bytes", maxPartial)
		}
		l.partial[f.ID] = f
		return nil
	}
	delete(l.partial, f.ID)
	msgs, err := delivered(f.Messages)
	if err != nil {
		return fmt.Errorf("peer: a delivery: %w", err)
	}
	l.q.mu.Lock()
	consumer := l.q.mu.consumers[f.Queue]
	lane := l.q.mu.lanes[f.Queue]
	l.q.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	l.mu.Lock()
	l.deliveries[f.ID] = cancel
	l.mu.Unlock()
	settle := func(o queues.Outcome) { l.settle(packet{Kind: kindOutcome, ID: f.ID, Outcome: wireOutcome(o)}) }
	switch {
	case f.Kind == kindDeliver && consumer != nil:
		batch := &queues.Batch{Queue: f.Queue, Messages: msgs, Metrics: *f.Metrics}
		if f.Settings != nil {
			batch.Settings = *f.Settings
		}
		consumer.consumer.Deliver(ctx, batch, settle)
	case f.Kind == kindLane && lane != nil:
		lane.lane.DeliverLane(ctx, &queues.LaneBatch{Queue: f.Queue, Key: f.Key, Messages: msgs}, settle)
	case f.Kind == kindDead && lane != nil:
		lane.lane.DeadLetterLane(ctx, &queues.LaneDeadLetter{Queue: f.Queue, Key: f.Key, Message: msgs[0],
			Failure: f.Dead.Failure, Try: f.Dead.Try}, func(err error) {
			l.settle(packet{Kind: kindOutcome, ID: f.ID, Outcome: &outcome{}, Error: failureOf(err)})
		})
	case f.Kind == kindDead: // taken off while this was on its way
		l.settle(packet{Kind: kindOutcome, ID: f.ID, Error: failureOf(queues.ErrAbandoned)})
	default:
		settle(queues.Outcome{Abandoned: true})
	}
	return nil
}

// settle sends an outcome. After the end of the link nobody takes it: the messages are delivered again.
func (l *link) settle(f packet) {
	l.mu.Lock()
	cancel := l.deliveries[f.ID]
	delete(l.deliveries, f.ID)
	l.mu.Unlock()
	l.pipe.put(&f)
	if cancel != nil {
		cancel(nil)
	}
}

// end closes the connection and gives up what is in flight.
func (l *link) end() {
	l.pipe.end()
	l.mu.Lock()
	deliveries := l.deliveries
	l.deliveries = map[uint64]context.CancelCauseFunc{}
	l.mu.Unlock()
	for _, cancel := range deliveries {
		cancel(errBroken)
	}
}

package peer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"eddy/queues"
	"eddy/runtime/clock"
)

// welcome reads the introduction and answers it.
func (c *conn) welcome() error {
	ctx, cancel := clock.WithPatience(context.Background(), handshakeTime)
	defer cancel()
	f, err := c.pipe.read(ctx)
	if err != nil {
		return err
	}
	switch {
	case f.Kind != kindHello:
		err = fmt.Errorf("peer: the first packet is %q", f.Kind)
	case f.Hello.Version != version:
		err = fmt.Errorf("the owner of the state directory is a version of eddy that speaks protocol %d; this one "+
			"speaks %d: end it, or use the same version", version, f.Hello.Version)
	default:
		c.session, c.token = f.Hello.Session, f.Hello.Token
		err = c.h.admit(c)
	}
	own := c.h.self()
	c.pipe.put(&packet{Kind: kindAnswer, Seq: f.Seq, Error: failureOf(err), Session: &own})
	if err != nil {
		c.pipe.close()
		<-c.pipe.written
	}
	return err
}

// serve handles packets until the guest says bye (nil) or the link breaks.
func (c *conn) serve() error {
	for {
		f, err := c.pipe.read(context.Background())
		if err != nil {
			return err
		}
		switch f.Kind {
		case kindBye:
			return nil
		case kindOutcome:
			if err := c.settle(f); err != nil {
				return err
			}
		default:
			if f.Seq == 0 {
				return fmt.Errorf("peer: a guest sent %q", f.Kind)
			}
			if !c.take(f.Seq) {
				continue
			}
			if err := c.handle(f); err != nil {
				return err
			}
		}
	}
}

// take notes that a request is handled here; false leaves it to the next owner.
func (c *conn) take(seq uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving {
		return false
	}
	c.last = seq
	c.open++
	return true
}

// answer is called once for each request taken, from any goroutine.
func (c *conn) answer(f *packet, seq uint64, err error) {
	f.Kind, f.Seq, f.Error = kindAnswer, seq, failureOf(err)
	c.pipe.put(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if c.leaving && c.open == 0 {
		close(c.quiet)
	}
}

// handle does what a request asks for. While it waits, the guest's later requests wait as well, so that they happen in
// order; sends do not wait.
func (c *conn) handle(f *packet) error {
	b, seq := c.h.b, f.Seq
	ctx := context.Background()
	switch f.Kind {
	case kindSend:
		o := queues.SendOptions{Batch: f.Batch, Delay: delayOf(f.Delay), Trace: f.Trace}
		b.SendAsync(f.Queue, outgoing(f.Messages), o,
			func(m queues.Metrics, err error) {
				c.answer(&packet{Metrics: &m}, seq, err)
			})
	case kindLaneSend:
		b.LaneSendAsync(f.Queue, f.Key, outgoing(f.Messages)[0], func(id queues.ID, err error) {
			if err == nil {
				c.h.laneSent(f.Queue)
			}
			c.answer(&packet{Key: id.String()}, seq, err)
		})
	case kindMetrics:
		b.MetricsAsync(f.Queue, func(m queues.Metrics, err error) { c.answer(&packet{Metrics: &m}, seq, err) })
	case kindWorkers:
		c.h.mu.Lock()
		c.session = *f.Session
		c.h.mu.Unlock()
		c.h.introduce()
		c.answer(&packet{}, seq, nil)
	case kindDeclare:
		c.answer(&packet{}, seq, c.h.declare(ctx, c, *f.Topology))
	case kindAttach:
		detach, err := c.h.connect(c, f.Queue, nil)
		c.attached(f.Queue, detach)
		c.answer(&packet{}, seq, err)
	case kindAttachLanes:
		detach, err := c.h.connect(c, f.Queue, f.Lanes)
		c.attached(f.Queue, detach)
		c.answer(&packet{}, seq, err)
	case kindDetach, kindDetachLanes:
		c.mu.Lock()
		detach := c.detach[f.Queue]
		delete(c.detach, f.Queue)
		c.mu.Unlock()
		c.release(f.Queue, detach)
		c.answer(&packet{}, seq, nil)
	case kindQueues:
		info, err := b.Queues(ctx)
		info = slices.DeleteFunc(info, func(q queues.QueueInfo) bool {
			return q.Consumer == nil ||
				!c.session.runs(q.Consumer.Config.Script)
		})
		c.answer(&packet{Info: info}, seq, err)
	case kindLaneQueues:
		info, err := b.LaneQueues(ctx)
		info = slices.DeleteFunc(info, func(q queues.LaneQueueInfo) bool { return !c.ownsLanes(q.Name) })
		c.answer(&packet{LaneInfo: info}, seq, err)
	case kindFire:
		c.h.o.Fire(f.Event, func(err error) { c.answer(&packet{}, seq, err) })
	default:
		err := fmt.Errorf("peer: a guest sent %q", f.Kind)
		c.answer(&packet{}, seq, err)
		return err
	}
	return nil
}

// ownsLanes tells whether a lane queue, <Worker>-<Class>/<queue>, can be of one of the guest's classes.
func (c *conn) ownsLanes(queue string) bool {
	return slices.ContainsFunc(c.session.Workers, func(w Worker) bool { return strings.HasPrefix(queue, w.Name+"-") })
}

func (c *conn) attached(queue string, detach func()) {
	if detach == nil {
		return // refused
	}
	c.h.mu.Lock()
	c.h.remote[queue] = c
	c.h.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detach[queue] = detach
}

// release calls detach, if it is not nil, and notes that the guest no longer consumes the queue.
func (c *conn) release(queue string, detach func()) {
	if detach == nil {
		return
	}
	detach()
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if c.h.remote[queue] == c {
		delete(c.h.remote, queue)
	}
}

func (c *conn) detachAll() {
	c.mu.Lock()
	all := c.detach
	c.detach = map[string]func(){}
	c.mu.Unlock()
	for queue, detach := range all {
		c.release(queue, detach)
	}
}

// end removes a guest whose link has ended. It detaches the guest before it abandons what the guest had in flight: the
// broker would otherwise hand that out to the guest again.
func (c *conn) end() {
	c.detachAll()
	c.h.mu.Lock()
	delete(c.h.conns, c)
	c.h.mu.Unlock()
	c.mu.Lock()
	left := c.deliveries
	c.deliveries = map[uint64]*delivery{}
	c.checkIdle()
	c.mu.Unlock()
	for _, d := range left {
		d.stop()
		d.settle(queues.Outcome{Abandoned: true}, queues.ErrAbandoned)
	}
}

// bye ends the link in order: what was taken on is answered, the rest is left to the next owner.
func (c *conn) bye() {
	c.mu.Lock()
	c.leaving, c.quiet = true, make(chan struct{})
	if c.open == 0 {
		close(c.quiet)
	}
	last := c.last
	c.mu.Unlock()
	<-c.quiet // the broker answers every command
	c.pipe.put(&packet{Kind: kindBye, Seq: last})
	c.pipe.close()
}

// whenIdle is closed once the guest has nothing in flight.
func (c *conn) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = true
	c.checkIdle()
	return c.idle
}

// checkIdle is called with mu held.
func (c *conn) checkIdle() {
	if c.waiting && len(c.deliveries) == 0 {
		c.waiting = false
		close(c.idle)
	}
}

// settle takes an outcome. An outcome that comes after the end of its delivery has no effect.
func (c *conn) settle(f *packet) error {
	var o queues.Outcome
	if f.Outcome != nil {
		var err error
		if o, err = f.Outcome.outcome(); err != nil {
			return fmt.Errorf("peer: an outcome: %w", err)
		}
	}
	c.mu.Lock()
	d := c.deliveries[f.ID]
	delete(c.deliveries, f.ID)
	c.mu.Unlock()
	if d == nil {
		return nil
	}
	d.stop()
	d.settle(o, f.Error.err())
	// This comes after the outcome has reached the broker's inbox: who waits for idle closes the broker next.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkIdle()
	return nil
}

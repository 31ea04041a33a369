package sharing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/report"
	"eddy/runtime/running"
	"eddy/runtime/sharing/hosting"
	"eddy/runtime/sharing/peer"
)

// Open takes the locks of the Workers, and opens the log or joins the session that has it. The error says who is in the
// way and what to do.
func Open(ctx context.Context, o Options) (*Sharing, error) {
	s := &Sharing{o: o, connected: make(chan struct{}), ending: make(chan struct{})}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	s.token = hex.EncodeToString(token)
	if o.Cluster != nil {
		s.token = o.Cluster.Token()
	}
	s.tails.send = s.sendTail
	name := fmt.Sprintf("The session of process %d", os.Getpid())
	if o.Cluster != nil {
		name = "Node " + o.Cluster.Name()
	}
	s.wires = newWires(o.Session, s.token, name, s.serveCall)
	if err := s.lockWorkers(); err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	if o.Cluster != nil {
		s.hosting = hosting.New(hosting.Options{Node: o.Cluster, State: string(o.State), Clock: o.Clock,
			Random: o.Random, Report: o.Report, Fire: s.fired, Opened: s.openDoor, Closed: s.closeDoor})
		o.Cluster.Handle(s)
		o.Cluster.Queues(s.hosting)
	}
	var err error
	if s.Queues, err = peer.Open(ctx, s.peerOptions()); err != nil {
		if s.hosting != nil {
			s.hosting.Stop()
			return nil, fmt.Errorf("the cluster's queues: %w", err)
		}
		return nil, errors.Join(s.inUse(err), s.unlock())
	}
	if s.hosting != nil {
		go s.hosting.Follow(s.Queues, s.ending)
	}
	return s, nil
}

// peerOptions say how this session finds others, and they find it.
func (s *Sharing) peerOptions() peer.Options {
	o := peer.Options{
		OpenLog: s.openLog, Token: s.token, Session: peer.Member{PID: os.Getpid()}, Changed: s.changed,
		Took: func(*queues.Broker) error { return s.openDoor() },
		Serve: func(script, queue string) {
			s.whenConnected(func() error { return s.o.Session.AttachConsumer(script, queue) })
		},
		Fire:     func(event []byte, done func(error)) { s.fired(nil, event, done) },
		LaneSent: func(queue string) { s.whenConnected(func() error { return s.o.Session.EnsureLane(queue) }) },
	}
	for _, name := range s.o.Workers {
		o.Session.Workers = append(o.Session.Workers, peer.Worker{Name: name})
	}
	if s.hosting != nil {
		o.OpenLog, o.Find, o.Patience = nil, s.hosting.Find, clusterPatience
		o.Node = s.o.Cluster.Guest
	} else if !s.o.Ephemeral {
		o.Find = func(ctx context.Context) (peer.Address, error) {
			_, owner, token, err := running.FindOwner(ctx, string(s.o.State))
			if err == nil && token == "" {
				err = fmt.Errorf("process %d at %s takes no other sessions", owner.PID, owner.URL)
			}
			return peer.Address{URL: owner.URL, Token: token}, err
		}
	}
	return o
}

// clusterPatience is how long sends wait while the queues go from a node to another: longer than a lease.
const clusterPatience = 15 * time.Second

// openLog opens the log in the state directory.
func (s *Sharing) openLog() (*queues.Broker, error) {
	o := queues.Options{
		Dir: s.o.State.Queues(), Clock: s.o.Clock, Rand: s.o.Random,
		Warn: func(text string) { s.o.Report.Line(report.Warn, "queues", text) },
	}
	if s.o.Ephemeral {
		o.FS = logstore.NewMemFS()
	}
	if s.o.Relaxed {
		o.Durability = logstore.Relaxed
	}
	b, rep, err := queues.Open(o)
	if err != nil {
		return nil, err
	}
	for _, line := range rep.Cut {
		s.o.Report.Line(report.Warn, "queues", "queue log: "+line)
	}
	return b, nil
}

// whenConnected waits until the Workers are attached, and then runs f.
func (s *Sharing) whenConnected(f func() error) {
	select {
	case <-s.connected:
	case <-s.ending:
		return
	}
	if err := f(); err != nil {
		s.o.Report.Line(report.Error, "queues", err.Error())
	}
}

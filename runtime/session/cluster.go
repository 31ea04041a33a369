package session

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"eddy/durableobject"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/control"
	"eddy/runtime/report"
)

// readApplied reads which migrations were applied: in a cluster all nodes have one record.
func (s *Session) readApplied(ledger *durableobject.Ledger) error {
	if s.opts.Cluster == nil {
		return s.state.ReadApplied(ledger)
	}
	ctx, cancel := context.WithTimeout(s.giveUp, noteTime)
	defer cancel()
	n, err := s.opts.Cluster.Note(ctx, node.MigrationsNote)
	if err == nil && n.Value != nil {
		err = json.Unmarshal(n.Value, ledger)
	}
	if err != nil {
		return fmt.Errorf("migrations of Durable Objects, in the cluster's database: %w", err)
	}
	s.appliedVersion = n.Version
	return nil
}

// writeApplied replaces the record that was read last. It fails with engine.ErrStale if another node has.
func (s *Session) writeApplied(ledger durableobject.Ledger) error {
	if s.opts.Cluster == nil {
		return s.state.WriteApplied(ledger)
	}
	b, err := json.MarshalIndent(ledger, "", "  ")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.giveUp, noteTime)
	defer cancel()
	if err := s.opts.Cluster.SetNote(ctx, node.MigrationsNote, s.appliedVersion, append(b, '\n')); err != nil {
		return fmt.Errorf("migrations of Durable Objects, in the cluster's database: %w", err)
	}
	s.appliedVersion++
	return nil
}

// noteTime is how long the database may take for the record of migrations.
const noteTime = 10 * time.Second

// newKept makes what keeps this node's objects in the cluster.
func (s *Session) newKept() *objects.Shipped {
	return objects.New(s.opts.Cluster, objects.Live{
		Arm:  func(key, id string, at time.Time) { s.objects.Arm(key, id, at) },
		Came: func(key, id, name string) { s.flows.placed.came(key, id, name) },
		Release: func(match func(key, id string) bool, patience time.Duration) {
			if err := s.stores.release(match); err != nil {
				s.lines.Line(report.Warn, "cluster", err.Error())
			}
			var both sync.WaitGroup
			both.Go(func() { s.flows.placed.release(match, patience > 0) })
			s.objects.Release(match, patience)
			both.Wait()
		},
		Failed: func(text string) { s.lines.Line(report.Error, "cluster", text) },
	})
}

// ClusterStore implements [sharing.Local].
func (s *Session) ClusterStore(name objectstore.Name) objectstore.Service {
	switch name.Kind {
	case objectstore.Workflows:
		return s.flows.placed.of(name.ID)
	case objectstore.Objects:
		key, id := name.Object()
		return inspectedObject{s, control.Object{Namespace: key, ID: id, Node: s.opts.Cluster.Name()}}
	}
	return s.stores.service(name)
}

// Here implements [sharing.Local].
func (s *Session) Here(key, id string) bool { return s.kept.Here(key, id) }

// cronTime is how long a node waits whether a cron becomes its own: longer than a lease and a takeover.
const cronTime = 15 * time.Second

// onceInCluster tells whether this node fires a cron. One that fires while its node is lost is late or left out, and
// never fires twice.
func (s *Session) onceInCluster(name string, at time.Time) bool {
	ctx, cancel := context.WithTimeout(s.stopping, cronTime)
	defer cancel()
	return s.kept.Once(ctx, "cron/"+name, at.Unix())
}

// HandOver comes to an end with the queues and the objects that this node of a cluster has, before it leaves: what is
// in progress has a moment to end. What comes later finds them on other nodes.
func (s *Session) HandOver() {
	var both sync.WaitGroup
	if s.sharing != nil {
		both.Go(s.sharing.HandOver)
	}
	if s.kept != nil {
		both.Go(s.kept.Stop)
	}
	both.Wait()
}

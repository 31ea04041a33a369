package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/cluster/engine"
)

var rounds = flag.Int("failover.rounds", 1, "how often TestFailover kills the primary; 50 in a campaign")

func numbered(n int64) engine.Batch {
	return engine.Batch{Puts: []engine.Put{{Key: engine.Key(fmt.Sprintf("n/%08d", n)),
		Value: engine.Value{Data: []byte(fmt.Sprint(n)), Number: n}}}}
}

// TestFailover kills the primary while a node commits, promotes the standby, and builds the next standby. Nothing that
// was acknowledged is missing, nothing came twice, and no epoch changes: an unknown outcome is settled by the same
// batch.
func TestFailover(t *testing.T) {
	primary, err := servers.Postgres("fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { primary.Stop() }()
	standby, err := servers.Standby(primary, "fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { standby.Stop() }()
	both := func() string {
		return strings.Replace(primary.URL, primary.Addr, primary.Addr+","+standby.Addr, 1)
	}
	e := initialized(t, both())
	id := engine.NewNodeID("a")
	if err := e.Beat(t.Context(), engine.Node{ID: id}); err != nil {
		t.Fatal(err)
	}
	grants, err := e.Claim(t.Context(), id, engine.Nobody, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := grants[0]
	if h, err := e.Examine(t.Context()); err != nil || h.Safety() != "1 synchronous standby" {
		t.Fatalf("%+v, %v", h, err)
	}
	n, unknown := int64(0), 0
	for range *rounds {
		// Of 40 batches the primary dies in the middle of one.
		for range 20 {
			if n++; e.Commit(t.Context(), g, n, numbered(n)) != nil {
				t.Fatalf("batch %d before the kill", n)
			}
		}
		ctx, failed := context.WithCancelCause(t.Context())
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			if err := errors.Join(primary.Kill(), standby.Promote()); err != nil {
				failed(err)
			}
		}()
		for range 20 {
			n++
			for {
				soon, cancel := context.WithTimeout(ctx, 5*time.Second)
				err := e.Commit(soon, g, n, numbered(n))
				cancel()
				if err == nil {
					break
				}
				unknown++
				if errors.Is(err, engine.ErrFenced) || ctx.Err() != nil {
					t.Fatalf("batch %d: %v", n, errors.Join(err, context.Cause(ctx)))
				}
			}
		}
		<-killed
		if err := context.Cause(ctx); err != nil {
			t.Fatal(err)
		}
		failed(nil)
		primary.Stop()
		primary = standby
		if standby, err = servers.Standby(primary, "fsync=off"); err != nil {
			t.Fatal(err)
		}
		e = opened(t, both())
	}
	kept := int64(0)
	err = e.Read(t.Context(), g, "n/", "n0", func(_ engine.Key, v engine.Value) error {
		if kept++; string(v.Data) != fmt.Sprint(kept) {
			return fmt.Errorf("%q in the place of %d", v.Data, kept)
		}
		return nil
	})
	if err != nil || kept != n {
		t.Errorf("%d of %d batches are kept, %v", kept, n, err)
	}
	t.Logf("%d rounds, %d batches, %d calls with an unknown outcome", *rounds, n, unknown)
}

// TestCancelledWait: the server answers a commit whose wait for the standby somebody has cancelled with success and a
// warning. To the node that is unknown; the same batch again settles it.
func TestCancelledWait(t *testing.T) {
	alone, err := servers.Postgres("fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Stop()
	e := initialized(t, alone.URL)
	id := engine.NewNodeID("a")
	if err := e.Beat(t.Context(), engine.Node{ID: id}); err != nil {
		t.Fatal(err)
	}
	grants, err := e.Claim(t.Context(), id, engine.Nobody, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := grants[0]
	if err := alone.Set("synchronous_standby_names", "nobody"); err != nil {
		t.Fatal(err)
	}
	deletes := numbered(2)
	deletes.Deletes = []engine.Range{{From: "x"}}
	for i, act := range []func() error{
		func() error { return e.Commit(t.Context(), g, 1, numbered(1)) },
		func() error { return e.Commit(t.Context(), g, 2, deletes) },
		func() error { return e.Beat(t.Context(), engine.Node{ID: id}) },
		func() error { return e.Hand(t.Context(), grants[1], engine.Nobody) },
		func() error { _, err := e.Claim(t.Context(), id, engine.Nobody, 0); return err },
	} {
		answer := make(chan error, 1)
		go func() { answer <- act() }()
		err := cancelWait(t, alone, answer)
		if err == nil || settled(err) || !strings.Contains(err.Error(), "not sure") {
			t.Errorf("act %d: %v", i, err)
		}
	}
	if err := alone.Set("synchronous_standby_names", ""); err != nil {
		t.Fatal(err)
	}
	if err := e.Commit(t.Context(), g, 2, deletes); err != nil {
		t.Errorf("the same batch again: %v", err)
	}
}

// cancelWait waits until a session of eddy waits for a standby, cancels that, and returns what the session answers.
func cancelWait(t *testing.T, s *servers.Server, answer <-chan error) error {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for {
		var n int
		err := c.QueryRow(t.Context(), `select count(pg_cancel_backend(pid)) from pg_stat_activity
			where application_name = 'eddy' and wait_event = 'SyncRep'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return <-answer
		}
		select {
		case err := <-answer:
			t.Fatalf("it did not wait for a standby: %v", err)
		default:
		}
	}
}

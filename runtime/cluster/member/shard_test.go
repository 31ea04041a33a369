package member

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eddy/runtime/cluster/engine"
)

// What comes while a batch is on its way goes with the next one, in order.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowEngine{Memory: engine.NewMemory(1)}
		a := joinMember(slow, "a")
		wait(time.Second)
		s := a.shards[0]
		var done []int
		for i := range 10 {
			s.Commit(engine.Batch{Puts: []engine.Put{{Key: engine.Key(fmt.Sprint("k", i)),
				Value: engine.Value{Number: s.Number()}}}}, func(err error) {
				if err == nil {
					done = append(done, i)
				}
			})
		}
		wait(time.Second)
		if slow.batches != 2 || !slices.Equal(done, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Fatalf("%d batches, done %v", slow.batches, done)
		}
		large := engine.Batch{Puts: []engine.Put{{Key: "k",
			Value: engine.Value{Data: make([]byte, engine.MaxValue+1)}}}}
		var size *engine.SizeError
		s.Commit(large, func(err error) {
			if !errors.As(err, &size) {
				t.Errorf("got %v", err)
			}
		})
		a.Leave()
		wait(time.Second)
		s.Commit(engine.Batch{}, func(err error) {
			if !errors.Is(err, engine.ErrFenced) {
				t.Errorf("after the end: %v", err)
			}
		})
	})
}

// Who waits for a batch takes what has gathered along, and learns what became of it when the engine is back.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayEngine{Memory: engine.NewMemory(1)}
		a := joinMember(away, "a")
		wait(time.Second)
		s := a.shards[0]
		put := func(k engine.Key) engine.Batch {
			return engine.Batch{Puts: []engine.Put{{Key: k, Value: engine.Value{Number: s.Number()}}}}
		}
		if err := s.Keep(put("k")); err != nil {
			t.Fatal(err)
		}
		away.away.Store(true)
		var waits sync.WaitGroup
		for i := range 5 {
			waits.Go(func() {
				if err := s.Keep(put(engine.Key(fmt.Sprint("k", i)))); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		away.away.Store(false)
		waits.Wait()
		found := 0
		err := s.Read(t.Context(), "", "", func(engine.Key, engine.Value) error { found++; return nil })
		if err != nil || found != 6 {
			t.Fatalf("%d values, %v", found, err)
		}
		if v := a.View(); v.Shards[0].Head > 3 {
			t.Errorf("%d batches for six values, five of which waited together", v.Shards[0].Head)
		}
		away.away.Store(true)
		waits.Go(func() {
			if err := s.Keep(put("lost")); !errors.Is(err, ErrLost) && !errors.Is(err, engine.ErrFenced) {
				t.Errorf("the shard was lost meanwhile: %v", err)
			}
		})
		synctest.Wait()
		if _, err := away.Claim(t.Context(), engine.Nobody, a.o.Node.ID, away.beatOf(a.o.Node.ID)); err != nil {
			t.Fatal(err)
		}
		away.away.Store(false)
		waits.Wait()
		wait(2 * time.Second)
		if err := s.Keep(put("late")); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A read waits for the engine, but not for ever, and not for a shard that is another node's.
func TestReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayEngine{Memory: engine.NewMemory(1)}
		a := joinMember(away, "a")
		wait(time.Second)
		s := a.shards[0]
		for _, back := range []bool{true, false} {
			away.away.Store(true)
			begun, ended := time.Now(), make(chan error, 1)
			go func() {
				ended <- s.Read(t.Context(), "", "", func(engine.Key, engine.Value) error { return nil })
			}()
			wait(5 * time.Second)
			away.away.Store(!back)
			if err := <-ended; (err == nil) != back || time.Since(begun) < 5*time.Second {
				t.Errorf("back %v: %v after %v", back, err, time.Since(begun))
			}
		}
		away.away.Store(false)
		a.Leave()
		wait(time.Second)
	})
}

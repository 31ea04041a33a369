package storage_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/durableobject/storage"
)

// model is the naive storage: a map and an alarm, copied for every transaction.
type model struct {
	entries map[string]string
	alarm   time.Time
}

func (m model) clone() model { return model{maps.Clone(m.entries), m.alarm} }

func (m model) dump() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m.entries)) {
		out = append(out, k+"="+m.entries[k])
	}
	return strings.Join(out, " ") + fmt.Sprint(" @", m.alarm.UnixNano())
}

func (m model) list(o storage.ListOptions) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m.entries)) {
		if o.Start != nil && k < *o.Start || o.StartAfter != nil && k <= *o.StartAfter || o.End != nil && k >= *o.End ||
			!strings.HasPrefix(k, o.Prefix) {
			continue
		}
		out = append(out, k)
	}
	if o.Reverse {
		slices.Reverse(out)
	}
	if o.Limit > 0 && len(out) > o.Limit {
		out = out[:o.Limit]
	}
	return strings.Join(out, " ")
}

var storageSteps = flag.Int("storage.steps", 800, "how many steps TestRandomAgainstModel takes")

// Random operations, transactions, rollbacks and reopenings agree with the
// model.
func TestRandomAgainstModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	ns, err := storage.OpenNamespace(dir, storage.Options{})
	must(t, err)
	s := ns.Store(objectID)
	now := model{entries: map[string]string{}}
	committed := now.clone()
	type level struct {
		txn    *storage.Txn
		before model
	}
	var stack []level
	async := false // the outermost transaction outlives the turn

	key := func() string { return strings.Repeat(string(rune('a'+rnd.IntN(3))), 1+rnd.IntN(3)) }
	bound := func() *string {
		if rnd.IntN(2) == 0 {
			return nil
		}
		return p(key())
	}
	for step := range *storageSteps {
		switch op := rnd.IntN(100); {
		case op < 25:
			k, v := key(), fmt.Sprint(step)
			must(t, s.Put(k, []byte(v)))
			now.entries[k] = v
		case op < 35:
			k := key()
			_, want := now.entries[k]
			if got, err := s.Delete(k); got != want || err != nil {
				t.Fatalf("step %d: delete %s: %v, want %v, %v", step, k, got, want, err)
			}
			delete(now.entries, k)
		case op < 50:
			o := storage.ListOptions{Start: bound(), StartAfter: bound(), End: bound(), Reverse: rnd.IntN(2) == 0,
				Limit: rnd.IntN(4)}
			if rnd.IntN(3) == 0 {
				o.Prefix = key()
			}
			if got, want := names(t, s, o), now.list(o); got != want {
				t.Fatalf("step %d: list %+v: %q, want %q", step, o, got, want)
			}
		case op < 55:
			at := time.Unix(0, rnd.Int64N(1e18)+1)
			must(t, s.SetAlarm(at))
			now.alarm = at
		case op < 58:
			must(t, s.DeleteAlarm())
			now.alarm = time.Time{}
		case op < 66 && len(stack) < 4:
			before := now.clone()
			var txn *storage.Txn
			if len(stack) == 0 && rnd.IntN(2) == 0 {
				txn, err = s.Begin()
				committed, async = now.clone(), true
			} else {
				txn, err = s.Savepoint()
			}
			must(t, err)
			stack = append(stack, level{txn, before})
		case op < 76 && len(stack) > 0:
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if rnd.IntN(2) == 0 {
				must(t, top.txn.Commit())
				if len(stack) == 0 && async {
					committed = now.clone()
				}
			} else {
				must(t, top.txn.Rollback())
				now = top.before
			}
			if len(stack) == 0 {
				async = false
			}
		case op < 84 && len(stack) == 0:
			must(t, s.Commit())
			committed = now.clone()
		case op < 88:
			must(t, s.Rollback())
			now, stack, async = committed.clone(), nil, false
		case op < 92 && len(stack) == 0:
			must(t, s.DeleteAll(false))
			now = model{entries: map[string]string{}}
			committed = now.clone()
		case op < 96:
			s.Release()
		case op < 97:
			must(t, ns.Close())
			ns, err = storage.OpenNamespace(dir, storage.Options{})
			must(t, err)
			s = ns.Store(objectID)
			now, stack, async = committed.clone(), nil, false
		}
		if got := dump(t, s); got != now.dump() {
			t.Fatalf("step %d:\n got %s\nwant %s", step, got, now.dump())
		}
	}
	must(t, ns.Close())
}

func dump(t *testing.T, s *storage.Store) string {
	entries, err := s.List(storage.ListOptions{})
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Key+"="+string(e.Value))
	}
	at, err := s.Alarm()
	must(t, err)
	return strings.Join(out, " ") + fmt.Sprint(" @", at.UnixNano())
}

// names lists keys whatever their values.
func names(t *testing.T, s *storage.Store, o storage.ListOptions) string {
	entries, err := s.List(o)
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Key)
	}
	return strings.Join(out, " ")
}

package objectjs

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"eddy/durableobject/storage"
)

func TestInspect(t *testing.T) {
	b := newBench(t)
	b.clock.Pause()
	w := b.start(config{classes: []string{"L"}}, prelude+script("inspect.js"))
	b.expect(w, "/go", "ok")
	ctx := context.Background()
	if ns := b.objs.Namespaces(ctx); len(ns) != 1 || ns[0].Key != "w-L" || !ns[0].Served || !ns[0].SQL ||
		ns[0].Live != 1 {
		t.Errorf("%+v", ns)
	}
	info, err := b.objs.Show(ctx, "w-L", "a")
	if err != nil || info.Name != "a" || info.State != "idle" || info.Alarm.IsZero() {
		t.Errorf("%+v %v", info, err)
	}
	if e, err := b.objs.Storage(ctx, "w-L", "a", storage.ListOptions{}); err != nil || len(e) != 1 ||
		fmt.Sprintf("%s %x", e[0].Key, e[0].Value) != "k ff0f490a" {
		t.Error(e, err)
	}
	query := func(sql string, write bool, bindings ...any) (string, error) {
		r, err := b.objs.Query(ctx, "w-L", info.ID, storage.Query{SQL: sql, Write: write, Bindings: bindings})
		return fmt.Sprint(r.Columns, r.Rows), err
	}
	if r, err := query("SELECT * FROM t WHERE a = ?", false, 1.0); err != nil || r != "[a b] [[1 x]]" {
		t.Error(r, err)
	}
	if _, err := query("SELECT 1; DELETE FROM t", false); !errors.Is(err, storage.ErrReadOnly) {
		t.Error(err)
	}
	if info.Keys != 1 || len(info.Tables) != 1 || info.Tables[0].Name != "t" || info.Tables[0].Rows != 1 {
		t.Errorf("%+v", info)
	}
	if r, err := query("INSERT INTO t VALUES (2, 'live') RETURNING a", true); err != nil || r != "[a] [[2]]" {
		t.Error(r, err)
	}
	big := storage.Query{SQL: "SELECT 9007199254740993", Exact: true}
	if r, err := b.objs.Query(ctx, "w-L", "a", big); err != nil || fmt.Sprint(r.Rows) != "[[9007199254740993]]" {
		t.Error(r, err)
	}
	if _, err := query("DROP TABLE _cf_KV", true); err == nil {
		t.Error("the platform's table is gone")
	}
	if r, err := b.objs.Query(ctx, "w-L", "a", storage.Query{SQL: "SELECT a FROM t", Limit: 1}); err != nil ||
		len(r.Rows) != 1 || !r.Truncated {
		t.Errorf("%+v %v", r, err)
	}
	// One object is described as the list describes it, in memory and out of it.
	alike := func() {
		t.Helper()
		list, err := b.objs.List(ctx, "w-L")
		if err != nil || len(list) == 0 {
			t.Fatalf("%+v %v", list, err)
		}
		for _, want := range list {
			if one, ok, err := b.objs.Info(ctx, "w-L", want.ID); !ok || err != nil || one != want {
				t.Errorf("%+v %v %v, want %+v", one, ok, err, want)
			}
		}
		if one, ok, err := b.objs.Info(ctx, "w-L", b.objs.ID("w-L", "nobody")); ok || err != nil {
			t.Errorf("an object that is none: %+v %v", one, err)
		}
	}
	alike()
	if ok, err := b.objs.Evict(ctx, "w-L", "a", false); !ok || err != nil {
		t.Error(ok, err)
	}
	// The file is closed off the loop, and grows by its log then: a reader waits until that is done.
	if r, err := query("SELECT count(*) FROM t", false); err != nil || r != "[count(*)] [[2]]" {
		t.Error(r, err)
	}
	alike()
	if ok, err := b.objs.Evict(ctx, "w-L", "a", false); ok || err != nil {
		t.Error("an object left memory twice:", ok, err)
	}
	if r, err := query("UPDATE t SET b = 'cold' WHERE a = 2 RETURNING b", true); err != nil || r != "[b] [[cold]]" {
		t.Error(r, err)
	}
	if a, err := b.objs.Alarms(ctx, "w-L"); len(a) != 1 || err != nil {
		t.Error(a, err)
	}
	if err := b.objs.Delete(ctx, "w-L", "a"); err != nil {
		t.Error(err)
	}
	if _, err := b.objs.Show(ctx, "w-L", "a"); !errors.Is(err, ErrNoObject) {
		t.Error(err)
	}
	if _, err := b.objs.List(ctx, "nope"); !errors.Is(err, ErrNoNamespace) {
		t.Error(err)
	}
}

// A query that writes waits at the gate of an object that blocks it; one that reads does not. An object at work leaves
// memory only by force, and what it has in progress fails.
func TestChangesWaitAtTheGate(t *testing.T) {
	b := newBench(t)
	b.clock.Pause() // or the section's time limit is over at once
	w := b.start(config{classes: []string{"L"}}, prelude+script("inspect_changes_wait_at_the_gate.js"))
	b.expect(w, "/block", "ok")
	ctx := context.Background()
	wrote := make(chan error, 1)
	go func() {
		_, err := b.objs.Query(ctx, "w-L", "a", storage.Query{SQL: "INSERT INTO t VALUES (1)", Write: true})
		wrote <- err
	}()
	for waits := false; !waits; { // the change is on its way
		d, err := b.objs.Show(ctx, "w-L", "a")
		if err != nil {
			t.Fatal(err)
		}
		waits = len(d.Waiters) == 1
	}
	if r, err := b.objs.Query(ctx, "w-L", "a", storage.Query{SQL: "SELECT count(*) FROM t"}); err != nil ||
		fmt.Sprint(r.Rows) != "[[0]]" {
		t.Error(r, err)
	}
	if ok, err := b.objs.Evict(ctx, "w-L", "a", false); ok || !errors.Is(err, ErrBusy) {
		t.Error(ok, err)
	}
	b.expect(w, "/release", "1")
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if r, err := b.objs.Query(ctx, "w-L", "a", storage.Query{SQL: "SELECT count(*) FROM t"}); err != nil ||
		fmt.Sprint(r.Rows) != "[[1]]" {
		t.Error(r, err)
	}
	b.expect(w, "/hang", "ok")
	if ok, err := b.objs.Evict(ctx, "w-L", "a", true); !ok || err != nil {
		t.Error(ok, err)
	}
	b.expect(w, "/ended", "The Durable Object was evicted from memory by request.,true")
}

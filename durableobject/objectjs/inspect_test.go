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
	w := b.start(config{classes: []string{"L"}}, prelude+`
export class L extends DurableObject { async go() { await this.ctx.storage.put("k", 5); this.ctx.storage.sql.exec("CREATE TABLE t AS SELECT 1 a, 'x' b"); await this.ctx.storage.setAlarm(Date.now() + 5000) } alarm() {} }
const tests = { go: async (env) => { await env.L.getByName("a").go(); return "ok" } };`)
	b.expect(w, "/go", "ok")
	ctx := context.Background()
	if ns := b.objs.Namespaces(ctx); len(ns) != 1 || ns[0].Key != "w-L" || !ns[0].Served || !ns[0].SQL || ns[0].Live != 1 {
		t.Errorf("%+v", ns)
	}
	info, err := b.objs.Show(ctx, "w-L", "a")
	if err != nil || info.Name != "a" || info.State != "idle" || info.Alarm.IsZero() {
		t.Errorf("%+v %v", info, err)
	}
	if e, err := b.objs.Storage(ctx, "w-L", "a", storage.ListOptions{}); err != nil || len(e) != 1 || fmt.Sprintf("%s %x", e[0].Key, e[0].Value) != "k ff0f490a" {
		t.Error(e, err)
	}
	if r, err := b.objs.SQL(ctx, "w-L", info.ID, "SELECT * FROM t WHERE a = ?", false, 1.0); err != nil || fmt.Sprint(r) != "{[a b] [[1 x]]}" {
		t.Error(r, err)
	}
	if _, err := b.objs.SQL(ctx, "w-L", "a", "DELETE FROM t", false); err != nil {
		t.Error(err)
	}
	if r, err := b.objs.SQL(ctx, "w-L", "a", "SELECT count(*) FROM t", false); err != nil || fmt.Sprint(r.Rows) != "[[1]]" {
		t.Error("a query that only reads has changed something:", r, err)
	}
	if ok, err := b.objs.Evict(ctx, "w-L", "a"); !ok || err != nil {
		t.Error(ok, err)
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

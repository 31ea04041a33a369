package objectjs

import (
	"context"
	"errors"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/worker"
)

const endlessSQL = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "

// limited is short, for many events are to reach it, and long enough for the others on a busy machine.
func limited(o *worker.Options) { o.CPULimit = 200 * time.Millisecond }

// testdata/limits.txtar.
func TestSQLObeysTheCPULimit(t *testing.T) {
	newBench(t).play("limits", config{classes: []string{"L"}, change: limited})
}

// A query from outside that does not end is ended, whether the object is in memory or not and whether it writes. The
// object works afterwards.
func TestQueryObeysTheCPULimit(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"D"}, change: limited}, damageObject)
	ctx := context.Background()
	b.expect(w, "/sql", "no error: []")
	for _, warm := range []bool{true, false} {
		if !warm {
			if _, err := b.objs.Evict(ctx, "w-D", "a", true); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range []storage.Query{
			{SQL: endlessSQL + "SELECT count(*) FROM c"},
			{SQL: endlessSQL + "SELECT n FROM c", Limit: 10},
			{SQL: endlessSQL + "INSERT INTO t SELECT n FROM c", Write: true},
		} {
			_, err := b.objs.Query(ctx, "w-D", "a", q)
			if q.Limit > 0 && err != nil || q.Limit == 0 && err == nil {
				t.Errorf("in memory %v: %s: %v", warm, q.SQL, err)
			}
			if !warm && q.Limit == 0 && !errors.Is(err, errQueryTime) {
				t.Errorf("%s: %v", q.SQL, err)
			}
			r, err := b.objs.Query(ctx, "w-D", "a", storage.Query{SQL: "SELECT count(*) FROM t"})
			if err != nil || r.Rows[0][0] != 0.0 {
				t.Errorf("in memory %v: after %s: %v %v", warm, q.SQL, r.Rows, err)
			}
		}
	}
	b.expect(w, "/put", "no error: put")
}

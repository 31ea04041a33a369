package objectjs

import (
	"strings"
	"testing"
	"time"
)

var lifeObject = prelude + script("life.js")

// testdata/alarmname.txtar (CL15).
func TestAlarmKnowsTheName(t *testing.T) {
	root := t.TempDir()
	b := newBenchAt(t, root, Options{})
	b.play("alarmname", config{classes: []string{"L"}})
	b.clock.Pause()
	b.play("alarmname", config{classes: []string{"L"}}, "before the end")
	b.close()
	newBenchAt(t, root, Options{}).play("alarmname", config{classes: []string{"L"}}, "restarted")
}

// GT1 to GT11, CL3, SQL19, AL3 to AL6: what interleaves, what stays, what comes back.
func TestLifeFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, lifeObject)
	for _, f := range [][2]string{
		{"who", "1r1"},
		{"idle", "2r1,2r2,3r1"},
		{"kept", "true,true"},
		{"errors", "fine,fine1r1"},
		{"alarmDone", "true,done 0 false ,"},
		{"alarmThrow", "true\nthrow 0 false |throw 1 true |throw 2 true |throw 3 true |throw 4 true |throw 5 true " +
			"|throw 6 true \nnull"},
		{"alarmAgain", "again 0 false |done 0 false "},
		{"alarmAbort", "abort 0 false |aborting|abort 1 true |aborting"},
		{"gates", "in 1|in 2|out 1|out 2\nlock 1|unlock 1|in 2|lock 3|unlock 3|out 2\n" +
			"begin 1|end 1|begin 2|end 2|in 3|out 3"},
		{"race", "1,1,1"},
		{"constraint", "Error: Durable Object was reset and rolled back to its last known good state because the " +
			"application left the database in a state where constraints were violated: FOREIGN KEY constraint " +
			"failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY) durableObjectReset\n" +
			"Error: Durable Object was reset and rolled back to its last known good state because the application " +
			"left the database in a state where constraints were violated: FOREIGN KEY constraint failed: " +
			"SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY) durableObjectReset"},
	} {
		if f[0] == "errors" {
			// GT9: "a" idled away meanwhile; a fresh one counts from where births are.
			if got := b.get(w, "/errors"); !strings.HasPrefix(got, "fine,fine") {
				t.Error(got)
			}
			if n := b.notes(); !strings.Contains(n, "uncaught Error: waited") ||
				!strings.Contains(n, "uncaught Error: timer") {
				t.Errorf("notes: %s", n)
			}
			continue
		}
		if got := b.get(w, "/"+f[0]); strings.ReplaceAll(got, " null", " ") != strings.ReplaceAll(f[1], " null", " ") {
			t.Errorf("%s\n got: %s\nwant: %s\nnotes %s", f[0], got, f[1], b.notes())
		}
	}
}

// AL7, ID14: an overdue alarm fires at start with its original time; --alarms=drop forgets it.
func TestAlarmsSurvive(t *testing.T) {
	src := prelude + script("life_alarms_survive.js")
	b := newBench(t)
	b.clock.Pause() // or it would fire at once
	b.expect(b.start(config{classes: []string{"L"}}, src), "/set", "ok")
	b.close()
	for _, c := range []struct {
		mode AlarmMode
		want string
	}{{AlarmsHold, "not fired"}, {AlarmsFire, "1775001660000 0 a"}} {
		again := newBenchAt(t, b.root, Options{Alarms: c.mode})
		w := again.start(config{classes: []string{"L"}}, src)
		again.clock.Advance(t.Context(), 2*time.Hour)
		again.expect(w, "/read", c.want)
		again.close()
	}
	b = newBench(t)
	b.clock.Pause()
	b.expect(b.start(config{classes: []string{"L"}}, src), "/set", "ok")
	b.close()
	again := newBenchAt(t, b.root, Options{Alarms: AlarmsDrop})
	w := again.start(config{classes: []string{"L"}}, src)
	again.clock.Advance(t.Context(), 2*time.Hour)
	again.expect(w, "/read", "not fired")
}

// GT13: new code takes the namespace over: memory is gone, storage stays, calls in between wait.
func TestReload(t *testing.T) {
	src := func(v string) string {
		return prelude + `
export class L extends DurableObject { n = 0; async inc() { this.ctx.storage.put("s",
  (await this.ctx.storage.get("s") ?? 0) + 1);
    return "` + v + ` " + ++this.n + " " + await this.ctx.storage.get("s") } }
const tests = { inc: (env) => env.L.getByName("a").inc() };`
	}
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, src("old"))
	b.expect(w, "/inc", "old 1 1")
	w = b.start(config{classes: []string{"L"}}, src("new"))
	b.expect(w, "/inc", "new 1 2")
}

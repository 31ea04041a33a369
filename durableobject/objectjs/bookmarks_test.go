package objectjs

import (
	"strings"
	"testing"
	"time"
)

var bookmarkObject = prelude + script("bookmarks.js")

// SQL18 with the point-in-time recovery of production: SQL, keys and the alarm go back together when the object begins
// anew; the undo bookmark is of the end of the session; a time leads back, too. Objects without SQLite have none of it.
func TestBookmarks(t *testing.T) {
	b := newBench(t)
	c := config{classes: []string{"B"}, kv: []string{"K"}}
	w := b.start(c, bookmarkObject)
	const refused = "Error: This Durable Object's storage back-end does not implement point-in-time recovery. remote"
	for _, f := range [][2]string{
		{"round", "true|true|true|a+b+late a+b alarm|a a no alarm|true|a+b+late a+b alarm|a a no alarm"},
		{"turn", "a+after+before"},
		{"idle", "false"},
		{"later", "asked"},
	} {
		b.expect(w, "/"+f[0], f[1])
	}
	if got := b.get(w, "/kv"); strings.Count(got+"\n", strings.TrimSuffix(refused, " remote")+"\n") != 3 {
		t.Error(got)
	}
	got := strings.Split(b.get(w, "/errors"), "\n")
	for i, want := range []string{
		"TypeError: Failed to execute 'getBookmarkForTime' on 'DurableObjectStorage': parameter 1 is not of type " +
			"'date'.",
		"TypeError: Failed to execute 'getBookmarkForTime' on 'DurableObjectStorage': parameter 1 is not of type " +
			"'date'.",
		"TypeError: The value cannot be converted because it is not a valid Date.",
		`Error: bookmark "nonsense": expected 8-8-8-32 lower-case hexadecimal digits, ` +
			`as getCurrentBookmark() gives them`,
		"Error: getBookmarkForTime() cannot tell of a time in the future.",
		"Error: getBookmarkForTime() can go back 30 days at most.",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("error %d: %v, want %s", i, got, want)
			break
		}
	}
	b.close()
	// What was asked for happens after a restart, too.
	again := newBenchAt(t, b.root, Options{})
	w = again.start(c, bookmarkObject)
	if got := again.get(w, "/read"); strings.Contains(got, "gone") || !strings.HasPrefix(got, "a+") {
		t.Error(got)
	}
}

// An alarm that comes back with an old state rings; one that goes with the new state does not.
func TestBookmarkRestoresAlarm(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"B"}}, strings.Replace(bookmarkObject, "read: (env)", `
	set: async (env) => { await o(env).add("a"); await o(env).wake(60e3); const m = await o(env).mark();
		await o(env).add("b"); await sleep(61e3); const rang = (await o(env).read()).includes("rang");
			await o(env).back(m); await caught(() => o(env).abort()); const state = await o(env).read();
				await sleep(1e3); return [rang, state, await o(env).read()].join("|") },
	read: (env)`, 1))
	b.expect(w, "/set", "true|a a alarm|a+rang a no alarm")
}

// Without history bookmarks are as in the reference (SQL18).
func TestNoHistory(t *testing.T) {
	b := newBenchAt(t, t.TempDir(), Options{HistoryKeep: -time.Second})
	w := b.start(config{classes: []string{"B"}}, strings.Replace(bookmarkObject, "read: (env)", `
	old: async (env) => [await o(env).mark(), await o(env).mark(), await caught(() => o(env).at(1)),
		await caught(() => o(env).back("x"))].join("\n"),
	read: (env)`, 1))
	b.expect(w, "/old", "00000000-00000000-00000000-00000000000000000000000000000000\n"+
		"00000000-00000001-00000000-00000000000000000000000000000000\n"+
		"Error: This Durable Object's storage back-end does not implement point-in-time recovery. remote\n"+
		"Error: This Durable Object's storage back-end does not implement point-in-time recovery. remote")
}

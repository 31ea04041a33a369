package replay

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/journal"
)

// A path that nothing can have is refused, and the message names it.
func TestCheckIgnore(t *testing.T) {
	for _, good := range []string{"kv", "kv.KV.*.at", "objects.Order.*.at", "queues.*[].timestamp", "outgoing[].body",
		"*.updatedAt", "*", "d*", "dead.abc"} {
		if err := CheckIgnore(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "[[", "KV.a", "k", "object.Order", ".kv", "x*", "kvs.A"} {
		if err := CheckIgnore(bad); err == nil || !strings.Contains(err.Error(), `"`+bad+`"`) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A comment of either kind declares paths up to its end, and nothing of the code behind it.
func TestIgnoreComments(t *testing.T) {
	for text, want := range map[string]string{
		"a() // eddy-chaos-ignore kv.*/x, d1.A  \nb":                   "[kv.*/x d1.A]",
		"/* eddy-chaos-ignore kv.KV.s* */ async queue() {":             "[kv.KV.s*]",
		" * eddy-chaos-ignore kv.a\n * eddy-chaos-ignore\tkv.b\r\n */": "[kv.a kv.b]",
		"/** doc */ // eddy-chaos-ignore kv.c":                         "[kv.c]",
		"// eddy-chaos-ignored kv.d":                                   "[]",
	} {
		if got := fmt.Sprint(ignoredBy(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Messages with a key of their own count once, others as often as they were sent.
func TestDistinct(t *testing.T) {
	const id = "4cd215841bf4c7a37172f4384c372e17"
	c := &checker{base: []*delivery{{Recorded: &Recorded{Line: &journal.Line{
		Messages: []journal.FileMessage{{ID: id}}}}}}}
	for text, want := range map[string]int{
		`[{"id":1},{"id":1},{"id":2}]`:                            2,
		`[{"event_id":"a","at":1},{"event_id":"a","at":2}]`:       1,
		`[{"idempotencyKey":"a"},{"idempotencyKey":"a"}]`:         1,
		`[{"Job-ID":"a"},{"Job-ID":"a"}]`:                         1,
		`[{"receipt":"r-` + id + `"},{"receipt":"r-` + id + `"}]`: 1,
		`[{"order":"a1"},{"order":"a1"}]`:                         2,
		`[{"order_id":"a1"},{"order_id":"a1"}]`:                   2,
		`[{"id":""},{"id":""},{"id":null},{"id":null}]`:           4,
		`["a","a",1,1]`: 4,
		`[{"id":{"x":1}},{"id":{"x":1}},{"keys":"a"},{"keys":"a"}]`: 4,
	} {
		if got := c.distinct(decode([]byte(text)).([]any)); len(got) != want {
			t.Errorf("%s: %d messages, want %d", text, len(got), want)
		}
	}
}

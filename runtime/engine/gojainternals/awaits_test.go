package gojainternals

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// Of what a program awaits and makes with new, the promises that are pending are told of, in the order in which that
// happens.
func TestWatchPromises(t *testing.T) {
	for _, c := range []struct {
		source string
		told   []string
	}{
		{"(async () => { await 1; await Promise.resolve(2) })()", nil},
		{"(async () => { await new Promise(() => {}) })()", []string{"made", "awaited"}},
		{"const p = new Promise(() => {}); (async () => { await p })()", []string{"made", "awaited"}},
		{"new Promise((r) => r(1)); new Date(); new Map()", nil},
		{"const f = async () => { await new Promise(() => {}) }; (async () => { await f() })()",
			[]string{"made", "awaited", "awaited"}},
		{"function* g() { yield new Promise(() => {}) } g().next()", []string{"made"}},
	} {
		l, p := layout(t), compile(t, c.source)
		var told []string
		l.WatchPromises(p, func(_ *goja.Runtime, o *goja.Object, awaited bool) {
			if !Pending(o) {
				t.Errorf("%s: told of %s, which is settled", c.source, o)
			}
			told = append(told, map[bool]string{true: "awaited", false: "made"}[awaited])
		})
		if _, err := goja.New().RunProgram(p); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(told, c.told) {
			t.Errorf("%s: told %s", c.source, fmt.Sprint(told))
		}
	}
}

package journal

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/cause"
)

// A trace is found by its own id, by an event's and by a message's, and has what is linked to it. Entries are written
// when events end, so causes may come after what they caused.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, Options{Dir: filepath.Join(dir, "w")})
	at := func(n, trace, span, parent byte, links ...cause.Cause) *Entry {
		e := event(int(n), "")
		e.Trace, e.Span, e.Parent, e.Links = [16]byte{trace}, [8]byte{span}, [8]byte{parent}, links
		e.Delivery.Messages[0].ID = [16]byte{0xaa, span}
		return e
	}
	in := func(trace, span byte) cause.Cause { return cause.Cause{Trace: [16]byte{trace}, Span: [8]byte{span}} }
	for _, e := range []*Entry{at(2, 1, 0x12, 0x11), at(1, 1, 0x11, 0), at(3, 1, 0x13, 0x12), at(1, 2, 0x21, 0),
		at(5, 3, 0x31, 0, in(2, 0x21), in(1, 0x13)), at(6, 3, 0x32, 0x31), at(9, 1, 0x14, 0x77), at(7, 9, 0x91, 0x92),
		at(8, 9, 0x92, 0x91)} {
		j.Add(e)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var text func(list []*TreeNode) string
	text = func(list []*TreeNode) string {
		var parts []string
		for _, n := range list {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%x %s", n.Span[:1], text(n.Children))))
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	for id, want := range map[string]string{
		"01000000": "(11 (12 (13 (31 (32 ())))) 14 ())", "aa12": "(11 (12 (13 (31 (32 ())))) 14 ())",
		"13000000": "(11 (12 (13 (31 (32 ())))) 14 ())", "02000000": "(21 (31 (32 ())))", "AA-31": "(31 (32 ()))",
		"09000000": "(92 (91 ()))", "ffff": "()",
	} {
		roots, _, err := Tree(dir, id, nil)
		if got := text(roots); err != nil || got != want {
			t.Errorf("%s: got %s, want %s: %v", id, got, want, err)
		}
	}
	if _, n, err := Tree(dir, "aa", nil); n < 2 || err != nil {
		t.Errorf("aa names %d traces: %v", n, err)
	}
}

package sharing

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/journal"
	"eddy/runtime/sharing/peer"
)

// A node whose stream breaks is asked for what comes behind the last entry, until it answers. If it has that entry no
// more, or is of a version that does not know the question, something may be missing, and that is told.
func TestStreamOfANodeBreaks(t *testing.T) {
	entry := func(i byte) *journal.Entry { return &journal.Entry{Kind: journal.Fetch, Span: [8]byte{i}} }
	after := func(i byte) string { return "after=" + hex.EncodeToString(entry(i).Span[:]) + "&follow=1&past=0" }
	steps := []struct {
		asked, resumed string
		status         int
		gives          []byte
		ends           bool
	}{
		{asked: "follow=1&past=0", status: http.StatusOK, gives: []byte{1, 2}},
		{asked: after(2), status: http.StatusServiceUnavailable},
		{asked: after(2), status: http.StatusOK, resumed: peer.JournalWhole, gives: []byte{3}},
		{asked: after(3), status: http.StatusOK, resumed: peer.JournalPart, gives: []byte{7}},
		{asked: after(7), status: http.StatusOK, gives: []byte{9}}, // an earlier version
		{asked: after(9), status: http.StatusOK, resumed: peer.JournalWhole, ends: true},
	}
	next := 0
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if next == len(steps) {
			t.Errorf("asked again: %s", r.URL.RawQuery)
			return
		}
		step := steps[next]
		next++
		if r.URL.RawQuery != step.asked || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("step %d: asked %q, want %q", next, r.URL.RawQuery, step.asked)
		}
		if step.resumed != "" {
			w.Header().Set(peer.JournalResumed, step.resumed)
		}
		w.WriteHeader(step.status)
		for _, i := range step.gives {
			if err := journal.Send(w, entry(i)); err != nil {
				t.Error(err)
			}
		}
		if step.status == http.StatusOK && !step.ends {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer node.Close()
	e := engine.NewMemory(1)
	if err := e.Beat(t.Context(), engine.Node{ID: "n/1", URL: node.URL}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var got []byte
	var told []string
	err := Watch(ctx, e, "secret", func() error { return nil },
		func(node string, how journal.Following, why error) {
			told = append(told, fmt.Sprintf("%s%d%v", node, how, why != nil))
			if how == journal.Over {
				end()
			}
		}, func(x *journal.Entry) error { got = append(got, x.Span[0]); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.Equal(got, []byte{1, 2, 3, 7, 9}) {
		t.Errorf("got %v", got)
	}
	broken, whole, part := "n0true", "n1false", "n2false"
	want := []string{broken, whole, broken, part, broken, part, broken, whole, "n3false"}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// Another incarnation of a process is followed already; another process is not, and all that it records is new.
func TestProcessesThatAreFollowed(t *testing.T) {
	w := &watching{processes: map[string]*nodeStream{}}
	see := func(first bool, nodes ...engine.Node) (last []string) {
		var v engine.View
		for _, n := range nodes {
			v.Nodes = append(v.Nodes, engine.Seen{Node: n})
		}
		for _, p := range w.see(v, first) {
			last = append(last, p.last)
		}
		return last
	}
	a, b := engine.Node{ID: "a/1", Cert: []byte("1")}, engine.Node{ID: "a/2", Cert: []byte("1")}
	c := engine.Node{ID: "a/3", Cert: []byte("2")}
	if got := see(true, a); !slices.Equal(got, []string{""}) {
		t.Errorf("first %q", got)
	}
	if got := slices.Concat(see(false, b), see(false), see(false, a)); len(got) > 0 {
		t.Errorf("followed twice: %q", got)
	}
	if got := see(false, b, c); !slices.Equal(got, []string{peer.JournalEmpty}) {
		t.Errorf("another process: %q", got)
	}
}

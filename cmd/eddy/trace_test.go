package main

import (
	"bytes"
	"testing"
	"time"

	"eddy/runtime/journal"
)

// Below an event stand the spans that its script has opened, nested as they were, and then what it caused.
func TestTraceDrawsSpans(t *testing.T) {
	event, outer, inner := [8]byte{1}, [8]byte{2}, [8]byte{3}
	at := time.UnixMicro(1_000_000)
	root := &journal.TreeNode{Entry: &journal.Entry{Kind: journal.RPC, RPCMethod: "m", Worker: "w", Outcome: "ok",
		Span: event, At: 1_000_000, Wall: 5 * time.Millisecond, Spans: []journal.NamedSpan{
			{ID: inner, Parent: outer, Name: "in\x1bner", At: 1_002_000, Took: time.Millisecond, Status: "error",
				Message: "bad", Exceptions: []journal.Exception{{Name: "TypeError", Message: "no"}}},
			{ID: outer, Parent: event, Name: "outer", At: 1_001_000, Took: 3 * time.Millisecond,
				Attributes: []journal.SpanAttribute{{Name: "k", Value: `"v"`}}},
			{ID: event, Parent: event},
		}}, Children: []*journal.TreeNode{{Entry: &journal.Entry{Kind: journal.RPC, RPCMethod: "n", Worker: "v",
		Outcome: "ok", At: 1_004_000}}}}
	var out bytes.Buffer
	if err := drawBranches(output{w: &out}, branchesOf([]*journal.TreeNode{root}, at), ""); err != nil {
		t.Fatal(err)
	}
	const want = "└─ +0ms  w: RPC m  ok  (5ms)\n" +
		"   ├─ +1ms  span outer  (3ms)  k=\"v\"\n" +
		"   │  └─ +2ms  span in\\x1bner  (1ms)  ✘ bad  ✘ TypeError: no\n" +
		"   └─ +4ms  v: RPC n  ok  (0ms)\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

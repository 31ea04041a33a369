package worker

import (
	"encoding/json"
	"testing"

	"eddy/runtime/journal"
)

// A line of a log is the JSON of its arguments, also where it is made without a call to JSON.stringify.
func TestLogsAreJSON(t *testing.T) {
	entries := make(chan []journal.Log, 1)
	seen := func(e *journal.Entry) { entries <- e.Logs }
	w := start(t, script("logged.js"), func(o *Options) { o.Journal = journal.Unkept(false, nil, seen, nil) })
	_, body, err := get(t, w, "http://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal([]byte(body), &want); err != nil || len(want) != 20 {
		t.Fatalf("%d lines: %v", len(want), err)
	}
	logs := <-entries
	if len(logs) != len(want) {
		t.Fatalf("%d lines are recorded, want %d", len(logs), len(want))
	}
	for i, l := range logs {
		if l.Message != want[i] {
			t.Errorf("line %d is %s, want %s", i, l.Message, want[i])
		}
	}
}

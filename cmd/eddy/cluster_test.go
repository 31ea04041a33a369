package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/cluster/postgres"
)

// stoodStill is what a PostgreSQL says that has had a statement, or a transaction, for too long: if the machine stood
// still meanwhile, that is no news.
var stoodStill = regexp.MustCompile(`\(SQLSTATE (57014|25P03)\)`)

// ran runs a command line in this process, again if everything stood still while its database was asked.
func ran(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	for {
		var out, errs bytes.Buffer
		code = Run(OS{Args: args, Stdout: &out, Stderr: &errs, Environ: environ, Getwd: os.Getwd})
		if code == exitOK || !stoodStill.Match(errs.Bytes()) || t.Context().Err() != nil {
			return code, out.String(), errs.String()
		}
	}
}

// A server that has become unsafe is shown as what it is.
func TestHealthIsTold(t *testing.T) {
	for fsync, want := range map[bool]string{true: "fsync on", false: "fsync off"} {
		var b strings.Builder
		h := postgres.Health{Version: "15.1", Number: 150001, Fsync: fsync, FullPageWrites: true,
			SynchronousCommit: "on"}
		if err := tellHealth(output{w: &b}, h); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.Contains(text, want) || strings.Contains(text, "is refused: fsync is off") == fsync {
			t.Errorf("fsync %v: %s", fsync, text)
		}
	}
}

// What nodes tell of themselves is told, but for what a silent one has said.
func TestStatusTellsTrouble(t *testing.T) {
	var b strings.Builder
	nodes := []node.Status{
		{Name: "a", Trouble: node.Trouble{ID: "a/1", Ahead: -2, Unreached: []string{"b"}}},
		{Name: "b", Silent: true, Trouble: node.Trouble{ID: "b/1", Ahead: 7}},
	}
	if err := tellStatus(output{w: &b}, postgres.Health{}, nodes, engine.View{}, 0); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"The clock of node a is at least 2 s behind the database's": true,
		"Node a does not reach node b": true, "The clock of node b": false} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q: want %v in\n%s", text, want, b.String())
		}
	}
}

// A cluster is made once, on a server that keeps what it acknowledges; each refusal says what to do.
func TestCluster(t *testing.T) {
	for _, args := range [][]string{{"cluster", "init"}, {"cluster", "status", "redis://x"}} {
		if code, _, text := ran(t, nil, args...); code != exitUsage || !strings.Contains(text, "postgres://") {
			t.Errorf("%v: %d, %s", args, code, text)
		}
	}
	if _, _, text := ran(t, nil, "cluster", "init", "foo"); !strings.Contains(text, `"foo" is no URL`) {
		t.Errorf("init of foo: %s", text)
	}
	if code, _, text := ran(t, nil, "cluster", "status", "postgres://eddy@127.0.0.1:1/eddy"); code != exitFailure ||
		!strings.Contains(text, "database at 127.0.0.1:1 does not answer") || !strings.Contains(text, "start it") {
		t.Errorf("status of nobody: %d, %s", code, text)
	}
	s, err := servers.Postgres()
	if err != nil {
		if servers.Missing("cmd/eddy: TestCluster", err) != 0 {
			t.Fatal(err)
		}
		return
	}
	defer s.Stop()
	environ := []string{"EDDY_CLUSTER=" + s.URL}
	code, _, text := ran(t, environ, "cluster", "status")
	if code != exitFailure || !strings.Contains(text, "cluster init") {
		t.Errorf("status of none: %d, %s", code, text)
	}
	if code, _, text := ran(t, environ, "cluster", "drain", "a"); !strings.Contains(text, "cluster init") {
		t.Errorf("drain of none: %d, %s", code, text)
	}
	if code, _, text := ran(t, environ, "serve", "--cluster", s.URL, "--node", "a", "--advertise", "127.0.0.1:0",
		"--admin", "off"); code != exitFailure || !strings.Contains(text, "cluster init") {
		t.Errorf("a node of none: %d, %s", code, text)
	}
	code, text, errs := ran(t, nil, "cluster", "init", s.URL)
	for _, want := range []string{"PostgreSQL 1", "fsync on",
		"no synchronous standby: the loss of its machine loses data",
		"128 shards for objects and one for queues"} {
		if code != exitOK || !strings.Contains(text, want) {
			t.Errorf("init: %d, %s%s, want %q", code, text, errs, want)
		}
	}
	if code, _, text := ran(t, environ, "cluster", "init"); code != exitUsage || !strings.Contains(text, "already") {
		t.Errorf("init again: %d, %s", code, text)
	}
	if code, text, errs := ran(t, environ, "cluster", "status"); code != exitOK ||
		!strings.Contains(text, "No node runs.") || !strings.Contains(text, "129 of 129") {
		t.Errorf("status: %d, %s%s", code, text, errs)
	}
	e, err := postgres.Open(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	id := engine.NewNodeID("one")
	if err := e.Beat(t.Context(), engine.Node{ID: id, URL: "https://10.0.0.5:8788", Hash: "4f"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Claim(context.Background(), id, engine.Nobody, 0); err != nil {
		t.Fatal(err)
	}
	if err := e.SetNote(t.Context(), node.TroubleNote("one"), 0,
		fmt.Appendf(nil, `{"id":%q,"clockAheadSeconds":3,"unreached":["two"]}`, id)); err != nil {
		t.Fatal(err)
	}
	var status struct {
		Nodes []node.Status
		Free  int `json:"freeShards"`
	}
	code, text, errs = ran(t, environ, "cluster", "status", "--json")
	if err := json.Unmarshal([]byte(text), &status); err != nil || code != exitOK {
		t.Fatalf("%d, %v, %s%s", code, err, text, errs)
	}
	for _, refusal := range [][]string{{"two", "one"}, {"one", "no other node"}} {
		if code, _, text := ran(t, environ, "cluster", "drain", refusal[0]); code != exitUsage ||
			!strings.Contains(text, refusal[1]) {
			t.Errorf("drain %s: %d, %s", refusal[0], code, text)
		}
	}
	if err := e.Drain(t.Context(), id, engine.Unusable, true); err != nil {
		t.Fatal(err)
	}
	if _, text, _ := ran(t, environ, "cluster", "drain", "one", "--undo"); !strings.Contains(text, "drained itself") {
		t.Errorf("undo on a node that has drained itself: %s", text)
	}
	want := node.Status{Name: "one", URL: "https://10.0.0.5:8788", Beats: 1, Silent: true, Shards: 129, Queues: true,
		Code: "4f", Trouble: node.Trouble{ID: id, Ahead: 3, Unreached: []string{"two"}}}
	for i := range want.Shards {
		want.Owned = append(want.Owned, i)
	}
	if len(status.Nodes) != 1 || !reflect.DeepEqual(status.Nodes[0], want) || status.Free != 0 {
		t.Errorf("got %+v", status)
	}
	if err := e.SetNote(t.Context(), engine.RestoredNote, 0, []byte("one has noticed: shard 5")); err != nil {
		t.Fatal(err)
	}
	if _, text, _ := ran(t, environ, "cluster", "status"); !strings.Contains(text, "No node serves") ||
		!strings.Contains(text, "--accept-restore") {
		t.Errorf("status after the database was put back: %s", text)
	}
	for _, want := range []string{"Accepted: one has noticed: shard 5", "nothing to accept"} {
		if code, text, errs := ran(t, environ, "cluster", "init", "--accept-restore"); code != exitOK ||
			!strings.Contains(text, want) {
			t.Errorf("accept: %d, %s%s, want %q", code, text, errs, want)
		}
	}
	if v, err := e.Look(t.Context()); err != nil || v.Restored != "" || len(v.Nodes) > 0 || v.Shards[7].Epoch != 2 ||
		v.Shards[7].Owner != engine.Nobody {
		t.Errorf("after it: %+v, %v", v.Shards[7], err)
	}
	off, err := servers.Postgres("fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	defer off.Stop()
	if code, _, text := ran(t, nil, "cluster", "init", off.URL); code != exitUsage ||
		!strings.Contains(text, "fsync is off") {
		t.Errorf("fsync=off: %d, %s", code, text)
	}
}

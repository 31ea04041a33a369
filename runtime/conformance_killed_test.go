package runtime

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/durableobject"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/secretsstore"
)

// killing is the loss of a node in the middle of a case.
type killing struct {
	name string
	// call is the number of the call before which the node is killed; of a case that is one call, line is the number
	// of the line before which it is.
	call, line int
	// store is what the node has. A store of no kind is on none: then it is any node.
	store objectstore.Name
	// inside is the namespace of an object by the name x in which the case itself runs: its node is not the one.
	inside string
	// more says that the case is only run with -conformance.cluster.
	more bool
}

var (
	theFlow = objectstore.Name{Kind: objectstore.Workflows, ID: "flow"}
	killed  = []killing{
		{name: "object-kv", call: 2},
		{name: "rpc", call: 2},
		{name: "sockets", call: 10},
		{name: "sockets", call: 20},
		{name: "object-sql", line: 30, inside: "conf-A", more: true},
		{name: "object-ids", line: 30, more: true},
		{name: "news", line: 6}, // alarms among it
		{name: "queue-producer", line: 25},
		{name: "d1", line: 50, store: objectstore.Name{Kind: "d1", ID: "11111111-2222-3333-4444-555555555555"}},
		{name: "kv", line: 50, store: objectstore.Name{Kind: "kv", ID: "aaaabbbbccccddddeeeeffff00001111"}},
		{name: "r2", line: 60, store: objectstore.Name{Kind: "r2", ID: "things"}},
		{name: "secrets-store", line: 20, store: objectstore.Name{Kind: secretsstore.Kind, ID: "st1"}, more: true},
		{name: "workflows", call: 10, store: theFlow, more: true},
		{name: "workflows", call: 38, store: theFlow},
		{name: "workflow-control", call: 12, store: theFlow},
		{name: "workflow-values", call: 2, store: theFlow},
	}
)

// The same with a node killed before a call, or in the middle of one by which another node goes on: nothing that comes
// later shows that. Where it matters the node is the one that has the store or the workflow.
func TestConformanceWithANodeKilled(t *testing.T) {
	ledger := readLedger(t)
	for i, kill := range killed {
		if kill.more && !*allOnCluster {
			continue
		}
		t.Run(fmt.Sprintf("%s before %d", kill.name, kill.call+kill.line), func(t *testing.T) {
			t.Parallel()
			arc, err := txtar.ParseFile(filepath.Join(conformanceDir, kill.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			playOnCluster(t, kill.name, arc, i, &kill, ledger)
		})
	}
}

// mortals are nodes that take calls by turns, of which one is lost.
type mortals interface {
	// kill takes a node away. When it returns the others have what it had.
	kill(node int)
	// owner is the node that has an object, by its namespace and its id.
	owner(key, id string) int
	// turns counts calls: the number of the last one, modulo size, is the node that it went to.
	turns() *atomic.Int64
	size() int
}

func (c *testCluster) turns() *atomic.Int64 { return &c.turn }
func (c *testCluster) size() int            { return len(c.webs) }

// before kills the node before its call.
func (k *killing) before(c mortals, call int) {
	switch {
	case k == nil || k.line == 0 && k.call != call:
	case k.line == 0:
		c.kill(k.victim(c))
	default: // the call is to another node than the one that will be killed
		c.turns().Store(int64(k.victim(c)))
	}
}

func (k *killing) victim(c mortals) int {
	switch {
	case k.inside != "":
		return (c.owner(k.inside, durableobject.IDFromName(k.inside, "x").String()) + 1) % c.size()
	case k.store.Kind == "":
		return int(c.turns().Load()) % c.size()
	}
	return c.owner(k.store.Object())
}

// eachLine is where cases of one call write their lines.
const eachLine = "for (const [label, f] of Object.entries(cases)) "

// within lets the Worker say when its line has come. The node is gone before it hears of it.
func (k *killing) within(t *testing.T, c mortals, arc *txtar.Archive) {
	t.Helper()
	if k == nil || k.line == 0 {
		return
	}
	done := make(chan struct{})
	ear := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		// The call has gone to the node after the one that is to be killed.
		c.kill((int(c.turns().Load()) + c.size() - 1) % c.size())
		close(done)
	}))
	t.Cleanup(func() {
		ear.Close()
		select {
		case <-done:
		default:
			t.Error("the case has not come so far: nobody was killed")
		}
	})
	for i, f := range arc.Files {
		if f.Name != "index.js" {
			continue
		}
		if bytes.Count(f.Data, []byte(eachLine)) != 1 {
			t.Fatalf("the case does not have once %q", eachLine)
		}
		arc.Files[i].Data = bytes.Replace(f.Data, []byte(eachLine), fmt.Appendf(nil,
			"let come = 0; %s++come === %d && await fetch(%q), ", eachLine, k.line, ear.URL), 1)
	}
}

package worker

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/nodecompat"
)

// A limit may end a turn at every step of whatever a script does, in every callback of a web API or a node: module: the
// event ends, nothing is reported as an error of ours, and the next event finds the isolate as it was. The step ends
// between two instructions, or within the native function that has met the limit.
func TestInterruptAnywhere(t *testing.T) {
	var reports []*eventloop.InternalError
	at, n, within := 0, 0, false
	w := start(t, script("anywhere.js"), func(o *Options) {
		o.CPULimit = time.Hour
		o.Flags, _ = ResolveFlags("2026-04-01", []string{"nodejs_compat"})
		o.InternalError = func(err *eventloop.InternalError) { reports = append(reports, err) }
		o.Modules = map[string]Module{}
		for _, name := range nodecompat.Names(o.Flags.Enabled) {
			o.Modules[name] = func(iso *Isolate) (*goja.Object, error) { return nodecompat.Namespace(iso.Host, name) }
		}
		o.Install = append(o.Install, func(iso *Isolate) error {
			nodecompat.InstallGlobals(iso.Host, iso.Flags.Enabled, func() goja.Value { return iso.Env() })
			return iso.Runtime().Set("t", func(v goja.Value) goja.Value {
				if n++; n == at {
					iso.Loop.EndTurn()
					if within {
						iso.Loop.Poll()
					}
				}
				return v
			})
		})
	})
	visit := func(part string) (string, error) {
		n = 0
		_, body, err := get(t, w, "http://localhost/"+part)
		return body, err
	}
	list, err := visit("parts")
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	if err := json.Unmarshal([]byte(list), &parts); err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		at = 0
		if body, err := visit(part); err != nil || body != "2,3" {
			t.Errorf("%s: %q, %v", part, body, err)
			continue
		}
		steps := n
		for step := range 2 * steps {
			at, within = step/2+1, step%2 == 1
			_, _ = visit(part)
			at = 0
			if body, err := visit("alive"); err != nil || body != "2,3" {
				t.Fatalf("%s after step %d of %d: %q, %v", part, step/2+1, steps, body, err)
			}
			if len(reports) > 0 {
				t.Fatalf("%s after step %d of %d: %s", part, step/2+1, steps, reports[0].Report())
			}
		}
	}
}

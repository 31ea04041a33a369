package performance

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// eventCounts is the state of performance.eventCounts. No event is counted: it stays empty, as on the platform.
type eventCounts struct{}

// nodeMembers are the members of Performance that exist for Node's sake. As on the platform each look at eventCounts
// and nodeTiming makes a new object, and nothing is measured.
func (k *timing) nodeMembers(entry *webidl.Interface) []webidl.Member {
	rt := k.h.Runtime()
	none := func(name string) webidl.Member {
		return webidl.Method(name, func(eventCounts, *webidl.Call) goja.Value {
			list := rt.NewArray()
			values, _ := goja.AssertFunction(list.Get("values"))
			iterator, err := values(list)
			if err != nil {
				panic(err)
			}
			return iterator
		})
	}
	entries := none("entries")
	counts := k.h.Realm.Define(webidl.Spec{Name: "EventCounts", Members: []webidl.Member{
		webidl.Getter("size", func(eventCounts, *webidl.Call) goja.Value { return rt.ToValue(0) }),
		webidl.Method("get", func(_ eventCounts, c *webidl.Call) goja.Value { c.String(0); return nil }),
		webidl.Method("has", func(_ eventCounts, c *webidl.Call) goja.Value { c.String(0); return rt.ToValue(false) }),
		entries, none("keys"), none("values"),
		webidl.Method("forEach", func(eventCounts, *webidl.Call) goja.Value { return nil }),
		func(i *webidl.Interface) {
			_ = i.Prototype.DefineDataPropertySymbol(
				goja.SymIterator, i.Prototype.Get("entries"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		},
	}})
	// The order is the platform's, in JSON and on the object.
	inJSON := []string{
		"nodeStart", "v8Start", "bootstrapComplete", "environment", "loopStart", "loopExit", "idleTime"}
	uv := func() *goja.Object {
		o := rt.NewObject()
		for _, name := range []string{"loopCount", "events", "eventsWaiting"} {
			_ = o.Set(name, 0)
		}
		return o
	}
	node := k.h.Realm.Define(webidl.Spec{Name: "PerformanceNodeTiming", Parent: entry, Members: []webidl.Member{
		webidl.Method("toJSON", func(e *performanceEntry, _ *webidl.Call) goja.Value {
			o := rt.NewObject()
			_ = o.Set("name", e.name)
			_ = o.Set("entryType", e.kind)
			for _, name := range append([]string{"startTime", "duration"}, inJSON...) {
				_ = o.Set(name, 0)
			}
			_ = o.Set("uvMetricsInfo", uv())
			return o
		}),
	}})
	return []webidl.Member{
		webidl.Getter("eventCounts", func(*performance, *webidl.Call) goja.Value { return counts.Wrap(eventCounts{}) }),
		webidl.Getter("nodeTiming", func(*performance, *webidl.Call) goja.Value {
			o := node.Wrap(&performanceEntry{name: "node", kind: "node"})
			for _, name := range []string{
				"uvMetricsInfo", "idleTime", "loopExit", "loopStart", "environment", "bootstrapComplete", "v8Start",
				"nodeStart"} {
				v := goja.Value(rt.ToValue(0))
				if name == "uvMetricsInfo" {
					v = uv()
				}
				_ = o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
			return o
		}),
		webidl.Method("markResourceTiming", func(*performance, *webidl.Call) goja.Value { return nil }),
	}
}

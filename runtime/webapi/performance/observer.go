package performance

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// installClasses makes the classes of the performance timeline global. The platform has an observer that can be
// made and asked but never hears of an entry; marks and measures are read from performance itself.
func (k *timing) installClasses(performanceClass, entry, mark, measure *webidl.Interface) {
	realm, rt := k.h.Realm, k.h.Runtime()
	type observer struct{}
	none := func(_ observer, _ *webidl.Call) goja.Value { return rt.NewArray() }
	observerClass := realm.Define(webidl.Spec{
		Name: "PerformanceObserver",
		New: func(c *webidl.Call) any {
			c.Require(0, "Value")
			return observer{}
		},
		Members: []webidl.Member{
			webidl.Method("observe", func(observer, *webidl.Call) goja.Value { return nil }),
			webidl.Method("disconnect", func(observer, *webidl.Call) goja.Value { return nil }),
			webidl.Method("takeRecords", none),
			func(i *webidl.Interface) {
				get := realm.Function(
					"get supportedEntryTypes",
					func(goja.FunctionCall) goja.Value { return rt.NewArray("measure", "mark") })
				_ = i.Constructor.DefineAccessorProperty(
					"supportedEntryTypes", get, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
			},
		},
	})
	list := realm.Define(webidl.Spec{Name: "PerformanceObserverEntryList", Members: []webidl.Member{
		webidl.Method("getEntries", none), webidl.Method("getEntriesByName", none),
		webidl.Method("getEntriesByType", none),
	}})
	resource := realm.Define(webidl.Spec{Name: "PerformanceResourceTiming", Parent: entry})
	for _, c := range []*webidl.Interface{performanceClass, entry, mark, measure, observerClass, list, resource} {
		c.Install()
	}
}

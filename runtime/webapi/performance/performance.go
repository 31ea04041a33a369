package performance

import (
	"slices"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// performance is the state of the performance object: marks and measures in the order they were made.
type performance struct{ entries []*goja.Object }

// performanceEntry is the state of a PerformanceMark or PerformanceMeasure; times are in milliseconds.
type performanceEntry struct {
	name, kind      string
	start, duration float64
	detail          goja.Value
}

// timing is what the classes of one isolate share.
type timing struct{ h *host.Host }

// elapsed is performance.now(): as locally on the platform, the milliseconds since 1970 (RT6).
func (k *timing) elapsed() float64 {
	return float64(k.h.Loop.Time().UnixMicro()) / 1000
}

// Install puts performance and its classes on the isolate.
func Install(h *host.Host) {
	k := &timing{h: h}
	members := []webidl.Member{
		webidl.Getter("timeOrigin", func(_ *performance, c *webidl.Call) goja.Value { return c.Value(0) }),
		webidl.Method("now", func(_ *performance, c *webidl.Call) goja.Value { return c.Value(k.elapsed()) }),
	}
	var entry, mark, measure *webidl.Interface
	// Before the platform had the classes itself, wrangler put unenv's in their place under nodejs_compat.
	unenv := h.Enabled("nodejs_compat_v2")
	if h.Flag == nil || unenv || h.Enabled("enable_global_performance_classes") ||
		h.Enabled("enable_nodejs_perf_hooks_module") {
		entry, mark, measure = k.entryClasses()
		members = append(members, k.timeline(mark, measure)...)
		members = append(members, k.nodeMembers(entry)...)
	}
	class := h.Realm.Define(webidl.Spec{Name: "Performance", Members: members})
	if h.Flag == nil || unenv || h.Enabled("enable_global_performance_classes") {
		k.installClasses(class, entry, mark, measure)
	}
	h.LazyObject("performance", func() goja.Value { return class.Wrap(&performance{}) })
}

// entryClasses are PerformanceEntry, PerformanceMark and PerformanceMeasure.
func (k *timing) entryClasses() (entry, mark, measure *webidl.Interface) {
	rt := k.h.Runtime()
	entry = k.h.Realm.Define(webidl.Spec{Name: "PerformanceEntry", Members: []webidl.Member{
		webidl.Getter("name", func(e *performanceEntry, c *webidl.Call) goja.Value { return c.Value(e.name) }),
		webidl.Getter("entryType", func(e *performanceEntry, c *webidl.Call) goja.Value { return c.Value(e.kind) }),
		webidl.Getter("startTime", func(e *performanceEntry, c *webidl.Call) goja.Value { return c.Value(e.start) }),
		webidl.Getter("duration", func(e *performanceEntry, c *webidl.Call) goja.Value { return c.Value(e.duration) }),
		webidl.Method("toJSON", func(e *performanceEntry, _ *webidl.Call) goja.Value {
			o := rt.NewObject()
			_ = o.Set("name", e.name)
			_ = o.Set("entryType", e.kind)
			_ = o.Set("startTime", e.start)
			_ = o.Set("duration", e.duration)
			return o
		}),
	}})
	detail := webidl.Getter("detail", func(e *performanceEntry, _ *webidl.Call) goja.Value {
		if e.detail == nil {
			return goja.Null()
		}
		return e.detail
	})
	mark = k.h.Realm.Define(webidl.Spec{Name: "PerformanceMark", Parent: entry, Members: []webidl.Member{detail}})
	measure = k.h.Realm.Define(webidl.Spec{Name: "PerformanceMeasure", Parent: entry, Members: []webidl.Member{detail}})
	return entry, mark, measure
}

// timeline are the members of Performance for marks and measures.
func (k *timing) timeline(mark, measure *webidl.Interface) []webidl.Member {
	rt := k.h.Runtime()
	state := func(o *goja.Object) *performanceEntry {
		e, _ := webidl.StateOf[*performanceEntry](k.h.Realm, o)
		return e
	}
	list := func(p *performance, keep func(e *performanceEntry) bool) goja.Value {
		var out []any
		for _, o := range p.entries {
			if keep(state(o)) {
				out = append(out, o)
			}
		}
		return rt.NewArray(out...)
	}
	clearing := func(name, kind string) webidl.Member {
		return webidl.Method(name, func(p *performance, c *webidl.Call) goja.Value {
			p.entries = slices.DeleteFunc(p.entries, func(o *goja.Object) bool {
				e := state(o)
				return e.kind == kind && (c.Missing(0) || e.name == c.String(0))
			})
			return nil
		})
	}
	number := func(o *goja.Object, name string, missing float64) float64 {
		if v := webidl.Option(o, name); v != nil {
			return v.ToFloat()
		}
		return missing
	}
	return []webidl.Member{
		webidl.Method("mark", func(p *performance, c *webidl.Call) goja.Value {
			o := c.Object(1, "Options")
			if d := webidl.Option(o, "detail"); d != nil && !isObject(d) {
				k.h.Realm.ThrowType(
					"Incorrect type for the 'detail' field on 'Options': the provided value is not of type 'Object'.")
			}
			e := &performanceEntry{
				name: c.String(0), kind: "mark", start: number(o, "startTime", k.elapsed()),
				detail: webidl.Option(o, "detail")}
			obj := mark.Wrap(e)
			p.entries = append(p.entries, obj)
			return obj
		}),
		webidl.Method("measure", func(p *performance, c *webidl.Call) goja.Value {
			e := &performanceEntry{name: c.String(0), kind: "measure"}
			end := k.elapsed()
			at := func(v goja.Value) float64 {
				if goja.IsNumber(v) {
					return v.ToFloat()
				}
				name := webidl.ToString(v)
				for _, o := range slices.Backward(p.entries) {
					if m := state(o); m.kind == "mark" && m.name == name {
						return m.start
					}
				}
				k.h.Realm.ThrowDOM("SyntaxError", "The mark '%s' does not exist.", name)
				return 0
			}
			if o, ok := c.Arg(1).(*goja.Object); ok {
				e.detail = webidl.Option(o, "detail")
				if v := webidl.Option(o, "start"); v != nil {
					e.start = at(v)
				}
				if v := webidl.Option(o, "end"); v != nil {
					end = at(v)
				} else if v := webidl.Option(o, "duration"); v != nil {
					end = e.start + v.ToFloat()
				}
			} else {
				if !c.Missing(1) {
					e.start = at(c.Arg(1))
				}
				if !c.Missing(2) {
					end = at(c.Arg(2))
				}
			}
			e.duration = end - e.start
			obj := measure.Wrap(e)
			p.entries = append(p.entries, obj)
			return obj
		}),
		webidl.Method("getEntries", func(p *performance, _ *webidl.Call) goja.Value {
			return list(p, func(*performanceEntry) bool { return true })
		}),
		webidl.Method("getEntriesByName", func(p *performance, c *webidl.Call) goja.Value {
			return list(p, func(e *performanceEntry) bool {
				return e.name == c.String(0) && (c.Missing(1) || e.kind == c.String(1))
			})
		}),
		webidl.Method("getEntriesByType", func(p *performance, c *webidl.Call) goja.Value {
			return list(p, func(e *performanceEntry) bool { return e.kind == c.String(0) })
		}),
		clearing("clearMarks", "mark"), clearing("clearMeasures", "measure"),
		webidl.Method("clearResourceTimings", func(*performance, *webidl.Call) goja.Value { return nil }),
		webidl.Method("setResourceTimingBufferSize", func(*performance, *webidl.Call) goja.Value { return nil }),
		webidl.Method("timerify", func(_ *performance, c *webidl.Call) goja.Value { return c.Require(0, "Value") }),
		webidl.Method("eventLoopUtilization", func(*performance, *webidl.Call) goja.Value {
			return rt.ToValue(map[string]any{"idle": 0, "active": 0, "utilization": 0})
		}),
		webidl.Method("toJSON", func(_ *performance, _ *webidl.Call) goja.Value {
			o := rt.NewObject()
			_ = o.Set("timeOrigin", 0)
			return o
		}),
	}
}

func isObject(v goja.Value) bool {
	_, ok := v.(*goja.Object)
	return ok
}

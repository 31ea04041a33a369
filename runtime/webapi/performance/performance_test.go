package performance

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

// RT4, RT6.
func TestPerformance(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range [][2]string{
		{`[performance.timeOrigin, performance.now() === Date.now(), ` +
			`Object.prototype.toString.call(performance)].join()`, "0,true,[object Performance]"},
		{`(() => { performance.mark("a", {startTime: 5, detail: {}}); performance.mark("b", {startTime: 9});
			const m = performance.measure("m", "a", "b");
			const all = performance.getEntries().length; performance.clearMarks("a");
				return [m.duration, m.startTime, all, performance.getEntriesByType("mark").length,
				performance.getEntriesByName("m").length].join() })()`,
			"4,5,3,1,1"},
		{`performance.mark("a", { detail: 1 })`, "throws TypeError: Incorrect type for the 'detail' field on " +
			"'Options': the provided value is not of type 'Object'."},
		{`(() => { const o = new PerformanceObserver(() => {}); o.observe({ entryTypes: ["mark"] });
			performance.mark("seen"); o.disconnect();
			return [o.takeRecords().length, PerformanceObserver.supportedEntryTypes,
				performance.mark("x") instanceof PerformanceMark, PerformanceMark.prototype instanceof PerformanceEntry,
				typeof PerformanceObserverEntryList, typeof PerformanceResourceTiming].join() })()`,
			"0,measure,mark,true,true,function,function"},
		{`((c) => [c, c.size, c.get("x"), c.has("x"), [...c].length, [...c.keys()].length, c.forEach(() => 1),
			JSON.stringify(c), c === performance.eventCounts, typeof EventCounts].join())(performance.eventCounts)`,
			"[object EventCounts],0,,false,0,0,,{},false,undefined"},
		{`performance.eventCounts.get()`,
			"throws TypeError: Failed to execute 'get' on 'EventCounts': parameter 1 is not of type 'string'."},
		{`((n) => [n, JSON.stringify(n), Object.keys(n),
			n instanceof PerformanceEntry].join(" "))(performance.nodeTiming)`,
			`[object PerformanceNodeTiming] {"name":"node","entryType":"node","startTime":0,"duration":0,` +
				`"nodeStart":0,"v8Start":0,"bootstrapComplete":0,"environment":0,"loopStart":0,"loopExit":0,` +
				`"idleTime":0,"uvMetricsInfo":{"loopCount":0,"events":0,"eventsWaiting":0}} ` +
				`uvMetricsInfo,idleTime,loopExit,loopStart,environment,bootstrapComplete,v8Start,nodeStart true`},
		{`performance.markResourceTiming() + "" + performance.markResourceTiming.length`, "undefined0"},
		{`performance.measure("x", "none")`, "throws SyntaxError: The mark 'none' does not exist."},
	} {
		r.Expect("return "+c[0], c[1])
	}
}

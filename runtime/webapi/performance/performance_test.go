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
		{`performance.measure("x", "none")`, "throws SyntaxError: The mark 'none' does not exist."},
	} {
		r.Expect("return "+c[0], c[1])
	}
}

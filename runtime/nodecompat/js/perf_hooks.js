(function (require, module) {
  "use strict";
  const { functions } = require("internal/absent");
  const { performance } = globalThis;
  const api = { performance, constants: {
    NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1, NODE_PERFORMANCE_GC_INCREMENTAL: 8,
    NODE_PERFORMANCE_GC_WEAKCB: 16, NODE_PERFORMANCE_GC_FLAGS_NO: 0 } };
  for (const name of ["Performance", "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "PerformanceObserver",
    "PerformanceObserverEntryList", "PerformanceResourceTiming"]) {
    api[name] = globalThis[name] ?? { [name]: class {
      constructor() {
        require("internal/errors").unimplemented(`perf_hooks.${name}`)();
      }
    } }[name];
  }
  api.eventLoopUtilization = () => ({ idle: 0, active: 0, utilization: 0 });
  api.timerify = (fn) => fn;
  module.exports = functions(api, "perf_hooks", "monitorEventLoopDelay createHistogram");
})

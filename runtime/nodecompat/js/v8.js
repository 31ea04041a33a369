(function (require, module, exports, host) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const { Buffer } = require("buffer");
  const figures = "total_heap_size total_heap_size_executable total_physical_size total_available_size " +
    "used_heap_size heap_size_limit malloced_memory peak_malloced_memory does_zap_garbage " +
    "number_of_native_contexts number_of_detached_contexts total_global_handles_size used_global_handles_size " +
    "external_memory";
  const zero = () => Object.fromEntries(figures.split(" ").map((n) => [n, 0]));
  const api = {
    cachedDataVersionTag: () => 0,
    getHeapStatistics: zero,
    getHeapSpaceStatistics: () => [],
    getHeapCodeStatistics: () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0,
      external_script_source_size: 0, cpu_profiler_metadata_size: 0 }),
    setFlagsFromString() {},
    setHeapSnapshotNearHeapLimit() {},
    takeCoverage() {},
    stopCoverage() {},
    serialize: (v) => Buffer.from(host.serialize(v)),
    deserialize: (b) => host.deserialize(b),
    isStringOneByteRepresentation: (s) => !/[^\0-\xff]/.test(s),
    startupSnapshot: { addSerializeCallback() {}, addDeserializeCallback() {}, setDeserializeMainFunction() {},
      isBuildingSnapshot: () => false },
    promiseHooks: functions({}, "v8.promiseHooks", "onInit onBefore onAfter onSettled createHook"),
  };
  functions(api, "v8", "getHeapSnapshot writeHeapSnapshot queryObjects startCpuProfile");
  module.exports = classes(api, "v8", "Serializer Deserializer DefaultSerializer DefaultDeserializer GCProfiler");
})

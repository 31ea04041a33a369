(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const data = new Map();
  const api = {
    isMainThread: true, isInternalThread: false, parentPort: null, workerData: null, threadId: 0, resourceLimits: {},
      SHARE_ENV: Symbol.for("nodejs.worker_threads.SHARE_ENV"),
    MessageChannel: globalThis.MessageChannel, MessagePort: globalThis.MessagePort,
    getEnvironmentData: (key) => data.get(key),
    setEnvironmentData(key, value) {
      if (value === undefined) data.delete(key);
      else data.set(key, value);
    },
    markAsUntransferable() {},
    markAsUncloneable() {},
    isMarkedAsUntransferable: () => false,
    receiveMessageOnPort: () => undefined,
  };
  functions(api, "worker_threads", "moveMessagePortToContext postMessageToThread");
  module.exports = classes(api, "worker_threads", "Worker BroadcastChannel", require("events"));
})

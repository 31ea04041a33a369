(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const api = classes({ console: globalThis.console, url: () => undefined, close() {} }, "inspector", "Session",
    require("events"));
  functions(api, "inspector", "open waitForDebugger");
  api.Network = functions({}, "inspector.Network",
    "requestWillBeSent responseReceived loadingFinished loadingFailed dataReceived dataSent");
  module.exports = api;
})

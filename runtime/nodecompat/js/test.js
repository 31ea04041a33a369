(function (require, module) {
  "use strict";
  const { functions } = require("internal/absent");
  const { unimplemented } = require("internal/errors");
  const test = unimplemented("test.test");
  functions(test, "test", "suite describe it before after beforeEach afterEach skip todo only run");
  test.test = test;
  test.mock = functions({}, "test.mock", "fn method getter setter reset restoreAll module");
  test.snapshot = functions({}, "test.snapshot", "setDefaultSnapshotSerializers setResolveSnapshotPath");
  test.assert = functions({}, "test.assert", "register");
  module.exports = test;
})

(function (require, module) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const api = functions({}, "child_process", "_forkChild exec execFile execFileSync execSync fork spawn spawnSync");
  module.exports = classes(api, "child_process", "ChildProcess", require("events"));
})

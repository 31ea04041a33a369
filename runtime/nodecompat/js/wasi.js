(function (require, module) {
  "use strict";
  module.exports = require("internal/absent").classes({}, "wasi", "WASI");
})

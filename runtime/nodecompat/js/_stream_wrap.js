(function (require, module) {
  "use strict";
  module.exports = require("internal/errors").unimplemented("_stream_wrap");
})

(function (require, module) {
  "use strict";
  const { OutgoingMessage, validateHeaderName, validateHeaderValue } = require("http");
  module.exports = { OutgoingMessage, validateHeaderName, validateHeaderValue };
})

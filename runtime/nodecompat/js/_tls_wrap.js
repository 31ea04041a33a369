(function (require, module) {
  "use strict";
  const { TLSSocket, Server, createServer, connect } = require("tls");
  module.exports = { TLSSocket, Server, createServer, connect };
})

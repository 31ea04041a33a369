(function (require, module) {
  "use strict";
  const http = require("http");
  class Agent extends http.Agent {
    defaultPort = 443;
    protocol = "https:";
  }
  const request = (input, options, callback) => new http.ClientRequest(input, options, callback, "https:");
  const api = {
    Agent, globalAgent: new Agent(), request,
    get(input, options, callback) {
      const req = request(input, options, callback);
      req.end();
      return req;
    },
  };
  // TLS ends before the Worker, so a server of https is a server of http.
  module.exports = Object.assign(api, { Server: http.Server, createServer: http.createServer });
})

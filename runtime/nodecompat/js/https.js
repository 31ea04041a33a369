(function (require, module) {
  "use strict";
  const http = require("http");
  const { functions, classes } = require("internal/absent");
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
  functions(api, "https", "createServer");
  module.exports = classes(api, "https", "Server", require("events"));
})

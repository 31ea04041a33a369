(function (require, module) {
  "use strict";
  const { METHODS, STATUS_CODES } = require("internal/http_constants");
  const { OutgoingMessage, IncomingMessage, validateHeaderName, validateHeaderValue } =
    require("internal/http_message");
  const { Agent, ClientRequest } = require("internal/http_client");
  const { Server, ServerResponse, createServer } = require("internal/http_server");
  const { functions } = require("internal/absent");
  const request = (input, options, callback) => new ClientRequest(input, options, callback, "http:");
  const api = {
    METHODS: METHODS.slice().sort(), STATUS_CODES, OutgoingMessage, IncomingMessage, ClientRequest, Server,
      ServerResponse, createServer, Agent, globalAgent: new Agent(), validateHeaderName, validateHeaderValue,
    request,
    get(input, options, callback) {
      const req = request(input, options, callback);
      req.end();
      return req;
    },
    maxHeaderSize: 16384,
    setMaxIdleHTTPParsers() {},
    WebSocket: globalThis.WebSocket, CloseEvent: globalThis.CloseEvent, MessageEvent: globalThis.MessageEvent,
  };
  module.exports = functions(api, "http", "_connectionListener");
})

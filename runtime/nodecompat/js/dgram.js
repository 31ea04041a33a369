(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { functions } = require("internal/absent");
  const { validateObject, validateFunction } = require("internal/validators");
  class Socket extends EventEmitter {
    constructor(type, callback) {
      super();
      if (typeof type === "string") type = { type };
      validateObject(type, "type");
      if (callback !== undefined) validateFunction(callback, "callback");
      this.type = type.type;
    }
    close() {
      return this;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  }
  functions(Socket.prototype, "dgram.Socket",
    "bind connect disconnect send sendto address remoteAddress setBroadcast setTTL setMulticastTTL " +
      "setMulticastLoopback setMulticastInterface addMembership dropMembership addSourceSpecificMembership " +
      "dropSourceSpecificMembership setRecvBufferSize setSendBufferSize getRecvBufferSize getSendBufferSize " +
      "getSendQueueSize getSendQueueCount");
  module.exports = { Socket, createSocket: (type, callback) => new Socket(type, callback),
    _createSocketHandle: functions({}, "dgram", "_createSocketHandle")._createSocketHandle };
})

(function (require, module) {
  "use strict";
  const { Duplex } = require("stream");
  const EventEmitter = require("events");
  const { codes, unimplemented } = require("internal/errors");
  const { functions } = require("internal/absent");
  const { isIP, isIPv4, isIPv6 } = require("internal/address");
  const { validatePort } = require("internal/validators");

  // Socket can be made and asked; connecting is what is missing.
  class Socket extends Duplex {
    connecting = false;
    pending = true;
    timeout = 0;
    bytesRead = 0;
    bytesWritten = 0;
    connect() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("net.Socket.prototype.connect");
    }
    _read() {}
    _write(chunk, encoding, callback) {
      callback(new codes.ERR_METHOD_NOT_IMPLEMENTED("net.Socket.prototype.write"));
    }
    setTimeout(ms, callback) {
      this.timeout = ms;
      if (callback) this.once("timeout", callback);
      return this;
    }
    setNoDelay() {
      return this;
    }
    setKeepAlive() {
      return this;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    address() {
      return {};
    }
    destroySoon() {
      this.destroy();
    }
    get readyState() {
      return "closed";
    }
  }
  class Server extends EventEmitter {
    listen() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("net.Server.prototype.listen");
    }
  }
  class SocketAddress {
    constructor({ address = "127.0.0.1", port = 0, family = "ipv4", flowlabel = 0 } = {}) {
      validatePort(port, "options.port");
      if (isIP(address) !== (family === "ipv6" ? 6 : 4)) throw new codes.ERR_INVALID_ARG_VALUE("options.address", address, "is no address of that family");
      Object.assign(this, { address, port: +port, family, flowlabel });
    }
  }
  class BlockList {
    #rules = [];
    addAddress(address, family = "ipv4") {
      this.#rules.push({ text: `Address: ${family === "ipv6" ? "IPv6" : "IPv4"} ${address}`, test: (a) => a === address });
    }
    addRange() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("net.BlockList.prototype.addRange");
    }
    addSubnet() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("net.BlockList.prototype.addSubnet");
    }
    check(address) {
      return this.#rules.some((r) => r.test(address?.address ?? address));
    }
    get rules() {
      return this.#rules.map((r) => r.text);
    }
  }
  const connect = (...args) => new Socket().connect(...args);
  const api = {
    Socket, Stream: Socket, Server, SocketAddress, BlockList, connect, createConnection: connect,
    createServer: unimplemented("net.createServer"),
    isIP, isIPv4, isIPv6,
    getDefaultAutoSelectFamily: () => false,
    setDefaultAutoSelectFamily() {},
    getDefaultAutoSelectFamilyAttemptTimeout: () => 250,
    setDefaultAutoSelectFamilyAttemptTimeout() {},
  };
  module.exports = functions(api, "net", "_normalizeArgs _createServerHandle");
})

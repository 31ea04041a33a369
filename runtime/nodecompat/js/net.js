(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { codes, unimplemented } = require("internal/errors");
  const { functions } = require("internal/absent");
  const { Socket, normalize } = require("internal/net_socket");
  const { isIP, isIPv4, isIPv6 } = require("internal/address");
  const { validatePort } = require("internal/validators");

  class Server extends EventEmitter {
    listen() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("net.Server.prototype.listen");
    }
  }
  class SocketAddress {
    constructor({ address = "127.0.0.1", port = 0, family = "ipv4", flowlabel = 0 } = {}) {
      validatePort(port, "options.port");
      if (isIP(address) !== (family === "ipv6" ? 6 : 4)) throw new codes.ERR_INVALID_ARG_VALUE(
        "options.address", address, "is no address of that family");
      Object.assign(this, { address, port: +port, family, flowlabel });
    }
  }
  class BlockList {
    #rules = [];
    addAddress(address, family = "ipv4") {
      this.#rules.push({ text: `Address: ${family === "ipv6" ? "IPv6" : "IPv4"} ${address}`,
        test: (a) => a === address });
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
  function connect(...args) {
    const [options, callback] = normalize(args);
    const socket = new Socket(options);
    if (options.timeout) socket.setTimeout(options.timeout);
    return socket.connect(options, ...(callback ? [callback] : []));
  }
  const api = {
    Socket, Stream: Socket, Server, SocketAddress, BlockList, connect, createConnection: connect,
    createServer: unimplemented("net.createServer"),
    isIP, isIPv4, isIPv6,
    getDefaultAutoSelectFamily: () => false,
    setDefaultAutoSelectFamily() {},
    getDefaultAutoSelectFamilyAttemptTimeout: () => 250,
    setDefaultAutoSelectFamilyAttemptTimeout() {},
  };
  module.exports = functions(Object.assign(api, { _normalizeArgs: normalize }), "net", "_createServerHandle");
})

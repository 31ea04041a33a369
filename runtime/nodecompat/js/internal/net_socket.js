// net.Socket: a Duplex over a connection of cloudflare:sockets.
(function (require, module, exports, host) {
  "use strict";
  const { Duplex } = require("stream");
  const { codes } = require("internal/errors");
  const { isIP } = require("internal/address");
  const { validatePort, validateFunction, validateNumber } = require("internal/validators");

  // normalize reads the arguments of connect(): (options, callback?), (port, host?, callback?) or (path, callback?).
  function normalize(args) {
    if (Array.isArray(args[0])) args = args[0];
    const callback = typeof args.at(-1) === "function" ? args.at(-1) : null;
    if (args[0] !== null && typeof args[0] === "object") return [args[0], callback];
    const n = Number(args[0]);
    if (typeof args[0] === "string" && !(n >= 0)) return [{ path: args[0] }, callback];
    return [typeof args[1] === "string" ? { port: args[0], host: args[1] } : { port: args[0] }, callback];
  }
  // split takes "1.2.3.4:80" or "[::1]:80" apart.
  function split(address) {
    const at = address.lastIndexOf(":");
    return { address: address.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(address.slice(at + 1)) };
  }

  class Socket extends Duplex {
    connecting = false;
    bytesRead = 0;
    timeout = 0;
    #written = 0;
    #inner = null; // the Socket of cloudflare:sockets
    #reader = null;
    #writer = null;
    #timer;
    #local;
    #remote;
    constructor(options = {}) {
      if (typeof options === "number") options = { fd: options };
      const { allowHalfOpen = false, signal, highWaterMark } = options;
      super({ allowHalfOpen, highWaterMark, emitClose: true, autoDestroy: true, decodeStrings: true });
      if (options.handle) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.handle");
      if (options.fd !== undefined) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.fd");
      if (signal) {
        if (signal.aborted) queueMicrotask(() => this.destroy(signal.reason));
        else signal.addEventListener("abort", () => this.destroy(signal.reason), { once: true });
      }
    }

    connect(...args) {
      const [options, callback] = normalize(args);
      if (options.path !== undefined) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.path");
      if (options.port === undefined || options.port === null) throw new codes.ERR_MISSING_ARGS(
        ["options", "port", "path"]);
      const port = validatePort(options.port, "options.port");
      if (callback) this.once("connect", callback);
      this.connecting = true;
      const hostname = options.host ?? "localhost";
      if (isIP(hostname) === 0) queueMicrotask(() => this.emit("lookup", null, hostname, 4, hostname));
      // "starttls" is a plain connection that tls.connect() can take over later.
      const inner = host.sockets.connect(
        { hostname, port }, { secureTransport: this._secure?.(options) ?? "starttls", allowHalfOpen: true });
      this._adopt(inner);
      return this;
    }
    // _adopt takes a connection that is being made as its own.
    _adopt(inner) {
      this.connecting = true;
      this.#inner = inner;
      this.#reader = inner.readable.getReader();
      this.#writer = inner.writable.getWriter();
      for (const p of [inner.closed, this.#reader.closed, this.#writer.closed]) p.catch(() => {});
      inner.opened.then((info) => {
        if (this.destroyed || this.#inner !== inner) return;
        this.connecting = false;
        if (info.localAddress) this.#local = split(info.localAddress);
        if (info.remoteAddress) this.#remote = split(info.remoteAddress);
        this.#alive();
        this._opened();
      }, (err) => {
        if (this.#inner !== inner) return;
        this.connecting = false;
        this.destroy(err);
      });
    }
    _opened() {
      this.emit("connect");
      this.emit("ready");
    }
    // _release gives the connection to whoever puts it under TLS; this socket no longer reads or writes.
    _release() {
      const inner = this.#inner;
      if (!inner) throw new codes.ERR_SOCKET_CLOSED();
      this.#reader.releaseLock();
      this.#writer.releaseLock();
      this.#inner = null;
      return inner.startTls.bind(inner);
    }
    // whenOpen calls f at once, or when the connection is there.
    #whenOpen(f) {
      if (this.connecting) this.once("connect", f);
      else f();
    }
    _read() {
      this.#whenOpen(() => {
        const inner = this.#inner;
        if (!inner) return;
        this.#reader.read().then(({ value, done }) => {
          if (this.#inner !== inner || this.destroyed) return;
          this.#alive();
          if (done) return void this.push(null);
          this.bytesRead += value.byteLength;
          this.push(value);
        }, (err) => {
          if (this.#inner === inner) this.destroy(err);
        });
      });
    }
    _write(chunk, encoding, callback) {
      this.#whenOpen(() => {
        if (!this.#inner) return callback(new codes.ERR_SOCKET_CLOSED());
        this.#written += chunk.length;
        this.#alive();
        this.#writer.write(new Uint8Array(chunk)).then(() => callback(), callback);
      });
    }
    _final(callback) {
      if (!this.#inner && !this.connecting) return callback();
      this.#whenOpen(() => {
        if (!this.#inner) return callback();
        this.#writer.close().then(() => callback(), callback);
      });
    }
    _destroy(err, callback) {
      clearTimeout(this.#timer);
      this.connecting = false;
      const inner = this.#inner;
      this.#inner = null;
      inner?.close().catch(() => {});
      callback(err);
    }
    emit(event, ...args) {
      // Node's "close" tells whether an error was the reason.
      return event === "close" ? super.emit("close", !!this.errored) : super.emit(event, ...args);
    }

    #alive() {
      clearTimeout(this.#timer);
      if (this.timeout > 0 && !this.destroyed) this.#timer = setTimeout(() => this.emit("timeout"), this.timeout);
    }
    setTimeout(ms, callback) {
      if (this.destroyed) return this;
      validateNumber(ms, "msecs");
      this.timeout = ms;
      if (callback !== undefined) {
        validateFunction(callback, "callback");
        if (ms > 0) this.once("timeout", callback);
        else this.removeListener("timeout", callback);
      }
      this.#alive();
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
    destroySoon() {
      if (this.writable) this.end();
      if (this.writableFinished) this.destroy();
      else this.once("finish", () => this.destroy());
    }
    resetAndDestroy() {
      return this.destroy(this.#inner ? undefined : new codes.ERR_SOCKET_CLOSED());
    }
    address() {
      return this.#local ? { address: this.#local.address, port: this.#local.port, family: this.localFamily } : {};
    }
    get bytesWritten() {
      return this.#written;
    }
    get pending() {
      return !this.#inner || this.connecting;
    }
    get readyState() {
      if (this.connecting) return "opening";
      if (!this.#inner) return "closed";
      return this.readable ? (this.writable ? "open" : "readOnly") : this.writable ? "writeOnly" : "closed";
    }
    get localAddress() {
      return this.#local?.address;
    }
    get localPort() {
      return this.#local?.port;
    }
    get localFamily() {
      return this.#local && `IPv${isIP(this.#local.address)}`;
    }
    get remoteAddress() {
      return this.#remote?.address;
    }
    get remotePort() {
      return this.#remote?.port;
    }
    get remoteFamily() {
      return this.#remote && `IPv${isIP(this.#remote.address)}`;
    }
  }
  module.exports = { Socket, normalize };
})

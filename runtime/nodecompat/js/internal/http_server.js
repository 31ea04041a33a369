// http.Server on the platform: nothing listens on a port. listen() enters the server in a table, and the Worker's fetch
// handler, which cloudflare:node makes, hands requests to the server of its port.
(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { OutgoingMessage, IncomingMessage } = require("internal/http_message");
  const { STATUS_CODES } = require("internal/http_constants");
  const { validatePort, validateFunction, validateObject } = require("internal/validators");

  const servers = new Map(); // port → server
  let answerOf;

  // ServerResponse becomes a Response as soon as its head is certain: with the first byte, the end, or flushHeaders().
  // What is written in one piece by end() is the Response's body as it is; more goes through a stream, whose reader
  // decides how fast the next write is taken.
  class ServerResponse extends OutgoingMessage {
    statusCode = 200;
    statusMessage = undefined;
    strictContentLength = false;
    _header = null;
    #answer = Promise.withResolvers();
    #sent = false;
    #whole;
    #controller;
    #taken;
    static {
      answerOf = (response) => response.#answer.promise;
    }
    constructor(req, options) {
      super({ highWaterMark: options?.highWaterMark });
      this.req = req;
      this.socket = this.connection = null;
    }
    get _hasBody() {
      return this.req?.method !== "HEAD" && this.statusCode !== 204 && this.statusCode !== 304;
    }
    writeHead(status, reason, headers) {
      if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("write");
      const code = status | 0;
      if (code < 200 || code > 999) throw new codes.ERR_HTTP_INVALID_STATUS_CODE(status);
      if (typeof reason === "string") this.statusMessage = reason;
      else headers ??= reason;
      this.statusMessage ||= STATUS_CODES[code] || "unknown";
      this.statusCode = code;
      if (Array.isArray(headers)) {
        const flat = headers.flat();
        if (flat.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
        for (let i = 0; i < flat.length; i += 2) this.removeHeader(flat[i]);
        for (let i = 0; i < flat.length; i += 2) this.appendHeader(flat[i], flat[i + 1]);
      } else {
        for (const [name, value] of Object.entries(headers ?? {})) if (name) this.setHeader(name, value);
      }
      this._header = `HTTP/1.1 ${code} ${this.statusMessage}\r\n`;
      this.headersSent = true;
      return this;
    }
    _implicitHeader() {
      this.writeHead(this.statusCode);
    }
    flushHeaders() {
      if (!this._header) this._implicitHeader();
      this.#send();
    }
    // #send answers with what is known: no body, all of it, or a stream of what will be written.
    #send() {
      if (this.#sent) return;
      this.#sent = true;
      let body = null;
      if (this._hasBody) {
        body = this.#whole ?? new ReadableStream({
          start: (controller) => void (this.#controller = controller),
          pull: () => {
            const taken = this.#taken;
            this.#taken = undefined;
            taken?.();
          },
          cancel: (reason) => void this.destroy(reason instanceof Error ? reason : undefined),
        });
      }
      try {
        this.#answer.resolve(new Response(
          body, { status: this.statusCode, statusText: this.statusMessage, headers: this.webHeaders() }));
      } catch (err) {
        this.#answer.reject(err);
      }
    }
    write(chunk, encoding, callback) {
      if (!this._header) this._implicitHeader();
      return super.write(chunk, encoding, callback);
    }
    end(chunk, encoding, callback) {
      if (typeof chunk === "function") [chunk, encoding, callback] = [undefined, undefined, chunk];
      else if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
      if (this.finished) return super.end(chunk, encoding, callback);
      const written = chunk !== undefined && chunk !== null;
      if (!this.#sent && this.writableLength === 0 &&
        (!written || typeof chunk === "string" || ArrayBuffer.isView(chunk))) {
        this.#whole = written ? Buffer.from(chunk, encoding) : Buffer.alloc(0);
        if (!this._header) {
          if (this._hasBody && !this.hasHeader("content-length") &&
            !this.hasHeader("transfer-encoding")) this.setHeader("Content-Length", this.#whole.length);
          this._implicitHeader();
        }
        this.#send();
        return super.end(callback);
      }
      if (!this._header) this._implicitHeader();
      return super.end(chunk, encoding, callback);
    }
    _write(chunk, encoding, callback) {
      this.#send();
      if (!this.#controller) return callback();
      try {
        this.#controller.enqueue(new Uint8Array(chunk));
      } catch (err) {
        return callback(err);
      }
      if (this.#controller.desiredSize > 0) callback();
      else this.#taken = callback;
    }
    _final(callback) {
      this.#send();
      this.#controller?.close();
      callback();
    }
    _destroy(err, callback) {
      if (!this.#sent) this.#answer.reject(err ?? new Error("The response was destroyed before it was sent"));
      else if (!this.writableFinished) this.#controller?.error(err ?? new Error("The response was destroyed"));
      const taken = this.#taken;
      this.#taken = undefined;
      taken?.(err);
      callback(err);
    }
    assignSocket() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("assignSocket");
    }
    detachSocket() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("detachSocket");
    }
    writeContinue() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("writeContinue");
    }
    writeProcessing() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("writeProcessing");
    }
    writeEarlyHints() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("writeEarlyHints");
    }
  }

  // Of these headers Node keeps the first value; Headers has joined them.
  const once = new Set(["host", "content-type", "user-agent", "referer", "authorization", "proxy-authorization",
    "if-modified-since", "if-unmodified-since", "from", "location", "max-forwards"]);
  const first = (value) => /^(?:"(?:[^"\\]|\\.)*"|[^",])*/.exec(value)[0].trim();

  class Server extends EventEmitter {
    timeout = 0;
    keepAliveTimeout = 5000;
    headersTimeout = 60000;
    requestTimeout = 300000;
    maxHeadersCount = null;
    maxRequestsPerSocket = 0;
    #options;
    #port = null;
    constructor(options, listener) {
      super();
      if (typeof options === "function") [options, listener] = [{}, options];
      options ??= {};
      validateObject(options, "options");
      this.#options = { IncomingMessage, ServerResponse, ...options };
      if (listener) this.on("request", listener);
    }
    // listen(port?, host?, backlog?, callback?) or listen({ port }, callback?); without a port one is chosen.
    listen(...args) {
      const callback = typeof args.at(-1) === "function" ? args.pop() : undefined;
      const wish = args[0] !== null && typeof args[0] === "object" ? args[0].port : args[0];
      let port = wish === undefined || wish === null ? 0 : validatePort(wish, "options.port");
      if (this.#port !== null || servers.has(port)) throw new codes.ERR_SERVER_ALREADY_LISTEN();
      while (port === 0 || servers.has(port)) port = 1 + Math.floor(Math.random() * 65535);
      if (callback) this.once("listening", callback);
      this.#port = port;
      servers.set(port, this);
      queueMicrotask(() => this.emit("listening"));
      return this;
    }
    close(callback) {
      if (callback) this.once("close", callback);
      if (this.#port !== null) servers.delete(this.#port);
      this.#port = null;
      queueMicrotask(() => this.emit("close"));
      return this;
    }
    // _serve answers a Request.
    async _serve(request, env, ctx) {
      const req = new this.#options.IncomingMessage();
      const url = new URL(request.url);
      req.url = url.pathname + url.search;
      req.method = request.method;
      req.cloudflare = { env, ctx, cf: request.cf };
      req.fill([...request.headers].map(([name, value]) => [name, once.has(name) ? first(value) : value]),
        request.body);
      const port = this.#port;
      let socket; // made for those who look: most handlers do not
      const look = {
        configurable: true,
        get() {
          return (socket ??= peer(request, port));
        },
        set(value) {
          socket = value;
        },
      };
      Object.defineProperties(req, { socket: look, connection: look });
      const res = new this.#options.ServerResponse(req, { highWaterMark: this.#options.highWaterMark });
      Object.defineProperties(res, { socket: look, connection: look });
      try {
        if (this.listenerCount("connection") > 0) this.emit("connection", req.socket);
        this.emit("request", req, res);
      } catch (err) {
        answerOf(res).catch(() => {});
        res.on("error", () => {}).destroy(err);
        throw err;
      }
      return answerOf(res);
    }
    get listening() {
      return this.#port !== null;
    }
    address() {
      return this.#port === null ? null : { port: this.#port, family: "IPv4", address: "127.0.0.1" };
    }
    setTimeout(ms, callback) {
      if (typeof ms === "function") callback = ms;
      else if (typeof ms === "number") this.timeout = ms;
      if (callback) this.once("timeout", callback);
      return this;
    }
    getConnections(callback) {
      validateFunction(callback, "callback");
      queueMicrotask(() => callback(null, 0));
      return this;
    }
    closeAllConnections() {}
    closeIdleConnections() {}
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    [Symbol.asyncDispose]() {
      return new Promise((resolve) => this.close(resolve));
    }
  }

  function peer(request, port) {
    const { Socket } = require("net");
    const address = request.headers.get("cf-connecting-ip") ?? "127.0.0.1";
    return Object.defineProperties(new Socket(), {
      remoteAddress: { value: address }, remoteFamily: { value: address.includes(":") ? "IPv6" : "IPv4" },
        remotePort: { value: 0 },
      localAddress: { value: "127.0.0.1" }, localPort: { value: port },
        encrypted: { value: request.url.startsWith("https:") },
    });
  }

  function portOf(target) {
    if (target === null || target === undefined) throw new Error("Server descriptor cannot be null or undefined");
    if (typeof target === "number") return target;
    if (target.port !== undefined && target.port !== null) return target.port;
    if (typeof target.listen !== "function") return undefined;
    if (typeof target.address()?.port !== "number") target.listen();
    return target.address()?.port;
  }
  function checkedPort(target) {
    const port = portOf(target);
    if (!Number.isFinite(port) || port < 0 || port > 65535) throw new Error("Failed to determine port for server");
    return port;
  }
  async function handleAsNodeRequest(target, request, env, ctx) {
    const port = checkedPort(target ?? {});
    const server = servers.get(port);
    if (!server) {
      const text = `Http server with port ${port} not found. This is likely a bug with your code. You should check ` +
        `if server.listen() was called with the same port (${port})`;
      throw Object.assign(new Error(text), { code: "ERR_INVALID_ARG_VALUE" });
    }
    return server._serve(request, env, ctx);
  }
  function httpServerHandler(target) {
    const port = checkedPort(target);
    return { fetch: (request, env, ctx) => handleAsNodeRequest(port, request, env, ctx) };
  }

  module.exports = { Server, ServerResponse, createServer: (options, listener) => new Server(options, listener),
    handleAsNodeRequest, httpServerHandler };
})

// ClientRequest: an outgoing request, sent by fetch() when it ends.
(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { OutgoingMessage, IncomingMessage } = require("internal/http_message");
  const { METHODS } = require("internal/http_constants");

  class Agent extends EventEmitter {
    defaultPort = 80;
    protocol = "http:";
    requests = {};
    sockets = {};
    freeSockets = {};
    constructor(options = {}) {
      super();
      this.options = { __proto__: null, ...options };
      this.keepAlive = !!options.keepAlive;
      this.keepAliveMsecs = options.keepAliveMsecs ?? 1000;
      this.maxSockets = options.maxSockets ?? Infinity;
      this.maxFreeSockets = options.maxFreeSockets ?? 256;
      this.maxTotalSockets = options.maxTotalSockets ?? Infinity;
      this.scheduling = options.scheduling ?? "lifo";
    }
    getName(o = {}) {
      return `${o.host || "localhost"}:${o.port || ""}:${o.localAddress || ""}${o.family ? `:${o.family}` : ""}`;
    }
    createConnection() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("http.Agent.prototype.createConnection");
    }
    destroy() {}
  }

  class ClientRequest extends OutgoingMessage {
    #chunks = [];
    #abort = new AbortController();
    #timer;
    #url;
    reusedSocket = false;
    maxHeadersCount = null;
    aborted = false;
    constructor(input, options, callback, scheme = "http:") {
      super({ autoDestroy: false });
      if (typeof input === "string") input = require("url").urlToHttpOptions(new URL(input));
      else if (input instanceof URL) input = require("url").urlToHttpOptions(input);
      else [callback, options, input] = [options, input, null];
      if (typeof options === "function") [callback, options] = [options, {}];
      const o = { ...input, ...options };
      const protocol = o.protocol ?? o.agent?.protocol ?? scheme;
      if (protocol !== "http:" && protocol !== "https:") throw new codes.ERR_INVALID_PROTOCOL(protocol, scheme);
      if (scheme === "https:" && protocol === "http:") throw new codes.ERR_INVALID_PROTOCOL(protocol, scheme);
      this.path = o.path || "/";
      if (/[^\u0021-\u00ff]/.test(this.path)) throw new codes.ERR_UNESCAPED_CHARACTERS("Request path");
      this.method = (o.method ?? "GET").toUpperCase();
      if (!METHODS.includes(this.method)) throw new codes.ERR_INVALID_HTTP_TOKEN("Method", o.method);
      this.protocol = protocol;
      this.host = o.hostname || o.host || "localhost";
      const port = o.port || o.defaultPort;
      const host = this.host.includes(":") && !this.host.startsWith("[") ? `[${this.host}]` : this.host;
      this.#url = new URL(`${protocol}//${host}${port ? `:${port}` : ""}`);
      const at = this.path.indexOf("?");
      this.#url.pathname = at < 0 ? this.path : this.path.slice(0, at);
      this.#url.search = at < 0 ? "" : this.path.slice(at);
      this.agent = o.agent;
      if (Array.isArray(o.headers)) for (let i = 0; i + 1 < o.headers.length; i += 2) this.appendHeader(
        o.headers[i], o.headers[i + 1]);
      else for (const [k, v] of Object.entries(o.headers ?? {})) this.setHeader(k, v);
      if (o.auth && !this.hasHeader("authorization")) this.setHeader(
        "Authorization", `Basic ${Buffer.from(o.auth).toString("base64")}`);
      if (!this.hasHeader("host")) this.setHeader("Host", this.#url.host);
      if (callback) this.once("response", callback);
      if (o.timeout) this.setTimeout(o.timeout);
      if (o.signal) {
        const stop = () => this.destroy(
          Object.assign(new Error("The operation was aborted"),
          { name: "AbortError", code: "ABORT_ERR", cause: o.signal.reason }));
        if (o.signal.aborted) queueMicrotask(stop);
        else o.signal.addEventListener("abort", stop, { once: true });
      }
    }
    _write(chunk, encoding, callback) {
      this.#chunks.push(Buffer.from(chunk));
      callback();
    }
    _final(callback) {
      callback();
      this.headersSent = true;
      this.#send();
    }
    async #send() {
      const headers = this.webHeaders();
      headers.delete("host");
      for (const name of ["connection", "transfer-encoding", "keep-alive", "upgrade", "expect"]) headers.delete(name);
      const body = this.#chunks.length > 0 && this.method !== "GET" && this.method !== "HEAD" ?
        Buffer.concat(this.#chunks) : undefined;
      try {
        const response = await fetch(this.#url,
          { method: this.method, headers, body, redirect: "manual", signal: this.#abort.signal });
        clearTimeout(this.#timer);
        if (this.destroyed) return;
        const res = new IncomingMessage();
        res.req = this;
        this.res = res;
        res.answer(response);
        res.once("close", () => this.destroy());
        if (!this.emit("response", res)) res.resume();
      } catch (err) {
        clearTimeout(this.#timer);
        if (!this.destroyed) this.destroy(err);
      }
    }
    _destroy(err, callback) {
      this.#abort.abort();
      callback(err);
    }
    abort() {
      if (this.aborted) return;
      this.aborted = true;
      queueMicrotask(() => this.emit("abort"));
      this.destroy();
    }
    setTimeout(ms, callback) {
      if (callback) this.once("timeout", callback);
      clearTimeout(this.#timer);
      if (ms > 0) this.#timer = setTimeout(() => this.emit("timeout"), ms);
      return this;
    }
    setNoDelay() {}
    setSocketKeepAlive() {}
    onSocket() {}
  }
  module.exports = { Agent, ClientRequest };
})

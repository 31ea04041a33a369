// Messages of node:http: what goes out and what comes in.
(function (require, module) {
  "use strict";
  const { Readable, Writable } = require("stream");
  const { codes } = require("internal/errors");
  const { validateString } = require("internal/validators");
  const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
  const badValue = /[^\t\x20-\x7e\x80-\xff]/;

  function validateHeaderName(name, label) {
    if (typeof name !== "string" || !token.test(name)) throw new codes.ERR_INVALID_HTTP_TOKEN(
      label || "Header name", name);
  }
  function validateHeaderValue(name, value) {
    if (value === undefined) throw new codes.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
    if (badValue.test(String(value))) throw new codes.ERR_INVALID_CHAR("header content", name);
  }

  class OutgoingMessage extends Writable {
    #headers = new Map();
    headersSent = false;
    finished = false;
    sendDate = true;
    constructor(options) {
      super({ decodeStrings: true, ...options });
    }
    setHeader(name, value) {
      if (this.headersSent) throw new codes.ERR_HTTP_HEADERS_SENT("set");
      validateHeaderName(name);
      for (const v of Array.isArray(value) ? value : [value]) validateHeaderValue(name, v);
      this.#headers.set(name.toLowerCase(), { name, value });
      return this;
    }
    setHeaders(headers) {
      for (const [name, value] of headers) this.setHeader(name, value);
      return this;
    }
    appendHeader(name, value) {
      const old = this.getHeader(name);
      return this.setHeader(name, old === undefined ? value : [].concat(old, value));
    }
    getHeader(name) {
      validateString(name, "name");
      return this.#headers.get(name.toLowerCase())?.value;
    }
    hasHeader(name) {
      validateString(name, "name");
      return this.#headers.has(name.toLowerCase());
    }
    removeHeader(name) {
      if (this.headersSent) throw new codes.ERR_HTTP_HEADERS_SENT("remove");
      this.#headers.delete(name.toLowerCase());
    }
    getHeaderNames() {
      return [...this.#headers.keys()];
    }
    getRawHeaderNames() {
      return [...this.#headers.values()].map((h) => h.name);
    }
    getHeaders() {
      return Object.assign(Object.create(null), Object.fromEntries([...this.#headers].map(([k, h]) => [k, h.value])));
    }
    // webHeaders is a Headers object of what was set.
    webHeaders() {
      const out = new Headers();
      for (const { name, value } of this.#headers.values()) for (const v of [].concat(value)) out.append(
        name, String(v));
      return out;
    }
    flushHeaders() {}
    setTimeout(ms, callback) {
      if (callback) this.once("timeout", callback);
      return this;
    }
    get writableFinished() {
      return this._writableState.finished;
    }
    end(...args) {
      this.finished = true;
      return super.end(...args);
    }
  }

  // single are headers of which only the first counts.
  const single = new Set(["age", "authorization", "content-length", "content-type", "etag", "expires", "from", "host",
    "if-modified-since", "if-unmodified-since", "last-modified", "location", "max-forwards", "proxy-authorization",
    "referer", "retry-after", "server", "user-agent"]);
  class IncomingMessage extends Readable {
    httpVersion = "1.1";
    httpVersionMajor = 1;
    httpVersionMinor = 1;
    complete = false;
    aborted = false;
    headers = {};
    headersDistinct = {};
    rawHeaders = [];
    trailers = {};
    trailersDistinct = {};
    rawTrailers = [];
    url = "";
    method = null;
    statusCode = null;
    statusMessage = null;
    #reader;
    constructor(socket) {
      super();
      this.socket = this.connection = socket ?? null;
    }
    // answer fills the message from a Response.
    answer(response) {
      this.statusCode = response.status;
      this.statusMessage = response.statusText;
      this.fill(response.headers, response.body);
    }
    fill(headers, body) {
      for (const [name, value] of headers) {
        this.rawHeaders.push(name, value);
        (this.headersDistinct[name] ??= []).push(value);
        if (name === "set-cookie") (this.headers[name] ??= []).push(value);
        else if (this.headers[name] === undefined) this.headers[name] = value;
        else if (!single.has(name)) this.headers[name] += `, ${value}`;
      }
      this.#reader = body?.getReader();
    }
    _read() {
      if (!this.#reader) {
        this.complete = true;
        this.push(null);
        return;
      }
      this.#reader.read().then(({ value, done }) => {
        if (done) this.complete = true;
        this.push(done ? null : value);
      }, (err) => this.destroy(err));
    }
    _destroy(err, callback) {
      if (!this.complete && this.#reader) {
        this.aborted = true;
        this.#reader.cancel(err ?? undefined).catch(() => {});
      }
      callback(err);
    }
    setTimeout(ms, callback) {
      if (callback) this.once("timeout", callback);
      return this;
    }
  }
  module.exports = { OutgoingMessage, IncomingMessage, validateHeaderName, validateHeaderValue };
})

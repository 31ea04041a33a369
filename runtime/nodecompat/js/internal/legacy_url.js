// url.parse, format and resolve: the old API, which is lenient where URL throws.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateString } = require("internal/validators");
  const querystring = require("querystring");
  const slashed = new Set(["http:", "https:", "ftp:", "gopher:", "file:", "ws:", "wss:"]);
  const hostless = new Set(["javascript:"]);

  function Url() {
    this.protocol = this.slashes = this.auth = this.host = this.port = this.hostname = this.hash = this.search =
      this.query = this.pathname = this.path = this.href = null;
  }

  const escapes = { "\t": "%09", "\n": "%0A", "\r": "%0D", " ": "%20", '"': "%22", "'": "%27", "<": "%3C", ">": "%3E",
    "\\": "%5C", "^": "%5E", "`": "%60", "{": "%7B", "|": "%7C", "}": "%7D" };
  const escape = (s) => s.replace(/[\t\n\r "'<>\\^`{|}]/g, (c) => escapes[c]);

  function parse(url, parseQuery, slashesDenoteHost) {
    if (url instanceof Url) return url;
    const u = new Url();
    u.parse(url, parseQuery, slashesDenoteHost);
    return u;
  }

  Url.prototype.parse = function (url, parseQuery, slashesDenoteHost) {
    validateString(url, "url");
    // Backslashes before the query are slashes, as browsers have it.
    const cut = url.search(/[?#]/);
    let rest = (cut < 0 ? url.replace(/\\/g, "/") : url.slice(0, cut).replace(/\\/g, "/") + url.slice(cut)).trim();
    const scheme = /^[a-z0-9.+-]+:/i.exec(rest);
    let lower = "";
    if (scheme) {
      lower = scheme[0].toLowerCase();
      this.protocol = lower;
      rest = rest.slice(scheme[0].length);
    }
    let slashes = false;
    if (slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
      slashes = rest.startsWith("//");
      if (slashes && !(lower && hostless.has(lower))) {
        rest = rest.slice(2);
        this.slashes = true;
      }
    }
    if (!hostless.has(lower) && slashes) rest = this.takeHost(rest, url);
    if (!hostless.has(lower)) rest = escape(rest);
    const hash = rest.indexOf("#");
    if (hash >= 0) {
      this.hash = rest.slice(hash);
      rest = rest.slice(0, hash);
    }
    const q = rest.indexOf("?");
    if (q >= 0) {
      this.search = rest.slice(q);
      this.query = rest.slice(q + 1);
      if (parseQuery) this.query = querystring.parse(this.query);
      rest = rest.slice(0, q);
    } else if (parseQuery) {
      this.search = null;
      this.query = { __proto__: null };
    }
    if (rest) this.pathname = rest;
    if (slashed.has(lower) && this.hostname && !this.pathname) this.pathname = "/";
    if (this.pathname || this.search) this.path = (this.pathname || "") + (this.search || "");
    this.href = this.format();
    return this;
  };

  Url.prototype.takeHost = function (rest, url) {
    let end = rest.search(/[/?#\t\n\r "'<>\\^`{|};]/);
    const at = rest.slice(0, rest.search(/[/?#]/) < 0 ? rest.length : rest.search(/[/?#]/)).lastIndexOf("@");
    let host = rest;
    if (at >= 0) {
      this.auth = decodeURIComponent(rest.slice(0, at));
      host = rest.slice(at + 1);
      end = host.search(/[/?#\t\n\r "'<>\\^`{|};]/);
    }
    const tail = end < 0 ? "" : host.slice(end);
    this.host = end < 0 ? host : host.slice(0, end);
    this.parseHost();
    this.hostname ??= "";
    const ipv6 = this.hostname.startsWith("[") && this.hostname.endsWith("]");
    if (this.hostname.length > 255) this.hostname = "";
    else this.hostname = this.hostname.toLowerCase();
    if (!ipv6 && this.hostname !== "") {
      if (/[\u0000\t\n\r #%/:<>?@[\]^|]/.test(this.hostname)) throw Object.assign(
        new codes.ERR_INVALID_URL(), { input: url });
      this.hostname = require("punycode").toASCII(this.hostname);
    }
    this.host = this.hostname + (this.port ? `:${this.port}` : "");
    if (ipv6) this.hostname = this.hostname.slice(1, -1);
    return tail !== "" && tail[0] !== "/" && tail[0] !== "?" && tail[0] !== "#" ? `/${tail}` : tail;
  };

  Url.prototype.parseHost = function () {
    const port = /:([0-9]*)$/.exec(this.host);
    let { host } = this;
    if (port) {
      if (port[1] !== "") this.port = port[1];
      host = host.slice(0, host.length - port[0].length);
    }
    if (host) this.hostname = host;
  };

  Url.prototype.format = function () {
    const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ":")}@` : "";
    let protocol = this.protocol || "";
    let pathname = this.pathname || "";
    let hash = this.hash || "";
    let host = "";
    if (this.host) host = auth + this.host;
    else if (this.hostname) {
      host = auth + (this.hostname.includes(":") && !this.hostname.startsWith("[") ? `[${this.hostname}]` :
        this.hostname);
      if (this.port) host += `:${this.port}`;
    }
    let query = "";
    if (this.query !== null && typeof this.query === "object") query = querystring.stringify(this.query);
    let search = this.search || (query && `?${query}`) || "";
    if (protocol && !protocol.endsWith(":")) protocol += ":";
    pathname = pathname.replace(/[?#]/g, encodeURIComponent);
    if (this.slashes || slashed.has(protocol)) {
      if (this.slashes || host) {
        if (pathname && !pathname.startsWith("/")) pathname = `/${pathname}`;
        host = `//${host}`;
      } else if (protocol.startsWith("file")) host = "//";
    }
    search = search.replace(/#/g, "%23");
    if (hash && !hash.startsWith("#")) hash = `#${hash}`;
    if (search && !search.startsWith("?")) search = `?${search}`;
    return protocol + host + pathname + search + hash;
  };

  Url.prototype.resolve = function (relative) {
    return this.resolveObject(parse(relative, false, true)).format();
  };

  Url.prototype.resolveObject = function (relative) {
    if (typeof relative === "string") relative = parse(relative, false, true);
    const out = Object.assign(new Url(), this);
    out.hash = relative.hash;
    if (relative.href === "") {
      out.href = out.format();
      return out;
    }
    if (relative.protocol && relative.protocol !== out.protocol) {
      Object.assign(out, relative);
      out.href = out.format();
      return out;
    }
    if (relative.slashes && relative.host !== null) {
      for (const k of ["auth", "host", "hostname", "port"]) out[k] = relative[k];
      out.pathname = relative.pathname;
    } else if (relative.pathname) {
      const base = out.pathname ?? "";
      const path = relative.pathname.startsWith("/") ? relative.pathname :
        `${base.slice(0, base.lastIndexOf("/") + 1) || (out.host ? "/" : "")}${relative.pathname}`;
      const absolute = path.startsWith("/");
      const parts = [];
      const segments = path.split("/");
      segments.forEach((s, i) => {
        if (s === "." || s === "..") {
          if (s === ".." && (parts.length > (absolute ? 1 : 0) && parts[parts.length - 1] !== "..")) parts.pop();
          else if (s === ".." && !absolute) parts.push("..");
          if (i === segments.length - 1) parts.push("");
        } else parts.push(s);
      });
      out.pathname = parts.join("/") || (absolute ? "/" : "");
    } else if (relative.search === null) {
      out.href = out.format();
      return out;
    }
    out.search = relative.search;
    out.query = relative.query;
    out.path = (out.pathname || "") + (out.search || "") || null;
    out.slashes = out.slashes || relative.slashes;
    out.href = out.format();
    return out;
  };

  function format(url) {
    if (typeof url === "string") url = parse(url);
    else if (typeof url !== "object" || url === null) throw new codes.ERR_INVALID_ARG_TYPE(
      "urlObject", ["Object", "string"], url);
    return Url.prototype.format.call(url);
  }
  module.exports = {
    Url, parse, format,
    resolve: (from, to) => parse(from, false, true).resolve(to),
    resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
  };
})

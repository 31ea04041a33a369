(function (require, module) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");

  function escape(value) {
    if (typeof value !== "string") value = typeof value === "object" ? String(value) : `${value}`;
    try {
      return encodeURIComponent(value);
    } catch {
      throw new codes.ERR_INVALID_URI();
    }
  }
  const primitive = (v) => {
    if (typeof v === "string") return v;
    if (typeof v === "number" && Number.isFinite(v)) return `${v}`;
    if (typeof v === "bigint") return `${v}`;
    if (typeof v === "boolean") return v ? "true" : "false";
    return "";
  };

  function stringify(obj, sep, eq, options) {
    const encode = typeof options?.encodeURIComponent === "function" ? options.encodeURIComponent : api.escape;
    const show = (v) => {
      const text = primitive(v);
      return text === "" ? "" : encode(text);
    };
    sep ||= "&";
    eq ||= "=";
    if (obj === null || typeof obj !== "object") return "";
    const out = [];
    for (const key of Object.keys(obj)) {
      const k = `${encode(primitive(key))}${eq}`;
      if (Array.isArray(obj[key])) for (const v of obj[key]) out.push(k + show(v));
      else out.push(k + show(obj[key]));
    }
    return out.join(sep);
  }

  // unescapeBuffer decodes %xx and leaves what is no such escape.
  function unescapeBuffer(s, plus) {
    const out = Buffer.allocUnsafe(s.length);
    let n = 0;
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c === 37 && /^[0-9a-fA-F]{2}$/.test(s.slice(i + 1, i + 3))) {
        out[n++] = parseInt(s.slice(i + 1, i + 3), 16);
        i += 2;
      } else out[n++] = plus && c === 43 ? 32 : c;
    }
    return n === s.length ? out : out.slice(0, n);
  }
  function unescape(s, plus) {
    try {
      return decodeURIComponent(s);
    } catch {
      return unescapeBuffer(s, plus).toString();
    }
  }

  function parse(text, sep, eq, options) {
    const out = { __proto__: null };
    if (typeof text !== "string" || text === "") return out;
    sep = sep ? `${sep}` : "&";
    eq = eq ? `${eq}` : "=";
    const max = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
    const custom = options?.decodeURIComponent;
    const decode = (s) => {
      s = s.replace(/\+/g, " ");
      if (typeof custom !== "function" && !s.includes("%")) return s;
      try {
        return (typeof custom === "function" ? custom : api.unescape)(s);
      } catch {
        return unescape(s, true);
      }
    };
    let pairs = text.split(sep).filter((p) => p !== "");
    if (max > 0) pairs = pairs.slice(0, max);
    for (const pair of pairs) {
      const at = pair.indexOf(eq);
      const key = decode(at < 0 ? pair : pair.slice(0, at));
      const value = at < 0 ? "" : decode(pair.slice(at + eq.length));
      if (!(key in out)) out[key] = value;
      else if (Array.isArray(out[key])) out[key].push(value);
      else out[key] = [out[key], value];
    }
    return out;
  }
  const api = { escape, unescape, unescapeBuffer, stringify, encode: stringify, parse, decode: parse };
  module.exports = api;
})

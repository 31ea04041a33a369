// MIMEType and MIMEParams of node:util (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type).
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
  const notQuoted = /[^\t\u0020-~\u0080-\u00FF]/;

  const token = (v, part) => {
    const s = `${v}`;
    const bad = s.search(notToken);
    if (s === "" || bad >= 0) throw new codes.ERR_INVALID_MIME_SYNTAX(part, v, bad);
    return s;
  };
  const quote = (v) => (v === "" || notToken.test(v) ? `"${v.replace(/["\\]/g, "\\$&")}"` : v);

  class MIMEParams {
    #map = new Map();
    delete(name) {
      this.#map.delete(name);
    }
    get(name) {
      return this.#map.get(name) ?? null;
    }
    has(name) {
      return this.#map.has(name);
    }
    set(name, value) {
      const n = token(name, "parameter name");
      const v = `${value}`;
      const bad = v.search(notQuoted);
      if (bad >= 0) throw new codes.ERR_INVALID_MIME_SYNTAX("parameter value", value, bad);
      this.#map.set(n, v);
    }
    entries() {
      return this.#map.entries();
    }
    keys() {
      return this.#map.keys();
    }
    values() {
      return this.#map.values();
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return [...this.#map].map(([k, v]) => `${k}=${quote(v)}`).join(";");
    }
    toJSON() {
      return this.toString();
    }
    // read takes the parameters after the first ";"; malformed ones are left out.
    static read(text, into) {
      let i = 0;
      while (i < text.length) {
        while (/[ \t\r\n]/.test(text[i] ?? "")) i++;
        let end = i;
        while (end < text.length && text[end] !== ";" && text[end] !== "=") end++;
        const name = text.slice(i, end).toLowerCase();
        i = end;
        let value;
        if (text[i] === "=") {
          i++;
          if (text[i] === '"') {
            value = "";
            i++;
            while (i < text.length && text[i] !== '"') {
              if (text[i] === "\\" && i + 1 < text.length) i++;
              value += text[i++];
            }
            while (i < text.length && text[i] !== ";") i++;
          } else {
            end = i;
            while (end < text.length && text[end] !== ";") end++;
            value = text.slice(i, end).replace(/[ \t\r\n]+$/, "");
            i = end;
            if (value === "") value = undefined;
          }
        }
        i++;
        if (name !== "" && value !== undefined && !notToken.test(name) && !notQuoted.test(value) &&
          !into.has(name)) into.#map.set(name, value);
      }
    }
  }

  class MIMEType {
    #type;
    #subtype;
    #params = new MIMEParams();
    constructor(input) {
      const text = `${input}`.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
      const slash = text.indexOf("/");
      const type = slash < 0 ? text : text.slice(0, slash);
      const bad = type.search(notToken);
      if (slash < 0 || type === "" || bad >= 0) throw new codes.ERR_INVALID_MIME_SYNTAX(
        "type", text, slash < 0 ? slash : bad);
      let semi = text.indexOf(";", slash);
      if (semi < 0) semi = text.length;
      const subtype = text.slice(slash + 1, semi).replace(/[ \t\r\n]+$/, "");
      const badSub = subtype.search(notToken);
      if (subtype === "" || badSub >= 0) throw new codes.ERR_INVALID_MIME_SYNTAX("subtype", text, badSub);
      this.#type = type.toLowerCase();
      this.#subtype = subtype.toLowerCase();
      MIMEParams.read(text.slice(semi + 1), this.#params);
    }
    get type() {
      return this.#type;
    }
    set type(v) {
      this.#type = token(v, "type").toLowerCase();
    }
    get subtype() {
      return this.#subtype;
    }
    set subtype(v) {
      this.#subtype = token(v, "subtype").toLowerCase();
    }
    get essence() {
      return `${this.#type}/${this.#subtype}`;
    }
    get params() {
      return this.#params;
    }
    toString() {
      const params = this.#params.toString();
      return params === "" ? this.essence : `${this.essence};${params}`;
    }
    toJSON() {
      return this.toString();
    }
  }
  module.exports = { MIMEType, MIMEParams };
})

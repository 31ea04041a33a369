// What both flavours of node:path share.
(function (require, module) {
  "use strict";
  const { validateObject } = require("internal/validators");

  // normalise resolves "." and ".." among the segments; above says whether ".." may stay at the front.
  function normalise(path, isSep, sep, above) {
    const out = [];
    for (const part of path.split(isSep)) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        if (out.length > 0 && out[out.length - 1] !== "..") out.pop();
        else if (above) out.push("..");
      } else out.push(part);
    }
    return out.join(sep);
  }

  // extension splits off ".ext" of a base name; leading dots are part of the name.
  function extension(base) {
    const dot = base.lastIndexOf(".");
    if (dot <= 0 || base === "..") return "";
    return base.slice(dot);
  }

  function format(sep, o) {
    validateObject(o, "pathObject");
    const dir = o.dir || o.root;
    const ext = o.ext ? (o.ext[0] === "." ? o.ext : `.${o.ext}`) : "";
    const base = o.base || `${o.name || ""}${ext}`;
    if (!dir) return base;
    return dir === o.root ? `${dir}${base}` : `${dir}${sep}${base}`;
  }

  // globPattern is the pattern of path.matchesGlob, with *, **, ?, [..] and {a,b}.
  function globPattern(glob, sep) {
    const s = sep === "\\" ? "[\\\\/]" : "/";
    const notSep = sep === "\\" ? "[^\\\\/]" : "[^/]";
    let out = "";
    let depth = 0;
    for (let i = 0; i < glob.length; i++) {
      const c = glob[i];
      if (c === "*" && glob[i + 1] === "*") {
        i++;
        if (glob[i + 1] === "/") {
          i++;
          out += `(?:.*${s})?`;
        } else out += ".*";
      } else if (c === "*") out += `${notSep}*`;
      else if (c === "?") out += notSep;
      else if (c === "{") {
        depth++;
        out += "(?:";
      } else if (c === "}" && depth > 0) {
        depth--;
        out += ")";
      } else if (c === "," && depth > 0) out += "|";
      else if (c === "[") {
        const end = glob.indexOf("]", i + 1);
        if (end < 0) out += "\\[";
        else {
          out += `[${glob.slice(i + 1, end).replace(/^!/, "^")}]`;
          i = end;
        }
      } else if (c === "/") out += s;
      else out += c.replace(/[.+^$()|\\\]]/g, "\\$&");
    }
    return new RegExp(`^${out}$`);
  }

  module.exports = { normalise, extension, format, globPattern };
})

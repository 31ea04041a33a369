(function (require, module) {
  "use strict";
  const { validateString } = require("internal/validators");
  const { normalise, extension, format, globPattern } = require("internal/path_parts");
  const cwd = () => require("process").cwd();
  const sep = /[\\/]+/;

  // split takes a path apart: device ("C:" or "\\server\share"), whether it is rooted, and the rest.
  function split(path) {
    const unc = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (unc) return { device: `\\\\${unc[1]}\\${unc[2]}`, rooted: true, rest: path.slice(unc[0].length) };
    const drive = /^[a-zA-Z]:/.exec(path);
    const device = drive ? drive[0] : "";
    const rest = path.slice(device.length);
    return { device, rooted: /^[\\/]/.test(rest), rest };
  }

  const win32 = {
    sep: "\\",
    delimiter: ";",
    resolve(...parts) {
      let device = "";
      let tail = "";
      let rooted = false;
      for (let i = parts.length - 1; i >= -1 && !(rooted && device !== ""); i--) {
        let path;
        if (i >= 0) {
          path = parts[i];
          validateString(path, `paths[${i}]`);
          if (path === "") continue;
        } else path = cwd();
        const p = split(path);
        if (p.device !== "") {
          if (device !== "") {
            if (p.device.toLowerCase() !== device.toLowerCase()) continue;
          } else device = p.device;
        }
        if (!rooted) {
          tail = `${p.rest}\\${tail}`;
          rooted = p.rooted;
        }
      }
      const out = normalise(tail, sep, "\\", !rooted);
      return rooted ? `${device}\\${out}` : `${device}${out}` || ".";
    },
    normalize(path) {
      validateString(path, "path");
      if (path === "") return ".";
      const { device, rooted, rest } = split(path);
      let out = normalise(rest, sep, "\\", !rooted);
      if (out === "" && !rooted) out = ".";
      if (out !== "" && /[\\/]$/.test(path)) out += "\\";
      return rooted ? `${device}\\${out}` : `${device}${out}`;
    },
    isAbsolute(path) {
      validateString(path, "path");
      return /^([a-zA-Z]:)?[\\/]/.test(path);
    },
    join(...parts) {
      const used = parts.filter((p) => {
        validateString(p, "path");
        return p !== "";
      });
      if (used.length === 0) return ".";
      let joined = used.join("\\");
      // Only a first part with two separators and a name after them means a share.
      if (!/^[\\/]{2}[^\\/]/.test(used[0])) joined = joined.replace(/^[\\/]{2,}/, "\\");
      return win32.normalize(joined);
    },
    relative(from, to) {
      validateString(from, "from");
      validateString(to, "to");
      if (from === to) return "";
      const a = win32.resolve(from).split("\\").filter(Boolean);
      const target = win32.resolve(to);
      const b = target.split("\\").filter(Boolean);
      let same = 0;
      while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase()) same++;
      if (same === 0) return target;
      return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("\\");
    },
    toNamespacedPath(path) {
      if (typeof path !== "string" || path === "") return path;
      const resolved = win32.resolve(path);
      if (/^\\\\[^?.]/.test(resolved)) return `\\\\?\\UNC\\${resolved.slice(2)}`;
      return /^[a-zA-Z]:\\/.test(resolved) ? `\\\\?\\${resolved}` : path;
    },
    dirname(path) {
      validateString(path, "path");
      if (path === "") return ".";
      const { device, rooted, rest } = split(path);
      const root = path.slice(0, path.length - rest.length) + (rooted ? rest.slice(0, 1) : "");
      const trimmed = rest.replace(/[\\/]+$/, "");
      const at = Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/"));
      if (at <= 0) return root || (device === "" && trimmed !== "" ? "." : root || path);
      return path.slice(0, path.length - rest.length) + trimmed.slice(0, at);
    },
    basename(path, suffix) {
      if (suffix !== undefined) validateString(suffix, "suffix");
      validateString(path, "path");
      if (suffix === path) return "";
      const body = /^[a-zA-Z]:/.test(path) ? path.slice(2) : path;
      const trimmed = body.replace(/[\\/]+$/, "");
      const base = trimmed.slice(Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/")) + 1);
      if (suffix !== undefined && base !== suffix && base.endsWith(suffix)) return base.slice(
        0, base.length - suffix.length);
      return base;
    },
    extname(path) {
      validateString(path, "path");
      return extension(win32.basename(path));
    },
    format: (o) => format("\\", o),
    parse(path) {
      validateString(path, "path");
      const { rest, rooted } = split(path);
      const root = path.slice(0, path.length - rest.length) + (rooted ? rest.slice(0, 1) : "");
      const base = rest === "" ? "" : win32.basename(path);
      const ext = extension(base);
      const trimmed = path.replace(/[\\/]+$/, "");
      let dir = trimmed.slice(0, Math.max(0, trimmed.length - base.length));
      dir = dir.length <= root.length ? root : dir.replace(/[\\/]$/, "");
      return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
    },
    matchesGlob(path, pattern) {
      validateString(path, "path");
      validateString(pattern, "pattern");
      return globPattern(pattern, "\\").test(path);
    },
  };
  win32._makeLong = win32.toNamespacedPath;
  module.exports = win32;
})

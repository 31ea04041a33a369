(function (require, module) {
  "use strict";
  const { validateString } = require("internal/validators");
  const { normalise, extension, format, globPattern } = require("internal/path_parts");
  // Relative paths start at the root, whatever process.cwd() says.
  const cwd = () => "/";

  const posix = {
    sep: "/",
    delimiter: ":",
    resolve(...parts) {
      let path = "";
      for (let i = parts.length - 1; i >= 0 && !path.startsWith("/"); i--) {
        validateString(parts[i], `paths[${i}]`);
        if (parts[i] !== "") path = path === "" ? parts[i] : `${parts[i]}/${path}`;
      }
      if (!path.startsWith("/")) path = path === "" ? cwd() : `${cwd()}${path}`;
      return `/${normalise(path, "/", "/", false)}`;
    },
    normalize(path) {
      validateString(path, "path");
      if (path === "") return ".";
      const absolute = path[0] === "/";
      let out = normalise(path, "/", "/", !absolute);
      if (out === "") {
        if (absolute) return "/";
        out = ".";
        return path.endsWith("/") ? "./" : out;
      }
      if (path.endsWith("/")) out += "/";
      return absolute ? `/${out}` : out;
    },
    isAbsolute(path) {
      validateString(path, "path");
      return path[0] === "/";
    },
    join(...parts) {
      const used = parts.filter((p) => {
        validateString(p, "path");
        return p !== "";
      });
      return used.length === 0 ? "." : posix.normalize(used.join("/"));
    },
    relative(from, to) {
      validateString(from, "from");
      validateString(to, "to");
      const a = posix.resolve(from).split("/").filter(Boolean);
      const b = posix.resolve(to).split("/").filter(Boolean);
      let same = 0;
      while (same < a.length && same < b.length && a[same] === b[same]) same++;
      return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
    },
    toNamespacedPath: (path) => path,
    dirname(path) {
      validateString(path, "path");
      if (path === "") return ".";
      const trimmed = path.replace(/\/+$/, "");
      if (trimmed === "") return "/";
      const at = trimmed.lastIndexOf("/");
      if (at < 0) return ".";
      const dir = trimmed.slice(0, at);
      if (dir === "") return "/";
      // "//a" keeps its two slashes.
      return /^\/+$/.test(dir) && dir.length === 1 ? "//" : dir;
    },
    basename(path, suffix) {
      if (suffix !== undefined) validateString(suffix, "suffix");
      validateString(path, "path");
      if (suffix === path) return "";
      const trimmed = path.replace(/\/+$/, "");
      const base = trimmed.slice(trimmed.lastIndexOf("/") + 1);
      if (suffix !== undefined && base !== suffix && base.endsWith(suffix)) return base.slice(
        0, base.length - suffix.length);
      return base;
    },
    extname(path) {
      validateString(path, "path");
      return extension(posix.basename(path));
    },
    format: (o) => format("/", o),
    parse(path) {
      validateString(path, "path");
      const root = path[0] === "/" ? "/" : "";
      const base = posix.basename(path);
      const ext = extension(base);
      const trimmed = path.replace(/\/+$/, "");
      let dir = trimmed.slice(0, trimmed.length - base.length);
      dir = dir === root ? root : dir.replace(/\/$/, "");
      return { root, dir: path === "" ? "" : dir || root, base, ext,
        name: ext === "" ? base : base.slice(0, -ext.length) };
    },
    matchesGlob(path, pattern) {
      validateString(path, "path");
      validateString(pattern, "pattern");
      return globPattern(pattern, "/").test(path);
    },
    _makeLong: (path) => path,
  };
  module.exports = posix;
})

// The file system of an isolate: a tree in memory with /tmp (writable), /bundle and /dev.
(function (require, module) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const posix = require("internal/path_posix");
  const constants = require("internal/fs_constants");
  const { errno } = require("os").constants;

  const texts = { ENOENT: "no such file or directory", EEXIST: "file already exists", ENOTDIR: "not a directory",
    EISDIR: "illegal operation on a directory", ENOTEMPTY: "directory not empty", EPERM: "operation not permitted",
    EBADF: "bad file descriptor", EINVAL: "invalid argument", ELOOP: "too many symbolic links encountered" };
  function fail(code, syscall, path, dest) {
    const where = path === undefined ? "" : ` '${path}'${dest === undefined ? "" : ` -> '${dest}'`}`;
    const e = Object.assign(new Error(`${code}: ${texts[code]}, ${syscall}${where}`),
      { errno: -errno[code], code, syscall });
    if (path !== undefined) e.path = path;
    if (dest !== undefined) e.dest = dest;
    return e;
  }

  let inodes = 0;
  const node = (kind, extra) => ({ kind, ino: ++inodes, mtime: Date.now(), birth: Date.now(), ...extra });
  const directory = (fixed = false) => node("directory", { entries: new Map(), fixed });
  const root = directory(true);
  for (const name of ["bundle", "tmp", "dev"]) root.entries.set(name, directory(name !== "tmp"));
  for (const name of ["null", "zero", "full", "random"]) root.entries.get("dev").entries.set(
    name, node("device", { name }));

  function toPath(path, name = "path") {
    if (path instanceof URL) path = require("url").fileURLToPath(path);
    else if (path instanceof Uint8Array) path = Buffer.from(path).toString();
    if (typeof path !== "string") throw new codes.ERR_INVALID_ARG_TYPE(name, ["string", "Buffer", "URL"], path);
    if (path.includes("\0")) throw new codes.ERR_INVALID_ARG_VALUE(
      name, path, "must be a string, Uint8Array, or URL without null bytes");
    return posix.resolve(require("process").cwd(), path);
  }

  // find walks to a node; follow says whether a link at the end is followed.
  function find(path, syscall, follow = true, hops = 0) {
    if (hops > 40) throw fail("ELOOP", syscall, path);
    let at = root;
    const parts = path.split("/").filter(Boolean);
    for (let i = 0; i < parts.length; i++) {
      if (at.kind !== "directory") throw fail("ENOTDIR", syscall, path);
      const next = at.entries.get(parts[i]);
      if (!next) return undefined;
      if (next.kind === "link" && (follow || i < parts.length - 1)) {
        const target = posix.resolve(`/${parts.slice(0, i).join("/")}`, next.target);
        return find(posix.join(target, ...parts.slice(i + 1)), syscall, follow, hops + 1);
      }
      at = next;
    }
    return at;
  }
  function need(path, syscall, follow) {
    const n = find(path, syscall, follow);
    if (!n) throw fail("ENOENT", syscall, path);
    return n;
  }
  function parentOf(path, syscall) {
    const dir = find(posix.dirname(path), syscall);
    if (!dir) throw fail("ENOENT", syscall, path);
    if (dir.kind !== "directory") throw fail("ENOTDIR", syscall, path);
    if (dir.fixed) throw fail("EPERM", syscall, path);
    return dir;
  }
  const place = (path, n, syscall) => {
    parentOf(path, syscall).entries.set(posix.basename(path), n);
    return n;
  };

  class Stats {
    constructor(n, bigint) {
      const num = bigint ? BigInt : Number;
      const format = { directory: constants.S_IFDIR, file: constants.S_IFREG, link: constants.S_IFLNK,
        device: constants.S_IFCHR }[n.kind];
      const size = n.kind === "file" ? n.data.length : n.kind === "link" ? n.target.length : 0;
      const figures = { dev: 0, mode: format | 0o666, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, ino: n.ino,
        size, blocks: Math.ceil(size / 512), atimeMs: n.mtime, mtimeMs: n.mtime, ctimeMs: n.mtime,
        birthtimeMs: n.birth };
      for (const [k, v] of Object.entries(figures)) this[k] = num(Math.floor(v));
      for (const k of ["atime", "mtime", "ctime"]) this[k] = new Date(n.mtime);
      this.birthtime = new Date(n.birth);
      Object.defineProperty(this, "kind", { value: n.kind });
    }
  }
  class Dirent {
    constructor(name, kind, parentPath) {
      this.name = name;
      this.parentPath = parentPath;
      this.path = parentPath;
      Object.defineProperty(this, "kind", { value: kind });
    }
  }
  for (const Class of [Stats, Dirent]) {
    const kinds = { isFile: "file", isDirectory: "directory", isSymbolicLink: "link", isCharacterDevice: "device",
      isBlockDevice: "", isFIFO: "", isSocket: "" };
    for (const [method, kind] of Object.entries(kinds)) {
      Class.prototype[method] = function () {
        return this.kind === kind;
      };
    }
  }
  module.exports = { fail, node, directory, root, toPath, find, need, parentOf, place, Stats, Dirent };
})

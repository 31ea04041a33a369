// The synchronous functions of node:fs; callbacks and promises are made from them.
(function (require, module) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const posix = require("internal/path_posix");
  const tree = require("internal/fs_tree");
  const { fail, toPath, need, find, Stats, Dirent } = tree;

  const files = new Map();
  let nextFd = 3;
  const encodingOf = (o) => (typeof o === "string" ? o : o?.encoding);
  const bytesOf = (data, encoding) => {
    if (typeof data === "string") return Buffer.from(data, encoding ?? "utf8");
    if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    throw new codes.ERR_INVALID_ARG_TYPE("data", ["string", "Buffer", "TypedArray", "DataView"], data);
  };
  function opened(fd, syscall) {
    if (typeof fd !== "number") throw new codes.ERR_INVALID_ARG_TYPE("fd", "number", fd);
    const f = files.get(fd);
    if (!f) throw fail("EBADF", syscall);
    return f;
  }
  const content = (n) => {
    if (n.kind === "device") {
      if (n.name === "null") return Buffer.alloc(0);
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED(`Reading all of /dev/${n.name}`);
    }
    return n.data;
  };
  const store = (n, data) => {
    if (n.kind !== "file") return;
    n.data = data;
    n.mtime = Date.now();
  };
  // flagsOf reads "r+", "wx" and numbers.
  function flagsOf(flags = "r") {
    const c = require("internal/fs_constants");
    if (typeof flags === "number") {
      return { write: (flags & 3) !== 0, create: !!(flags & c.O_CREAT), truncate: !!(flags & c.O_TRUNC),
        append: !!(flags & c.O_APPEND), exclusive: !!(flags & c.O_EXCL) };
    }
    const m = /^(r|w|a)(s|x|\+)*$/.exec(flags);
    if (!m) throw new codes.ERR_INVALID_ARG_VALUE("flags", flags);
    return { write: m[1] !== "r" || flags.includes("+"), create: m[1] !== "r", truncate: m[1] === "w",
      append: m[1] === "a", exclusive: flags.includes("x") };
  }
  function open(path, flags, syscall = "open") {
    const f = flagsOf(flags);
    let n = find(path, syscall);
    if (n && f.exclusive) throw fail("EEXIST", syscall, path);
    if (!n) {
      if (!f.create) throw fail("ENOENT", syscall, path);
      n = tree.place(path, tree.node("file", { data: Buffer.alloc(0) }), syscall);
    }
    if (n.kind === "directory" && f.write) throw fail("EISDIR", syscall, path);
    if (f.truncate) store(n, Buffer.alloc(0));
    return { n, path, position: 0, ...f };
  }
  function writeAt(f, data, position) {
    const { n } = f;
    if (!f.write) throw fail("EBADF", "write");
    if (n.kind === "device") return data.length;
    const at = f.append ? n.data.length : position ?? f.position;
    const size = Math.max(n.data.length, at + data.length);
    const out = size > n.data.length ? Buffer.concat([n.data], size) : Buffer.from(n.data);
    data.copy(out, at);
    store(n, out);
    if (position == null) f.position = at + data.length;
    return data.length;
  }

  const api = {
    openSync: (path, flags) => {
      const f = open(toPath(path), flags);
      const fd = nextFd++;
      files.set(fd, f);
      return fd;
    },
    closeSync(fd) {
      opened(fd, "close");
      files.delete(fd);
    },
    readFileSync(path, options) {
      const n = typeof path === "number" ? opened(path, "read").n : need(toPath(path), "open");
      if (n.kind === "directory") throw fail("EISDIR", "read");
      const b = Buffer.from(content(n));
      const encoding = encodingOf(options);
      return encoding && encoding !== "buffer" ? b.toString(encoding) : b;
    },
    writeFileSync(path, data, options) {
      const b = bytesOf(data, encodingOf(options));
      const f = typeof path === "number" ? opened(path, "write") : open(toPath(path), options?.flag ?? "w");
      writeAt(f, b, null);
    },
    appendFileSync(path, data, options) {
      api.writeFileSync(path, data, { ...(typeof options === "string" ? { encoding: options } : options), flag: "a" });
    },
    readSync(fd, buffer, offset = 0, length = undefined, position = null) {
      if (typeof offset === "object" && offset !== null) ({ offset = 0, length, position = null } = offset);
      const f = opened(fd, "read");
      const view = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      const at = position == null || position === -1 ? f.position : Number(position);
      const n = content(f.n).copy(view, offset, at, at + (length ?? view.length - offset));
      if (position == null || position === -1) f.position += n;
      return n;
    },
    writeSync(fd, data, offset, length, position) {
      if (fd === 1 || fd === 2) {
        const s = require("process")[fd === 1 ? "stdout" : "stderr"];
        s.write(data);
        return data.length;
      }
      const f = opened(fd, "write");
      if (typeof data === "string") return writeAt(f, Buffer.from(data, length), offset);
      if (typeof offset === "object" && offset !== null) ({ offset, length, position } = offset);
      const b = bytesOf(data);
      return writeAt(f, b.subarray(offset ?? 0, length == null ? undefined : (offset ?? 0) + length), position);
    },
    existsSync(path) {
      try {
        return find(toPath(path), "access") !== undefined;
      } catch {
        return false;
      }
    },
    accessSync(path, mode = 0) {
      const p = toPath(path);
      const n = need(p, "access");
      if (mode & 2 && n.fixed) throw fail("EPERM", "access", p);
    },
    statSync(path, o) {
      const p = toPath(path);
      const n = find(p, "stat");
      if (!n && o?.throwIfNoEntry === false) return undefined;
      return new Stats(n ?? need(p, "stat"), o?.bigint);
    },
    lstatSync(path, o) {
      const p = toPath(path);
      const n = find(p, "lstat", false);
      if (!n && o?.throwIfNoEntry === false) return undefined;
      return new Stats(n ?? need(p, "lstat", false), o?.bigint);
    },
    fstatSync: (fd, o) => new Stats(opened(fd, "fstat").n, o?.bigint),
    mkdirSync(path, o) {
      const p = toPath(path);
      if (!(typeof o === "object" && o?.recursive)) {
        if (find(p, "mkdir")) throw fail("EEXIST", "mkdir", p);
        tree.place(p, tree.directory(), "mkdir");
        return undefined;
      }
      let first;
      let at = "";
      for (const part of p.split("/").filter(Boolean)) {
        at += `/${part}`;
        const n = find(at, "mkdir");
        if (n && n.kind !== "directory") throw fail("EEXIST", "mkdir", p);
        if (!n) {
          tree.place(at, tree.directory(), "mkdir");
          first ??= at;
        }
      }
      return first;
    },
    mkdtempSync(prefix) {
      let path;
      do {
        path = `${toPath(prefix)}${String(prefix).endsWith("/") ? "/" :
          ""}${require("crypto").randomBytes(3).toString("hex")}`;
      } while (find(path, "mkdtemp"));
      api.mkdirSync(path);
      return path;
    },
    readdirSync(path, o) {
      const p = toPath(path);
      const dir = need(p, "scandir");
      if (dir.kind !== "directory") throw fail("ENOTDIR", "scandir", p);
      const out = [];
      const walk = (d, prefix, where) => {
        for (const [name, n] of [...d.entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
          out.push(o?.withFileTypes ? new Dirent(name, n.kind, where) : prefix + name);
          if (o?.recursive && n.kind === "directory") walk(n, `${prefix}${name}/`, `${where}/${name}`);
        }
      };
      walk(dir, "", p);
      return encodingOf(o) === "buffer" && !o?.withFileTypes ? out.map((n) => Buffer.from(n)) : out;
    },
    unlinkSync(path) {
      const p = toPath(path);
      const n = need(p, "unlink", false);
      if (n.kind === "directory") throw fail("EISDIR", "unlink", p);
      tree.parentOf(p, "unlink").entries.delete(posix.basename(p));
    },
    rmdirSync(path, o) {
      const p = toPath(path);
      const n = need(p, "rmdir", false);
      if (n.kind !== "directory") throw fail("ENOTDIR", "rmdir", p);
      if (n.entries.size > 0 && !o?.recursive) throw fail("ENOTEMPTY", "rmdir", p);
      tree.parentOf(p, "rmdir").entries.delete(posix.basename(p));
    },
    rmSync(path, o) {
      const p = toPath(path);
      const n = find(p, "rm", false);
      if (!n && o?.force) return;
      if (need(p, "rm", false).kind === "directory" && !o?.recursive) throw Object.assign(
        fail("EISDIR", "rm", p), { code: "ERR_FS_EISDIR" });
      tree.parentOf(p, "rm").entries.delete(posix.basename(p));
    },
    renameSync(from, to) {
      const a = toPath(from, "oldPath");
      const b = toPath(to, "newPath");
      const n = find(a, "rename", false);
      if (!n) throw fail("ENOENT", "rename", a, b);
      const source = tree.parentOf(a, "rename");
      tree.place(b, n, "rename");
      if (a !== b) source.entries.delete(posix.basename(a));
    },
    copyFileSync(from, to, mode = 0) {
      const b = toPath(to, "dest");
      if (mode & 1 && find(b, "copyfile")) throw fail("EEXIST", "copyfile", toPath(from, "src"), b);
      api.writeFileSync(b, api.readFileSync(from));
    },
    cpSync(from, to, o = {}) {
      const a = toPath(from, "src");
      const b = toPath(to, "dest");
      if (need(a, "cp").kind !== "directory") {
        api.copyFileSync(a, b);
        return;
      }
      if (!o.recursive) throw Object.assign(fail("EISDIR", "cp", a), { code: "ERR_FS_EISDIR" });
      api.mkdirSync(b, { recursive: true });
      for (const name of api.readdirSync(a)) api.cpSync(`${a}/${name}`, `${b}/${name}`, o);
    },
    symlinkSync(target, path) {
      const p = toPath(path);
      if (find(p, "symlink", false)) throw fail("EEXIST", "symlink", target, p);
      tree.place(p, tree.node("link", { target: String(target) }), "symlink");
    },
    linkSync(from, to) {
      tree.place(toPath(to), need(toPath(from), "link"), "link");
    },
    readlinkSync(path) {
      const p = toPath(path);
      const n = need(p, "readlink", false);
      if (n.kind !== "link") throw fail("EINVAL", "readlink", p);
      return n.target;
    },
    realpathSync: Object.assign((path) => {
      const p = toPath(path);
      const n = need(p, "realpath", false);
      return n.kind === "link" ? api.realpathSync(posix.resolve(posix.dirname(p), n.target)) : p;
    }, {}),
    truncateSync: (path, length = 0) => resize(need(toPath(path), "open"), length),
    ftruncateSync: (fd, length = 0) => resize(opened(fd, "ftruncate").n, length),
    utimesSync(path, atime, mtime) {
      need(toPath(path), "utime").mtime = +(mtime instanceof Date ? mtime : new Date(mtime * 1000));
    },
    futimesSync(fd, atime, mtime) {
      opened(fd, "futime").n.mtime = +(mtime instanceof Date ? mtime : new Date(mtime * 1000));
    },
    readvSync: (fd, views, position) => views.reduce(
      (sum, v) => sum + api.readSync(fd, v, 0, v.byteLength, position == null ? null : position + sum), 0),
    writevSync: (fd, views, position) =>
      views.reduce((sum, v) => sum + api.writeSync(fd, v, 0, v.byteLength, position == null ? null : position + sum),
      0),
  };
  api.realpathSync.native = api.realpathSync;
  api.lutimesSync = api.utimesSync;
  function resize(n, length) {
    store(n, Buffer.concat([n.data.subarray(0, length)], length));
  }
  // Owners and modes exist in name only.
  for (const name of ["chmod", "chown", "lchmod", "lchown"]) api[`${name}Sync`] = (path) =>
    void need(toPath(path), name);
  for (const name of ["fchmod", "fchown", "fsync", "fdatasync"]) api[`${name}Sync`] = (fd) => void opened(fd, name);
  module.exports = { api, opened };
})

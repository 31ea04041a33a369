(function (require, module) {
  "use strict";
  const { api: sync } = require("internal/fs_sync");
  const { Stats, Dirent } = require("internal/fs_tree");
  const constants = require("internal/fs_constants");
  const { Readable, Writable } = require("stream");
  const { Buffer } = require("buffer");
  const { validateFunction } = require("internal/validators");
  const { functions, classes } = require("internal/absent");

  const api = { ...sync, constants, F_OK: constants.F_OK, R_OK: constants.R_OK, W_OK: constants.W_OK,
    X_OK: constants.X_OK, Stats, Dirent };
  for (const name of Object.keys(sync)) {
    const plain = name.slice(0, -4);
    const fn = sync[name];
    api[plain] = (...args) => {
      const callback = args.pop();
      validateFunction(callback, "callback");
      let result;
      let failure = null;
      try {
        result = fn(...args);
      } catch (e) {
        if (String(e.code).startsWith("ERR_INVALID_ARG")) throw e;
        failure = e;
      }
      queueMicrotask(() => {
        if (plain === "exists") callback(result);
        else if (failure) callback(failure);
        else if (plain === "read" || plain === "write") callback(null, result, args[1]);
        else callback(null, result);
      });
    };
  }
  api.realpath.native = api.realpath;

  class ReadStream extends Readable {
    constructor(path, options = {}) {
      const o = typeof options === "string" ? { encoding: options } : options ?? {};
      super({ ...o, highWaterMark: o.highWaterMark ?? 65536 });
      this.path = path;
      this.fd = o.fd ?? null;
      this.flags = o.flags ?? "r";
      this.pos = o.start ?? 0;
      this.end = o.end ?? Infinity;
      this.bytesRead = 0;
    }
    _construct(callback) {
      try {
        this.fd ??= sync.openSync(this.path, this.flags);
        callback();
        this.emit("open", this.fd);
        this.emit("ready");
      } catch (e) {
        callback(e);
      }
    }
    _read(n) {
      const size = Math.min(n, this.end - this.pos + 1);
      const b = Buffer.alloc(Math.max(0, size));
      const got = size > 0 ? sync.readSync(this.fd, b, 0, size, this.pos) : 0;
      this.pos += got;
      this.bytesRead += got;
      this.push(got === 0 ? null : b.subarray(0, got));
    }
    _destroy(err, callback) {
      if (this.fd !== null) {
        try {
          sync.closeSync(this.fd);
        } catch (e) {
          err ??= e;
        }
      }
      callback(err);
    }
    close(callback) {
      if (callback) this.once("close", callback);
      this.destroy();
    }
  }
  class WriteStream extends Writable {
    constructor(path, options = {}) {
      const o = typeof options === "string" ? { encoding: options } : options ?? {};
      super({ ...o, decodeStrings: true });
      this.path = path;
      this.fd = o.fd ?? null;
      this.flags = o.flags ?? "w";
      this.pos = o.start;
      this.bytesWritten = 0;
    }
    _write(chunk, encoding, callback) {
      sync.writeSync(this.fd, chunk, 0, chunk.length, this.pos ?? null);
      if (this.pos !== undefined) this.pos += chunk.length;
      this.bytesWritten += chunk.length;
      callback();
    }
    close(callback) {
      if (callback) this.once("close", callback);
      this.end();
    }
  }
  WriteStream.prototype._construct = ReadStream.prototype._construct;
  WriteStream.prototype._destroy = ReadStream.prototype._destroy;

  Object.assign(api, {
    ReadStream, WriteStream, FileReadStream: ReadStream, FileWriteStream: WriteStream,
    createReadStream: (path, options) => new ReadStream(path, options),
    createWriteStream: (path, options) => new WriteStream(path, options),
    openAsBlob: async (path, options) => new Blob([sync.readFileSync(path)], options),
    _toUnixTimestamp: (t) => +t / 1000,
  });
  functions(api, "fs", "watch watchFile unwatchFile opendir opendirSync statfs statfsSync glob globSync");
  classes(api, "fs", "Dir");
  Object.defineProperty(api, "promises", { enumerable: true, configurable: true, get: () => require("fs/promises") });
  module.exports = api;
})

(function (require, module) {
  "use strict";
  const { api: sync } = require("internal/fs_sync");
  const { Buffer } = require("buffer");
  const { functions } = require("internal/absent");

  class FileHandle {
    constructor(fd) {
      this.fd = fd;
    }
    async read(buffer, offset, length, position) {
      buffer ??= Buffer.alloc(16384);
      return { bytesRead: sync.readSync(this.fd, buffer, offset, length, position), buffer };
    }
    async write(buffer, offset, length, position) {
      return { bytesWritten: sync.writeSync(this.fd, buffer, offset, length, position), buffer };
    }
    async close() {
      sync.closeSync(this.fd);
    }
    async [Symbol.asyncDispose]() {
      await this.close();
    }
  }
  for (const [method, name] of [["readFile", "readFileSync"], ["writeFile", "writeFileSync"],
    ["appendFile", "writeFileSync"], ["stat", "fstatSync"], ["truncate", "ftruncateSync"], ["sync", "fsyncSync"],
    ["datasync", "fdatasyncSync"], ["chmod", "fchmodSync"], ["chown", "fchownSync"], ["utimes", "futimesSync"],
    ["readv", "readvSync"], ["writev", "writevSync"]]) {
    FileHandle.prototype[method] = async function (...args) {
      return sync[name](this.fd, ...args);
    };
  }
  const api = { constants: require("internal/fs_constants"), FileHandle };
  const byDescriptor = /^(close|read|write|readv|writev|exists|f[a-z]+)$/;
  for (const name of Object.keys(sync)) {
    const plain = name.slice(0, -4);
    if (!byDescriptor.test(plain)) api[plain] = async (...args) => sync[name](...args);
  }
  api.open = async (path, flags) => new FileHandle(sync.openSync(path, flags));
  module.exports = functions(api, "fs.promises", "watch opendir statfs glob");
})

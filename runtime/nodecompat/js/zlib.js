(function (require, module, exports, host) {
  "use strict";
  const { Transform } = require("stream");
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateFunction, validateUint32 } = require("internal/validators");
  const constants = require("internal/zlib_constants");
  const native = host.zlib;
  const errnos = { Z_DATA_ERROR: -3, Z_BUF_ERROR: -5, Z_NEED_DICT: 2 };

  const toBytes = (data, name = "buffer") => {
    if (typeof data === "string") return Buffer.from(data);
    if (!(data instanceof ArrayBuffer) && !ArrayBuffer.isView(data)) throw new codes.ERR_INVALID_ARG_TYPE(
      name, ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"], data);
    return data;
  };
  const number = (v, name, min, max) => {
    if (v === undefined) return;
    if (typeof v !== "number") throw new codes.ERR_INVALID_ARG_TYPE(name, "number", v);
    if (Number.isNaN(v)) return;
    if (v < min || v > max) throw new codes.ERR_OUT_OF_RANGE(name, `>= ${min} and <= ${max}`, v);
  };

  // check looks at the options of any of the classes and gives what Go needs of them.
  function check(o = {}, brotli = false) {
    number(o.chunkSize, "options.chunkSize", 64, Infinity);
    number(o.maxOutputLength, "options.maxOutputLength", 1, 2 ** 53);
    if (brotli) {
      for (const key of Object.keys(o.params ?? {})) {
        if (Number.isNaN(+key) || +key < 0 || +key > 9) throw new codes.ERR_BROTLI_INVALID_PARAM(key);
      }
    } else {
      number(o.windowBits, "options.windowBits", 8, 15);
      number(o.level, "options.level", -1, 9);
      number(o.memLevel, "options.memLevel", 1, 9);
      number(o.strategy, "options.strategy", 0, 4);
    }
    if (o.dictionary !== undefined) toBytes(o.dictionary, "options.dictionary");
    const quality = o.params?.[constants.BROTLI_PARAM_QUALITY];
    return {
      level: brotli ? quality ?? -1 : Number.isNaN(o.level) ? -1 : o.level ?? -1,
      dictionary: o.dictionary,
      limit: o.maxOutputLength ?? 2 ** 31 - 1,
      partial: o.finishFlush !== undefined &&
        o.finishFlush !== (brotli ? constants.BROTLI_OPERATION_FINISH : constants.Z_FINISH),
    };
  }
  const failed = (e) => {
    if (e && errnos[e.code] !== undefined) e.errno = errnos[e.code];
    return e;
  };

  const formats = [
    ["Gzip", "gzip", true], ["Deflate", "deflate", true], ["DeflateRaw", "deflateRaw", true],
      ["BrotliCompress", "brotliCompress", true],
    ["Gunzip", "gunzip", false], ["Inflate", "inflate", false], ["InflateRaw", "inflateRaw", false],
      ["Unzip", "unzip", false], ["BrotliDecompress", "brotliDecompress", false],
  ];
  const api = { constants, codes: { ...errnos, Z_OK: 0, Z_STREAM_END: 1, Z_ERRNO: -1, Z_STREAM_ERROR: -2,
    Z_MEM_ERROR: -4, Z_VERSION_ERROR: -6 } };
  for (const [name, code] of Object.entries({ ...api.codes })) api.codes[code] = name;

  for (const [className, name, compresses] of formats) {
    const brotli = name.startsWith("brotli");
    const run = (data, o, callback) => {
      const c = check(o, brotli);
      return compresses ? native.compress(name, toBytes(data), c.level, c.dictionary, callback) :
        native.expand(name, toBytes(data), c.limit, c.partial, c.dictionary, callback);
    };
    api[`${name}Sync`] = (data, options) => {
      try {
        return Buffer.from(run(data, options ?? {}, undefined));
      } catch (e) {
        throw failed(e);
      }
    };
    api[name] = (data, options, callback) => {
      if (typeof options === "function") [callback, options] = [options, {}];
      validateFunction(callback, "callback");
      run(data, options ?? {}, (err, out) => (err ? callback(failed(err)) : callback(null, Buffer.from(out))));
    };

    function Engine(options) {
      if (!(this instanceof Engine)) return new Engine(options);
      const c = check(options ?? {}, brotli);
      const self = { c, input: [], squeezer: compresses ? native.squeezer(name, c.level, c.dictionary) : null };
      Object.defineProperty(this, "_engine", { value: self, writable: true });
      Object.defineProperty(this, "bytesWritten", { value: 0, writable: true, enumerable: true });
      Transform.call(this, { autoDestroy: true, ...options });
    }
    Object.setPrototypeOf(Engine.prototype, Transform.prototype);
    Object.setPrototypeOf(Engine, Transform);
    Object.defineProperty(Engine, "name", { value: className });
    const give = (stream, out) => {
      if (out.byteLength > 0) stream.push(Buffer.from(out));
    };
    Object.assign(Engine.prototype, {
      _transform(chunk, encoding, callback) {
        const { squeezer, input } = this._engine;
        this.bytesWritten += chunk.length;
        if (squeezer) give(this, squeezer.write(chunk));
        else input.push(Buffer.from(chunk));
        callback();
      },
      _flush(callback) {
        const { squeezer, input, c } = this._engine;
        try {
          // A decompressor works on the whole of its input.
          if (squeezer) give(this, squeezer.end());
          else if (input.length > 0) give(
            this, native.expand(name, Buffer.concat(input), c.limit, c.partial, c.dictionary));
        } catch (e) {
          callback(failed(e));
          return;
        }
        callback();
      },
      flush(kind, callback) {
        if (typeof kind === "function") callback = kind;
        if (this._engine.squeezer) give(this, this._engine.squeezer.flush());
        if (callback) queueMicrotask(callback);
      },
      params(level, strategy, callback) {
        if (callback) queueMicrotask(callback);
      },
      reset() {
        this._engine.input.length = 0;
      },
      close(callback) {
        if (callback) this.once("close", callback);
        this.destroy();
      },
    });
    api[className] = Engine;
    api[`create${className}`] = (options) => new Engine(options);
  }
  api.crc32 = (data, value = 0) => {
    if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw new codes.ERR_INVALID_ARG_TYPE(
      "data", ["Buffer", "TypedArray", "DataView", "string"], data);
    validateUint32(value, "value");
    return native.crc32(toBytes(data), value);
  };
  for (const [name, v] of Object.entries(constants)) if (
    /^Z_|^DEFLATE|^INFLATE|^GZIP|^GUNZIP|^UNZIP|^BROTLI_(DE|EN)CODE$/.test(name) &&
    api[name] === undefined) Object.defineProperty(api, name, { value: v, enumerable: false });
  module.exports = api;
})

// Between Node's streams and the platform's.
(function (require, module) {
  "use strict";
  const { codes, AbortError } = require("internal/errors");
  const { Buffer } = require("buffer");
  const state = require("internal/streams/state");
  const { finished } = require("internal/streams/finished");
  const { destroyer } = require("internal/streams/destroy");
  const streams = () => require("stream");

  // closed settles when the stream of a reader or writer has ended. It lets finished() wait for that without a lock on
  // the stream.
  const ends = new WeakMap();
  function closed(stream) {
    if (ends.has(stream)) return ends.get(stream);
    const holder = state.isReadableWeb(stream) ? stream.getReader() : stream.getWriter();
    const p = holder.closed;
    holder.releaseLock();
    return p;
  }

  function readableFromWeb(web, options = {}) {
    if (!state.isReadableWeb(web)) throw new codes.ERR_INVALID_ARG_TYPE("readableStream", "ReadableStream", web);
    const reader = web.getReader();
    let over = false;
    const node = new (streams().Readable)({
      objectMode: options.objectMode, highWaterMark: options.highWaterMark, encoding: options.encoding,
        signal: options.signal,
      read() {
        reader.read().then(({ value, done }) => {
          this.push(done ? null : value instanceof Uint8Array && !options.objectMode ?
            Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value);
        }, (err) => destroyer(this, err));
      },
      destroy(err, callback) {
        if (over) return callback(err);
        over = true;
        reader.cancel(err ?? undefined).then(() => callback(err), () => callback(err));
      },
    });
    const end = reader.closed.then(() => {
      over = true;
    }, (err) => {
      over = true;
      destroyer(node, err);
    });
    ends.set(web, end);
    return node;
  }

  function readableToWeb(node, options = {}) {
    if (typeof node?._readableState !== "object") throw new codes.ERR_INVALID_ARG_TYPE(
      "streamReadable", "stream.Readable", node);
    if (state.isDestroyed(node) || !state.isReadable(node)) {
      const dead = new ReadableStream();
      dead.cancel();
      return dead;
    }
    const objectMode = node.readableObjectMode;
    let controller;
    let cancelled = false;
    node.pause();
    const cleanup = finished(node, { writable: false }, (err) => {
      cleanup();
      node.on("error", () => {});
      if (cancelled) return;
      if (err) controller.error(err.code === "ERR_STREAM_PREMATURE_CLOSE" ? new AbortError(undefined, { cause: err }) :
        err);
      else controller.close();
    });
    node.on("data", (chunk) => {
      if (cancelled) return;
      controller.enqueue(chunk instanceof Buffer && !objectMode ? new Uint8Array(chunk) : chunk);
      if (controller.desiredSize <= 0) node.pause();
    });
    node.pause();
    const source = {
      start(c) {
        controller = c;
      },
      pull() {
        node.resume();
      },
      cancel(reason) {
        cancelled = true;
        destroyer(node, reason);
      },
    };
    if (options.type === "bytes" && !objectMode) return new ReadableStream({ ...source, type: "bytes" });
    const strategy = options.strategy ??
      (objectMode ? { highWaterMark: node.readableHighWaterMark } : {
      highWaterMark: node.readableHighWaterMark, size: (c) => c?.byteLength ?? 1 });
    return new ReadableStream(source, strategy);
  }

  function writing(writer) {
    return {
      write(chunk, encoding, callback) {
        writer.ready.then(() => writer.write(chunk)).then(() => callback(), (err) => callback(err));
      },
      final(callback) {
        writer.close().then(() => callback(), (err) => callback(err));
      },
      abort: (err) => writer.abort(err),
    };
  }

  function writableFromWeb(web, options = {}) {
    if (!state.isWritableWeb(web)) throw new codes.ERR_INVALID_ARG_TYPE("writableStream", "WritableStream", web);
    const writer = web.getWriter();
    let over = false;
    const { write, final, abort } = writing(writer);
    const node = new (streams().Writable)({
      objectMode: options.objectMode, highWaterMark: options.highWaterMark, decodeStrings: options.decodeStrings,
        signal: options.signal, write, final,
      destroy(err, callback) {
        if (over || err == null) return callback(err);
        abort(err).then(() => callback(err), () => callback(err));
      },
    });
    ends.set(web, writer.closed.then(() => {
      over = true;
    }, (err) => {
      over = true;
      destroyer(node, err);
    }));
    return node;
  }

  function writableToWeb(node) {
    if (typeof node?._writableState !== "object") throw new codes.ERR_INVALID_ARG_TYPE(
      "streamWritable", "stream.Writable", node);
    if (state.isDestroyed(node) || !state.isWritable(node)) {
      const dead = new WritableStream();
      dead.close();
      return dead;
    }
    let controller;
    let ready;
    let closing;
    const settle = (err) => {
      const r = ready;
      const c = closing;
      ready = closing = undefined;
      if (err) {
        r?.reject(err);
        c?.reject(err);
        if (!c) controller.error(err);
      } else {
        r?.resolve();
        c?.resolve();
      }
    };
    const cleanup = finished(node, { readable: false }, (err) => {
      cleanup();
      node.on("error", () => {});
      if (!err && !closing) err = new AbortError();
      settle(err);
    });
    node.on("drain", () => {
      const r = ready;
      ready = undefined;
      r?.resolve();
    });
    const promise = () => {
      const p = {};
      p.promise = new Promise((resolve, reject) => Object.assign(p, { resolve, reject }));
      return p;
    };
    return new WritableStream({
      start(c) {
        controller = c;
      },
      write(chunk) {
        if (!node.writableObjectMode && (chunk instanceof ArrayBuffer)) chunk = Buffer.from(chunk);
        if (node.writableNeedDrain || !node.write(chunk)) {
          ready = promise();
          return ready.promise;
        }
        return undefined;
      },
      abort(reason) {
        destroyer(node, reason);
      },
      close() {
        closing = promise();
        const { promise: p } = closing;
        node.end();
        return p;
      },
    }, { highWaterMark: node.writableHighWaterMark,
      size: node.writableObjectMode ? () => 1 : (c) => c?.byteLength ?? c?.length ?? 1 });
  }

  function duplexFromWeb(pair, options = {}) {
    if (!state.isReadableWeb(pair?.readable)) throw new codes.ERR_INVALID_ARG_TYPE(
      "pair.readable", "ReadableStream", pair?.readable);
    if (!state.isWritableWeb(pair?.writable)) throw new codes.ERR_INVALID_ARG_TYPE(
      "pair.writable", "WritableStream", pair?.writable);
    const reader = pair.readable.getReader();
    const { write, final, abort } = writing(pair.writable.getWriter());
    return new (streams().Duplex)({
      ...options, write, final,
      read() {
        reader.read().then(({ value, done }) => this.push(done ? null : value), (err) => destroyer(this, err));
      },
      destroy(err, callback) {
        Promise.allSettled([err ? abort(err) : undefined, reader.cancel(err ?? undefined)]).then(() => callback(err));
      },
    });
  }
  const duplexToWeb = (node) => ({ readable: readableToWeb(node), writable: writableToWeb(node) });

  // adapt makes a Node stream of any of the platform's.
  function adapt(web) {
    if (state.isTransformWeb(web)) return duplexFromWeb(web, { objectMode: true });
    if (state.isReadableWeb(web)) return readableFromWeb(web, { objectMode: true });
    return writableFromWeb(web, { objectMode: true });
  }
  module.exports = { readableFromWeb, readableToWeb, writableFromWeb, writableToWeb, duplexFromWeb, duplexToWeb, adapt,
    closed };
})

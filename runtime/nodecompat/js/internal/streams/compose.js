// stream.compose, Duplex.from and duplexPair: other things in the shape of a Duplex.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const Duplex = require("internal/streams/duplex");
  const { destroyer } = require("internal/streams/destroy");
  const { finished } = require("internal/streams/finished");
  const state = require("internal/streams/state");
  const { generate } = require("internal/iteration");

  // join makes a Duplex that writes into one stream and reads from another.
  function join(writable, readable) {
    const d = new Duplex({
      readableObjectMode: !!readable?.readableObjectMode,
      writableObjectMode: !!writable?.writableObjectMode,
      readable: !!readable,
      writable: !!writable,
    });
    let onDrain;
    let onFinish;
    let onReadable;
    let open = 0;
    const closed = (err) => {
      if (err) d.destroy(err);
      else if (--open === 0) d.destroy();
    };
    if (writable) {
      open++;
      finished(writable, { readable: false }, (err) => {
        if (err) destroyer(readable, err);
        const f = onFinish;
        onFinish = undefined;
        if (f) f(err);
        closed(err);
      });
      d._write = (chunk, encoding, callback) => {
        if (writable.write(chunk, encoding)) callback();
        else onDrain = callback;
      };
      d._final = (callback) => {
        writable.end();
        onFinish = callback;
      };
      writable.on("drain", () => {
        const f = onDrain;
        onDrain = undefined;
        f?.();
      });
    }
    if (readable) {
      open++;
      finished(readable, { writable: false }, closed);
      readable.on("readable", () => {
        const f = onReadable;
        onReadable = undefined;
        f?.();
      });
      readable.on("end", () => d.push(null));
      d._read = () => {
        for (;;) {
          const chunk = readable.read();
          if (chunk === null) {
            onReadable = d._read;
            return;
          }
          if (!d.push(chunk)) return;
        }
      };
    }
    d._destroy = (err, callback) => {
      onDrain = onReadable = undefined;
      if (onFinish) {
        const f = onFinish;
        onFinish = undefined;
        if (err) f(err);
      }
      destroyer(writable, err);
      destroyer(readable, err);
      callback(err);
    };
    return d;
  }

  function compose(...streams) {
    if (streams.length === 0) throw new codes.ERR_MISSING_ARGS("streams");
    streams = streams.filter((s, i) => s !== undefined || i === 0);
    if (streams.length === 1) return duplexFrom(streams[0], "streams[0]");
    const original = streams;
    streams = streams.map((s, i) => (typeof s === "function" ? duplexFrom(s, `streams[${i}]`) : state.isNodeStream(s) ||
      state.isWebStream(s) ? s : duplexFrom(s, `streams[${i}]`)));
    streams = streams.map((s) => (state.isWebStream(s) ? require("internal/streams/web").adapt(s) : s));
    streams.forEach((s, i) => {
      if (i < streams.length - 1 && !state.isReadableNode(s)) throw new codes.ERR_INVALID_ARG_VALUE(
        `streams[${i}]`, original[i], "must be readable");
      if (i > 0 && !state.isWritableNode(s)) throw new codes.ERR_INVALID_ARG_VALUE(
        `streams[${i}]`, original[i], "must be writable");
    });
    const head = streams[0];
    const tail = streams[streams.length - 1];
    require("internal/streams/pipeline").pipeline(...streams, (err) => {
      if (err) d.destroy(err);
    });
    const d = join(state.isWritableNode(head) && head.writable !== false ? head : null,
      state.isReadableNode(tail) ? tail : null);
    return d;
  }

  // generated makes a Duplex out of an async function of an iterable.
  function generated(fn, name) {
    let deliver;
    let wanted;
    const input = generate(async (emit) => {
      for (;;) {
        const { chunk, done, callback } = await new Promise((resolve) => {
          deliver = resolve;
          wanted?.();
          wanted = undefined;
        });
        queueMicrotask(callback);
        if (done) return;
        await emit(chunk);
      }
    });
    const send = (item) => {
      if (deliver) {
        const f = deliver;
        deliver = undefined;
        f(item);
      } else wanted = () => send(item);
    };
    const controller = new AbortController();
    const result = fn(input, { signal: controller.signal });
    const write = (chunk, encoding, callback) => send({ chunk, done: false, callback });
    const final = (callback) => send({ done: true, callback });
    if (state.isIterable(result)) {
      return require("internal/streams/from").from(
        Duplex, result, { objectMode: true, write, final, destroy: undefined });
    }
    if (typeof result?.then === "function") {
      let d;
      const settled = result.then((v) => {
        if (v != null) throw new codes.ERR_INVALID_RETURN_VALUE("nully", "body", v);
      }, (err) => destroyer(d, err));
      d = new Duplex({
        objectMode: true, readable: false, write,
        final(callback) {
          final(() => settled.then(() => queueMicrotask(callback), (err) => queueMicrotask(() => callback(err))));
        },
      });
      return d;
    }
    throw new codes.ERR_INVALID_RETURN_VALUE("Iterable, AsyncIterable or AsyncFunction", name, result);
  }

  function duplexFrom(body, name) {
    if (body instanceof Duplex) return body;
    if (state.isNodeStream(body)) {
      if (state.isReadableNode(body) && state.isWritableNode(body)) return join(body, body);
      if (state.isReadableNode(body)) return join(null, body);
      return join(body, null);
    }
    if (state.isWebStream(body)) return require("internal/streams/web").adapt(body);
    if (typeof body === "function") return generated(body, name);
    if (body instanceof Blob) return duplexFrom(body.stream(), name);
    if (state.isIterable(body)) return require("internal/streams/from").from(
      Duplex, body, { objectMode: true, writable: false });
    if (body && typeof body === "object" && (body.writable || body.readable)) {
      const part = (s, side) => (s ? (state.isNodeStream(s) ? s : duplexFrom(s, side)) : null);
      return join(part(body.writable, "writable"), part(body.readable, "readable"));
    }
    if (typeof body?.then === "function") {
      const d = new Duplex({ objectMode: true, writable: false, read() {} });
      body.then((v) => {
        if (v != null) d.push(v);
        d.push(null);
      }, (err) => destroyer(d, err));
      return d;
    }
    throw new codes.ERR_INVALID_ARG_TYPE(
      name, ["Blob", "ReadableStream", "WritableStream", "Stream", "Iterable", "AsyncIterable", "Function",
      "{ readable, writable } pair", "Promise"], body);
  }

  function duplexPair(options) {
    const sides = [];
    const side = (i) => {
      let callback = null;
      const d = new Duplex({
        ...options,
        read() {
          const f = callback;
          callback = null;
          f?.();
        },
        write(chunk, encoding, done) {
          const other = sides[1 - i];
          if (chunk.length === 0) queueMicrotask(done);
          else {
            other.push(chunk);
            other.pending(done);
          }
        },
        final(done) {
          const other = sides[1 - i];
          other.on("end", done);
          other.push(null);
        },
      });
      Object.defineProperty(d, "pending", { value: (f) => { callback = f; } });
      return d;
    };
    sides.push(side(0), side(1));
    return sides;
  }
  module.exports = { compose, duplexFrom, duplexPair };
})

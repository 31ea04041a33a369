// Readable.from.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const { Buffer } = require("buffer");

  function from(Readable, iterable, options) {
    if (typeof iterable === "string" || iterable instanceof Buffer) {
      return new Readable({
        objectMode: true, ...options,
        read() {
          this.push(iterable);
          this.push(null);
        },
      });
    }
    let iterator;
    let isAsync = false;
    if (iterable?.[Symbol.asyncIterator]) {
      isAsync = true;
      iterator = iterable[Symbol.asyncIterator]();
    } else if (iterable?.[Symbol.iterator]) iterator = iterable[Symbol.iterator]();
    else throw new codes.ERR_INVALID_ARG_TYPE("iterable", ["Iterable"], iterable);

    const readable = new Readable({ objectMode: true, highWaterMark: 1, ...options });
    let reading = false;
    readable._read = function () {
      if (!reading) {
        reading = true;
        next();
      }
    };
    readable._destroy = function (error, callback) {
      close(error).then(() => queueMicrotask(() => callback(error)), (e) => queueMicrotask(() => callback(e || error)));
    };
    async function close(error) {
      if (error != null && typeof iterator.throw === "function") {
        const { value, done } = await iterator.throw(error);
        await value;
        if (done) return;
      }
      if (typeof iterator.return === "function") {
        const { value } = await iterator.return();
        await value;
      }
    }
    async function next() {
      for (;;) {
        try {
          const { value, done } = isAsync ? await iterator.next() : iterator.next();
          if (done) readable.push(null);
          else {
            const res = value && typeof value.then === "function" ? await value : value;
            if (res === null) {
              reading = false;
              throw new codes.ERR_STREAM_NULL_VALUES();
            }
            if (readable.push(res)) continue;
            reading = false;
          }
        } catch (err) {
          readable.destroy(err);
        }
        break;
      }
    }
    return readable;
  }
  module.exports = { from };
})

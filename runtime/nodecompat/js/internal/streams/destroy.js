// How streams begin (construct) and end (destroy, error, close).
(function (require, module) {
  "use strict";
  const { aggregate, AbortError } = require("internal/errors");
  const { isRequest, isDestroyed } = require("internal/streams/state");
  const kConstruct = Symbol("kConstruct");
  const kDestroy = Symbol("kDestroy");

  const sides = (stream) => [stream._writableState, stream._readableState].filter(Boolean);

  function note(stream, err) {
    if (!err) return;
    void err.stack;
    for (const s of sides(stream)) s.errored ??= err;
  }

  function destroy(err, callback) {
    const states = sides(this);
    if (states.some((s) => s.destroyed)) {
      if (typeof callback === "function") callback();
      return this;
    }
    note(this, err);
    for (const s of states) s.destroyed = true;
    const main = this._writableState || this._readableState;
    if (!main.constructed) {
      this.once(kDestroy, (constructError) => tearDown(this, aggregate(constructError, err), callback));
    } else tearDown(this, err, callback);
    return this;
  }

  function tearDown(stream, err, callback) {
    let called = false;
    function done(failure) {
      if (called) return;
      called = true;
      note(stream, failure);
      for (const s of sides(stream)) s.closed = true;
      if (typeof callback === "function") callback(failure);
      queueMicrotask(() => {
        if (failure) emitError(stream, failure);
        emitClose(stream);
      });
    }
    try {
      stream._destroy(err || null, done);
    } catch (e) {
      done(e);
    }
  }

  function emitClose(stream) {
    const states = sides(stream);
    for (const s of states) s.closeEmitted = true;
    if (states.some((s) => s.emitClose)) stream.emit("close");
  }

  function emitError(stream, err) {
    const states = sides(stream);
    if (states.some((s) => s.errorEmitted)) return;
    for (const s of states) s.errorEmitted = true;
    stream.emit("error", err);
  }

  // errorOrDestroy ends a stream that destroys itself, and only tells of the error otherwise.
  function errorOrDestroy(stream, err, sync) {
    const states = sides(stream);
    if (states.some((s) => s.destroyed)) return;
    if (states.some((s) => s.autoDestroy)) {
      stream.destroy(err);
      return;
    }
    if (!err) return;
    note(stream, err);
    if (sync) queueMicrotask(() => emitError(stream, err));
    else emitError(stream, err);
  }

  function undestroy() {
    const r = this._readableState;
    const w = this._writableState;
    const fresh = { constructed: true, closed: false, closeEmitted: false, destroyed: false, errored: null,
      errorEmitted: false };
    if (r) Object.assign(r, fresh, { reading: false, ended: r.readable === false, endEmitted: r.readable === false });
    if (w) Object.assign(w, fresh, { ending: w.writable === false, ended: w.writable === false,
      finished: w.writable === false, finalCalled: false, prefinished: false });
  }

  // construct runs _construct once, before anything is read or written; then() is called for each side.
  function construct(stream, then) {
    if (typeof stream._construct !== "function") return;
    for (const s of sides(stream)) s.constructed = false;
    stream.once(kConstruct, then);
    if (stream.listenerCount(kConstruct) > 1) return;
    queueMicrotask(() => {
      let called = false;
      function done(err) {
        if (called) {
          const { codes } = require("internal/errors");
          errorOrDestroy(stream, err ?? new codes.ERR_MULTIPLE_CALLBACK());
          return;
        }
        called = true;
        for (const s of sides(stream)) s.constructed = true;
        if (sides(stream).some((s) => s.destroyed)) stream.emit(kDestroy, err);
        else if (err) errorOrDestroy(stream, err, true);
        else queueMicrotask(() => stream.emit(kConstruct));
      }
      try {
        stream._construct((err) => queueMicrotask(() => done(err)));
      } catch (err) {
        queueMicrotask(() => done(err));
      }
    });
  }

  // destroyer ends anything that may be a stream.
  function destroyer(stream, err) {
    if (!stream || isDestroyed(stream)) return;
    if (!err && !(stream.readableEnded || stream.writableFinished)) err = new AbortError();
    if (isRequest(stream)) stream.abort();
    else if (typeof stream.destroy === "function") stream.destroy(err);
    else if (typeof stream.close === "function") stream.close();
  }

  module.exports = { destroy, undestroy, errorOrDestroy, construct, destroyer };
})

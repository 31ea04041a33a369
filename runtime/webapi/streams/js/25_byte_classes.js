// ReadableByteStreamController and ReadableStreamBYOBRequest (https://streams.spec.whatwg.org/#rbs-controller-class).

let byteControlOf;

class ReadableByteStreamController {
  #c;

  static {
    byteControlOf = (v) => {
      if (!isObject(v) || !(#c in v)) throw illegalInvocation();
      return v.#c;
    };
  }

  constructor(key, control) {
    if (key !== secret) throw illegalConstructor();
    this.#c = control;
    control.object = this;
  }

  get byobRequest() {
    const r = byteControlOf(this).byobRequest();
    return r === null ? null : r.object ?? new ReadableStreamBYOBRequest(secret, r);
  }

  get desiredSize() {
    return byteControlOf(this).desiredSize;
  }

  close() {
    const c = byteControlOf(this);
    if (!c.isOpen()) throw new TypeError('This ReadableStream is closed.');
    c.finish();
  }

  enqueue(chunk) {
    const c = byteControlOf(this);
    let view = chunk;
    if (isArrayBuffer(chunk)) {
      view = new Bytes(chunk);
    } else if (!isView(chunk)) {
      throw calling('ReadableByteStreamController', 'enqueue', 1, 'ArrayBuffer or ArrayBufferView');
    }
    if (!isArrayBuffer(viewBuffer(view))) throw new TypeError('The provided ArrayBuffer must be detachable.');
    if (viewLength(view) === 0) throw new TypeError('Cannot enqueue a zero-length ArrayBuffer.');
    if (!c.isOpen()) throw new TypeError('This ReadableByteStreamController is closed.');
    c.enqueue(view);
  }

  error(reason) {
    byteControlOf(this).fail(reason);
  }
}

let requestOf;

class ReadableStreamBYOBRequest {
  #r;

  static {
    requestOf = (v) => {
      if (!isObject(v) || !(#r in v)) throw illegalInvocation();
      return v.#r;
    };
  }

  constructor(key, request) {
    if (key !== secret) throw illegalConstructor();
    this.#r = request;
    request.object = this;
  }

  get atLeast() {
    const r = requestOf(this);
    return r.control === null ? null : r.atLeast;
  }

  get view() {
    return requestOf(this).view;
  }

  respond(bytesWritten) {
    const r = requestOf(this);
    if (r.control === null) throw new TypeError('This ReadableStreamBYOBRequest has been invalidated.');
    if (isDetached(viewBuffer(r.view))) throw new TypeError('Cannot respond with a zero-length or detached view');
    const n = +bytesWritten;
    if (numberIsNaN(n) || n < 0 || n > MAX_SAFE_INTEGER) {
      throw new TypeError('The bytesWritten must be a non-negative integer.');
    }
    r.control.respond(integer(n));
  }

  respondWithNewView(view) {
    const r = requestOf(this);
    if (isArrayBuffer(view)) view = new Bytes(view);
    if (!isView(view)) {
      throw calling('ReadableStreamBYOBRequest', 'respondWithNewView', 1, 'ArrayBuffer or ArrayBufferView');
    }
    if (r.control === null) throw new TypeError('This ReadableStreamBYOBRequest has been invalidated.');
    const buffer = viewBuffer(view);
    if (!isArrayBuffer(buffer)) throw new TypeError('Unable to use non-detachable ArrayBuffer.');
    if (isDetached(buffer)) throw new TypeError('The underlying ArrayBuffer has been detached.');
    r.control.respondWithNewView(view);
  }
}

publish(ReadableByteStreamController);
publish(ReadableStreamBYOBRequest);

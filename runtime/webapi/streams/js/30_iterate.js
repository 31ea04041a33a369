// Async iteration and ReadableStream.from (https://streams.spec.whatwg.org/#rs-asynciterator).

const asyncIteratorProto = native.asyncIteratorPrototype;
const iterators = new WeakMap();
const weakGet = uncurry(WeakMap.prototype.get);
const weakSet = uncurry(WeakMap.prototype.set);

class Iteration {
  constructor(reader, preventCancel) {
    this.reader = reader;
    this.preventCancel = preventCancel;
    this.ongoing = null;
    this.finished = false;
  }

  // chain runs step after whatever was asked for before, as Web IDL wants.
  chain(step) {
    const p = this.ongoing === null ? step() : promiseThen(this.ongoing, step, step);
    this.ongoing = p;
    return p;
  }

  next() {
    if (this.finished) return resolved({ value: undefined, done: true });
    const { reader } = this;
    const promise = pending();
    reader.read({
      chunk: (value) => {
        this.ongoing = null;
        giveResult(promise, value, false);
      },
      close: () => {
        this.ongoing = null;
        this.finished = true;
        if (reader.stream !== null) reader.release();
        giveResult(promise, undefined, true);
      },
      error: (e) => {
        this.ongoing = null;
        this.finished = true;
        if (reader.stream !== null) reader.release();
        rejectWith(promise, e);
      },
    });
    return promise;
  }

  return(value) {
    if (this.finished) return resolved({ value, done: true });
    this.finished = true;
    const { reader } = this;
    let cancelled;
    if (!this.preventCancel) cancelled = reader.cancel(value);
    reader.release();
    const result = { value, done: true };
    return cancelled === undefined ? resolved(result) : promiseThen(cancelled, () => result);
  }
}

function iterationOf(v) {
  const it = isObject(v) ? weakGet(iterators, v) : undefined;
  if (it === undefined) throw illegalInvocation();
  return it;
}

const ReadableStreamAsyncIterator = setPrototypeOf({
  next() {
    let it;
    try {
      it = iterationOf(this);
    } catch (e) {
      return rejected(e);
    }
    return it.chain(() => it.next());
  },
  return(value) {
    let it;
    try {
      it = iterationOf(this);
    } catch (e) {
      return rejected(e);
    }
    return it.chain(() => it.return(value));
  },
}, asyncIteratorProto);
defineProperty(ReadableStreamAsyncIterator, toStringTag, { value: 'ReadableStreamAsyncIterator', configurable: true });

function iterate(s, preventCancel) {
  const it = new Iteration(acquireReader(s), preventCancel);
  const object = create(ReadableStreamAsyncIterator);
  weakSet(iterators, object, it);
  return object;
}

// iteratorFrom is GetIterator(obj, async): next() answers with a promise or a value, whose value is awaited when the
// iterator is a synchronous one.
function iteratorFrom(iterable) {
  if (iterable === undefined || iterable === null) {
    throw calling('ReadableStream', 'from', 1, 'AsyncGenerator');
  }
  let method = iterable[asyncIteratorKey];
  const sync = method === undefined || method === null;
  if (sync) method = iterable[iteratorKey];
  if (typeof method !== 'function') {
    throw calling('ReadableStream', 'from', 1, 'AsyncGenerator');
  }
  const iterator = apply(method, iterable, []);
  if (!isObject(iterator)) throw new TypeError('The iterator method must return an object.');
  return { iterator, sync, next: iterator.next };
}

function readableFrom(iterable) {
  const { iterator, sync, next } = iteratorFrom(iterable);
  let s;
  const pull = () => promiseThen(promising(next, iterator, []), (result) => {
    if (!isObject(result)) throw new TypeError('The result of the iterator\'s next() must be an object.');
    if (result.done) {
      s.control.close();
      return undefined;
    }
    const { value } = result;
    if (sync) return promiseThen(resolved(value), (v) => s.control.enqueue(v));
    s.control.enqueue(value);
    return undefined;
  });
  const cancel = (reason) => {
    let fn;
    try {
      fn = iterator.return;
      if (fn === undefined || fn === null) return resolved(undefined);
      if (typeof fn !== 'function') throw new TypeError('The iterator\'s return is not a function.');
    } catch (e) {
      return rejected(e);
    }
    return promiseThen(promising(fn, iterator, [reason]), (result) => {
      if (!isObject(result)) throw new TypeError('The result of the iterator\'s return() must be an object.');
    });
  };
  s = newReadable({ pull, cancel, highWaterMark: 0 });
  s.control.begin();
  return s;
}

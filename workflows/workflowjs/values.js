// Errors and values as they cross from a step to run and into what an instance keeps (FLOW-18, FLOW-74, FLOW-100).
(function (all) {
  'use strict';

  const nonRetryable = 'NonRetryableError';
  const domNames = new Set(['DataCloneError', 'AbortError', 'TimeoutError', 'NotSupportedError', 'InvalidStateError',
    'OperationError', 'DataError', 'InvalidAccessError', 'QuotaExceededError', 'NetworkError']);
  const natives = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const originals = new WeakMap();

  // make is an error as it arrives through RPC: a name that JavaScript does not have goes into the message (FLOW-18).
  const make = (name, message) => {
    const e = Object.hasOwn(natives, name) ? new natives[name](message)
      : name === 'AggregateError' ? new AggregateError([], message)
      : domNames.has(name) ? new DOMException(message, name)
      : new Error(name === '' ? message : `${name}: ${message}`);
    if (name === 'AggregateError') delete e.errors;
    e.remote = true;
    return e;
  };

  const own = (name, message) => Object.assign(new Error(message), { name });

  // cross is what was thrown, as it arrives on the other side.
  function cross(e) {
    if (e instanceof Error && e.remote === true) return e;
    let made;
    if (e instanceof Error) made = make(String(e.name), String(e.message));
    else if (Array.isArray(e)) made = make('Error', '[object Array]');
    else if (e !== null && typeof e === 'object') made = make('Error', `#<${e.constructor?.name ?? 'Object'}>`);
    else made = make('Error', String(e));
    originals.set(made, e);
    return made;
  }

  // show is a value as JSON, as logs and statuses show it; '' is undefined.
  function show(value) {
    try {
      return JSON.stringify(value, (_, v) => {
        if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return `[${v.constructor.name}(${v.byteLength} bytes)]`;
        if (v instanceof ArrayBuffer) return `[ArrayBuffer(${v.byteLength} bytes)]`;
        return typeof v === 'bigint' ? `[BigInt(${v})]` : v;
      }) ?? '';
    } catch (e) {
      return JSON.stringify(`[${e.message}]`);
    }
  }

  // showResult is show of what run gives; what JSON cannot say ends the instance (FLOW-74).
  function showResult(value) {
    JSON.stringify(value, (_, v) => (typeof v === 'bigint' || ArrayBuffer.isView(v) ? 0 : v));
    return show(value);
  }

  const redacted = '"[REDACTED]"';

  // describe is an error as an instance keeps it.
  const describe = (e) => {
    const { name, message } = e instanceof Error && String(e.name).startsWith('Workflow') ? e : cross(e);
    return { name: String(name), message: String(message) };
  };

  const fatal = (message) => own('WorkflowFatalError', message);

  const isNonRetryable = (e) =>
    e?.name === nonRetryable || (typeof e?.message === 'string' && e.message.startsWith(nonRetryable));

  Object.assign(all, {
    nonRetryable, originals, make, own, cross, show, showResult, redacted, describe, fatal, isNonRetryable,
  });
})

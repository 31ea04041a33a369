// Errors with codes, as Node words them.
(function (require, module, exports, host) {
  "use strict";
  const show = (v, o) => host.inspect(v, o);
  const codes = {};

  // decorate gives an error its code; its String() has the code in brackets.
  function decorate(error, code) {
    error.code = code;
    Object.defineProperty(error, "toString", {
      value() {
        return `${this.name} [${code}]: ${this.message}`;
      },
      enumerable: false, writable: true, configurable: true,
    });
    return error;
  }

  // define makes codes[code], a constructor whose arguments text() turns into the message.
  function define(code, Base, text) {
    codes[code] = function NodeError(...args) {
      const e = decorate(new Base(typeof text === "function" ? text(...args) : text), code);
      if (typeof Error.captureStackTrace === "function") Error.captureStackTrace(e, codes[code]);
      return e;
    };
  }

  // received describes a value for "Received …".
  function received(v) {
    if (v == null) return ` Received ${v}`;
    if (typeof v === "function") return ` Received function ${v.name}`;
    if (typeof v === "object") {
      const name = v.constructor?.name;
      return name ? ` Received an instance of ${name}` : ` Received ${show(v, { depth: -1 })}`;
    }
    let text = show(v, { colors: false });
    if (text.length > 28) text = `${text.slice(0, 25)}...`;
    return ` Received type ${typeof v} (${text})`;
  }

  const list = (items, join = "or") => {
    if (items.length < 3) return items.join(` ${join} `);
    return `${items.slice(0, -1).join(", ")}, ${join} ${items[items.length - 1]}`;
  };
  const primitives = new Set(["string", "function", "number", "object", "Function", "Object", "boolean", "bigint",
    "symbol"]);

  // expectation is "of type string or an instance of Buffer".
  function expectation(expected) {
    const types = [];
    const instances = [];
    const others = [];
    for (const e of Array.isArray(expected) ? expected : [expected]) {
      if (primitives.has(e)) types.push(e.toLowerCase());
      else if (/^([A-Z][a-z0-9]*)+$/.test(e)) instances.push(e);
      else others.push(e);
    }
    if (instances.length > 0 && types.includes("object")) {
      types.splice(types.indexOf("object"), 1);
      instances.push("Object");
    }
    const parts = [];
    if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${list(types)}`);
    if (instances.length > 0) parts.push(`an instance of ${list(instances)}`);
    if (others.length > 0) parts.push(others.length > 1 ? `one of ${list(others)}` :
      (others[0].toLowerCase() !== others[0] ? "an " : "") + others[0]);
    return parts.join(" or ");
  }

  const subject = (name) => (name.endsWith(" argument") ? `The ${name}` :
    `The "${name}" ${name.includes(".") ? "property" : "argument"}`);

  // grouped writes 1000000 as 1_000_000.
  const grouped = (s) => s.replace(/(\d)(?=(\d{3})+$)/g, "$1_");

  define("ERR_INVALID_ARG_TYPE", TypeError,
    (name, expected, actual) => `${subject(name)} must be ${expectation(expected)}.${received(actual)}`);
  define("ERR_INVALID_ARG_VALUE", TypeError, (name, value, reason = "is invalid") => {
    let text = show(value);
    if (text.length > 128) text = `${text.slice(0, 128)}...`;
    return `The ${name.includes(".") ? "property" : "argument"} '${name}' ${reason}. Received ${text}`;
  });
  define("ERR_OUT_OF_RANGE", RangeError, (name, range, value) => {
    let text;
    if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) text = grouped(String(value));
    else if (typeof value === "bigint") {
      text = String(value);
      if (value > 2n ** 32n || value < -(2n ** 32n)) text = grouped(text);
      text += "n";
    } else text = show(value);
    return `The value of "${name}" is out of range. It must be ${range}. Received ${text}`;
  });
  define("ERR_MISSING_ARGS", TypeError, (...names) => {
    const quoted = names.map((n) => (Array.isArray(n) ? n.map((x) => `"${x}"`).join(" or ") : `"${n}"`));
    return `The ${list(quoted, "and")} argument${names.length > 1 ? "s" : ""} must be specified`;
  });
  define("ERR_BUFFER_OUT_OF_BOUNDS", RangeError,
    (name) => (name ? `"${name}" is outside of buffer bounds` : "Attempt to access memory outside buffer bounds"));
  define("ERR_INVALID_BUFFER_SIZE", RangeError, (size) => `Buffer size must be a multiple of ${size}`);
  define("ERR_UNKNOWN_ENCODING", TypeError, (e) => `Unknown encoding: ${e}`);
  define("ERR_INVALID_RETURN_VALUE", TypeError,
    (input, name, value) =>
    `Expected ${input} to be returned from the "${name}" function but got ${value?.constructor?.name ?
    `an instance of ${value.constructor.name}` : `type ${typeof value}`}.`);
  define("ERR_METHOD_NOT_IMPLEMENTED", Error, (name) => `The ${name} method is not implemented`);
  define("ERR_OPTION_NOT_IMPLEMENTED", Error, (name) => `The ${name} option is not implemented`);
  define("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", TypeError,
    (name) => `The feature ${name} is unavailable on the current platform, which is being used to run Node.js`);
  define("ERR_UNHANDLED_ERROR", Error, (err) => `Unhandled error.${err === undefined ? "" : ` (${err})`}`);
  define("ERR_INVALID_THIS", TypeError, (type) => `Value of "this" must be of type ${type}`);
  define("ERR_ILLEGAL_CONSTRUCTOR", TypeError, "Illegal constructor");
  define("ERR_EVENT_RECURSION", Error, (type) => `The event "${type}" is already being dispatched`);
  define("ERR_INVALID_URI", URIError, "URI malformed");
  define("ERR_INVALID_URL", TypeError, "Invalid URL");
  define("ERR_INVALID_URL_SCHEME", TypeError, (expected) => `The URL must be of scheme ${expected}`);
  define("ERR_INVALID_FILE_URL_HOST", TypeError,
    (platform) => `File URL host must be "localhost" or empty on ${platform}`);
  define("ERR_INVALID_FILE_URL_PATH", TypeError, (why) => `File URL path ${why}`);
  define("ERR_INVALID_CHAR", TypeError, (name, field) => `Invalid character in ${name}${field ? ` ["${field}"]` : ""}`);
  define("ERR_INVALID_MIME_SYNTAX", TypeError,
    (part, str, index) => `The MIME syntax for a ${part} in "${str}" is invalid${index === -1 ? "" : ` at ${index}`}`);
  define("ERR_FALSY_VALUE_REJECTION", Error, "Promise was rejected with falsy value");
  define("ERR_OPERATION_FAILED", Error, (text) => `Operation failed: ${text}`);
  define("ERR_AMBIGUOUS_ARGUMENT", TypeError, (name, why) => `The "${name}" argument is ambiguous. ${why}`);
  define("ERR_ASYNC_CALLBACK", TypeError, (name) => `${name} must be a function`);
  define("ERR_ASYNC_TYPE", TypeError, (type) => `Invalid name for async "type": ${type}`);
  define("ERR_INVALID_ASYNC_ID", RangeError, (name, v) => `Invalid ${name} value: ${v}`);
  define("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", TypeError, (text) => text);
  define("ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", TypeError,
    (p) => `Unexpected argument '${p}'. This command does not take positional arguments`);
  define("ERR_PARSE_ARGS_UNKNOWN_OPTION", TypeError,
    (option, positionals) => `Unknown option '${option}'` + (positionals ?
      ". To specify a positional argument starting with a '-', place it at the end of the command after '--', " +
      `as in '-- ${JSON.stringify(option)}` : ""));
  define("ERR_STREAM_DESTROYED", Error, (name) => `Cannot call ${name} after a stream was destroyed`);
  define("ERR_STREAM_ALREADY_FINISHED", Error, (name) => `Cannot call ${name} after a stream was finished`);
  define("ERR_STREAM_CANNOT_PIPE", Error, "Cannot pipe, not readable");
  define("ERR_STREAM_NULL_VALUES", TypeError, "May not write null values to stream");
  define("ERR_STREAM_PREMATURE_CLOSE", Error, "Premature close");
  define("ERR_STREAM_PUSH_AFTER_EOF", Error, "stream.push() after EOF");
  define("ERR_STREAM_UNSHIFT_AFTER_END_EVENT", Error, "stream.unshift() after end event");
  define("ERR_STREAM_WRITE_AFTER_END", Error, "write after end");
  define("ERR_STREAM_UNABLE_TO_PIPE", Error, "Cannot pipe to a closed or destroyed stream");
  define("ERR_MULTIPLE_CALLBACK", Error, "Callback called multiple times");
  define("ERR_INVALID_STATE", Error, (text) => `Invalid state: ${text}`);
  define("ERR_CRYPTO_HASH_FINALIZED", Error, "Digest already called");
  define("ERR_CRYPTO_HASH_UPDATE_FAILED", Error, "Hash update failed");
  define("ERR_CRYPTO_INVALID_DIGEST", TypeError, (name) => `Invalid digest: ${name}`);
  define("ERR_CRYPTO_INVALID_STATE", Error, (what) => `Invalid state for operation ${what}`);
  define("ERR_CRYPTO_INVALID_KEYLEN", RangeError, "Invalid key length");
  define("ERR_CRYPTO_INVALID_IV", TypeError, "Invalid initialization vector");
  define("ERR_CRYPTO_INVALID_AUTH_TAG", TypeError, (text) => text);
  define("ERR_CRYPTO_UNKNOWN_CIPHER", Error, "Unknown cipher");
  define("ERR_CRYPTO_UNKNOWN_DH_GROUP", Error, "Unknown DH group");
  define("ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", TypeError,
    (actual, expected) => `Invalid key object type ${actual}, expected ${expected}.`);
  define("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", RangeError, (text) => `Invalid scrypt params${text ? `: ${text}` : ""}`);
  define("ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS", Error, (type, why) => `The selected key encoding ${type} ${why}.`);
  define("ERR_CRYPTO_INVALID_CURVE", TypeError, "Invalid EC curve name");
  define("ERR_CRYPTO_SIGN_KEY_REQUIRED", Error, "No key provided to sign");
  define("ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", RangeError, "Input buffers must have the same byte length");
  define("ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY", Error, "Public key is not valid for specified curve");
  define("ERR_CRYPTO_ECDH_INVALID_FORMAT", TypeError, (f) => `Invalid ECDH format: ${f}`);
  define("ERR_BUFFER_TOO_LARGE", RangeError, (n) => `Cannot create a Buffer larger than ${n} bytes`);
  define("ERR_BROTLI_INVALID_PARAM", RangeError, (p) => `${p} is not a valid Brotli parameter`);
  define("ERR_EPERM", Error, (what) => `Operation not permitted: ${what}`);
  define("ERR_HTTP_HEADERS_SENT", Error, (what) => `Cannot ${what} headers after they are sent to the client`);
  define("ERR_HTTP_INVALID_STATUS_CODE", RangeError, (code) => `Invalid status code: ${code}`);
  define("ERR_SOCKET_CLOSED", Error, () => "Socket is closed");
  define("ERR_SERVER_ALREADY_LISTEN", Error, () => "Listen method has been called more than once without closing.");
  define("ERR_HTTP_INVALID_HEADER_VALUE", TypeError, (v, name) => `Invalid value "${v}" for header "${name}"`);
  define("ERR_INVALID_HTTP_TOKEN", TypeError, (name, field) => `${name} must be a valid HTTP token ["${field}"]`);
  define("ERR_INVALID_PROTOCOL", TypeError, (p, expected) => `Protocol "${p}" not supported. Expected "${expected}"`);
  define("ERR_UNESCAPED_CHARACTERS", TypeError, (name) => `${name} contains unescaped characters`);
  define("ERR_SOCKET_BAD_PORT", RangeError,
    (name, port, zero = true) => `${name} should be ${zero ? ">=" : ">"} 0 and < 65536.${received(port)}`);
  define("ERR_DIR_CLOSED", Error, "Directory handle was closed");

  class AbortError extends Error {
    constructor(message = "The operation was aborted", options = undefined) {
      super(message, options);
      this.code = "ABORT_ERR";
      this.name = "AbortError";
    }
  }

  // aggregate joins a second error to a first.
  function aggregate(first, second) {
    if (!first || !second || first === second) return first ?? second;
    if (Array.isArray(second.errors)) {
      second.errors.push(first);
      return second;
    }
    return Object.assign(new AggregateError([second, first], second.message), { code: second.code });
  }

  // unimplemented makes a function that says loudly that the platform lacks it.
  const unimplemented = (name) => Object.defineProperty(function () {
    throw new codes.ERR_METHOD_NOT_IMPLEMENTED(name);
  }, "name", { value: name.slice(name.lastIndexOf(".") + 1) });

  module.exports = { codes, decorate, received, AbortError, aggregate, unimplemented, hideStackFrames: (f) => f };
})

// Argument checks with Node's errors.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const typeCheck = (type) => (value, name) => {
    if (typeof value !== type) throw new codes.ERR_INVALID_ARG_TYPE(name, type, value);
  };

  function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== "number") throw new codes.ERR_INVALID_ARG_TYPE(name, "number", value);
    if (!Number.isInteger(value)) throw new codes.ERR_OUT_OF_RANGE(name, "an integer", value);
    if (value < min || value > max) throw new codes.ERR_OUT_OF_RANGE(name, `>= ${min} && <= ${max}`, value);
  }

  module.exports = {
    validateString: typeCheck("string"),
    validateFunction(value, name) {
      if (typeof value !== "function") throw new codes.ERR_INVALID_ARG_TYPE(name, "Function", value);
    },
    validateBoolean: typeCheck("boolean"),
    validateNumber(value, name, min, max) {
      if (typeof value !== "number") throw new codes.ERR_INVALID_ARG_TYPE(name, "number", value);
      if ((min !== undefined && value < min) || (max !== undefined && value > max) ||
        ((min !== undefined || max !== undefined) && Number.isNaN(value))) {
        const range = [min !== undefined ? `>= ${min}` : "", max !== undefined ? `<= ${max}` : ""].filter(Boolean).join(
          " && ");
        throw new codes.ERR_OUT_OF_RANGE(name, range, value);
      }
    },
    validateInteger,
    validateInt32: (value, name, min = -(2 ** 31), max = 2 ** 31 - 1) => validateInteger(value, name, min, max),
    validateUint32: (value, name, positive = false) => validateInteger(value, name, positive ? 1 : 0, 2 ** 32 - 1),
    validateObject(value, name, { allowArray = false, allowFunction = false, nullable = false } = {}) {
      if ((value === null && !nullable) || (!allowArray && Array.isArray(value)) ||
        (typeof value !== "object" && (!allowFunction || typeof value !== "function"))) {
        throw new codes.ERR_INVALID_ARG_TYPE(name, "Object", value);
      }
    },
    validateArray(value, name, min = 0) {
      if (!Array.isArray(value)) throw new codes.ERR_INVALID_ARG_TYPE(name, "Array", value);
      if (value.length < min) throw new codes.ERR_INVALID_ARG_VALUE(name, value, `must be longer than ${min}`);
    },
    validateStringArray(value, name) {
      if (!Array.isArray(value)) throw new codes.ERR_INVALID_ARG_TYPE(name, "Array", value);
      value.forEach((v, i) => {
        if (typeof v !== "string") throw new codes.ERR_INVALID_ARG_TYPE(`${name}[${i}]`, "string", v);
      });
    },
    validateOneOf(value, name, allowed) {
      if (!allowed.includes(value)) {
        throw new codes.ERR_INVALID_ARG_VALUE(
          name, value, `must be one of: ${allowed.map((v) => (typeof v === "string" ? `'${v}'` : String(v))).join(
          ", ")}`);
      }
    },
    validateAbortSignal(signal, name) {
      if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
        throw new codes.ERR_INVALID_ARG_TYPE(name, "AbortSignal", signal);
      }
    },
    validateBuffer(value, name = "buffer") {
      if (!ArrayBuffer.isView(value)) throw new codes.ERR_INVALID_ARG_TYPE(
        name, ["Buffer", "TypedArray", "DataView"], value);
    },
    validatePort(port, name = "Port", zero = true) {
      if ((typeof port !== "number" && typeof port !== "string") || (typeof port === "string" && port.trim() === "") ||
        +port !== +port >>> 0 || +port > 0xffff || (+port === 0 && !zero)) {
        throw new codes.ERR_SOCKET_BAD_PORT(name, port, zero);
      }
      return port | 0;
    },
  };
})

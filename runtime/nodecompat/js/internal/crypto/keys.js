// KeyObject and how keys come in and go out.
(function (require, module, exports, host) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateObject, validateString, validateFunction, validateUint32, validateOneOf } =
    require("internal/validators");
  const { bytes, isAny } = require("internal/crypto/bytes");
  const native = host.crypto;
  const inner = new WeakMap();
  const handle = (k) => inner.get(k);

  class KeyObject {
    constructor(type, raw) {
      if (!["secret", "public", "private"].includes(type)) throw new codes.ERR_INVALID_ARG_VALUE("type", type);
      if (typeof raw !== "object" || raw === null) throw new codes.ERR_INVALID_ARG_TYPE("handle", "object", raw);
      inner.set(this, raw);
      Object.defineProperty(this, "type", { value: type, enumerable: true });
    }
    static from(key) {
      if (!(key instanceof CryptoKey)) throw new codes.ERR_INVALID_ARG_TYPE("key", "CryptoKey", key);
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto.KeyObject.from");
    }
    equals(other) {
      if (!(other instanceof KeyObject)) throw new codes.ERR_INVALID_ARG_TYPE("otherKeyObject", "KeyObject", other);
      return this.type === other.type && native.keyEquals(handle(this), handle(other));
    }
    toCryptoKey() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto.KeyObject.prototype.toCryptoKey");
    }
    get [Symbol.toStringTag]() {
      return "KeyObject";
    }
  }
  class SecretKeyObject extends KeyObject {
    constructor(raw) {
      super("secret", raw);
    }
    get symmetricKeySize() {
      return native.secret(handle(this)).byteLength;
    }
    export(options) {
      if (options?.format === "jwk") return JSON.parse(native.exportJWK(handle(this), false));
      return Buffer.from(native.secret(handle(this)));
    }
  }
  class AsymmetricKeyObject extends KeyObject {
    get asymmetricKeyType() {
      return native.keyAlgorithm(handle(this));
    }
    get asymmetricKeyDetails() {
      const d = native.keyDetails(handle(this));
      if (d.publicExponent !== undefined) d.publicExponent = BigInt(d.publicExponent);
      return d;
    }
    export(options) {
      validateObject(options, "options");
      const isPublic = this.type === "public";
      if (options.format === "jwk") return JSON.parse(native.exportJWK(handle(this), isPublic));
      validateOneOf(options.format, "options.format", ["pem", "der"]);
      const types = isPublic ? ["pkcs1", "spki"] : ["pkcs1", "pkcs8", "sec1"];
      validateOneOf(options.type, "options.type", types);
      if (options.cipher != null) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.cipher");
      const out = native.exportKey(handle(this), options.format, options.type, isPublic);
      return options.format === "pem" ? out : Buffer.from(out);
    }
  }
  class PublicKeyObject extends AsymmetricKeyObject {
    constructor(raw) {
      super("public", raw);
    }
  }
  class PrivateKeyObject extends AsymmetricKeyObject {
    constructor(raw) {
      super("private", raw);
    }
  }

  const wrap = (raw) => {
    const type = native.keyType(raw);
    return type === "secret" ? new SecretKeyObject(raw) : type === "public" ? new PublicKeyObject(raw) :
      new PrivateKeyObject(raw);
  };

  // read takes what any function accepts as a key: a KeyObject, PEM, DER, a JWK or an object that holds one of these.
  function read(key, wantPrivate) {
    if (key instanceof KeyObject) {
      if (wantPrivate && key.type !== "private") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(
        key.type, "private");
      if (key.type === "secret") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(
        "secret", wantPrivate ? "private" : "private or public");
      return handle(key);
    }
    if (key instanceof CryptoKey) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto with a CryptoKey");
    if (typeof key === "string" || isAny(key)) return native.parseKey(bytes(key, "key"), "pem", "", wantPrivate);
    if (typeof key !== "object" || key === null) throw new codes.ERR_INVALID_ARG_TYPE(
      "key", ["ArrayBuffer", "Buffer", "TypedArray", "DataView", "string", "KeyObject", "CryptoKey"], key);
    const { key: data, format = "pem", passphrase = "", encoding } = key;
    if (data instanceof KeyObject || data instanceof CryptoKey) return read(data, wantPrivate);
    if (format === "jwk") {
      validateObject(data, "key.key");
      return native.jwkKey(JSON.stringify(data), wantPrivate);
    }
    validateOneOf(format, "key.format", ["pem", "der"]);
    return native.parseKey(bytes(data, "key.key", encoding), format,
      isAny(passphrase) ? Buffer.from(passphrase).toString() : `${passphrase}`, wantPrivate);
  }

  function secretBytes(key, encoding) {
    if (key instanceof KeyObject) {
      if (key.type !== "secret") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, "secret");
      return native.secret(handle(key));
    }
    if (key instanceof CryptoKey) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto with a CryptoKey");
    if (typeof key !== "string" && !isAny(key)) throw new codes.ERR_INVALID_ARG_TYPE(
      "key", ["ArrayBuffer", "Buffer", "TypedArray", "DataView", "string", "KeyObject", "CryptoKey"], key);
    return bytes(key, "key", encoding);
  }

  function toPublic(raw) {
    return native.keyType(raw) === "private" ? native.publicOf(raw) : raw;
  }
  function createPrivateKey(key) {
    if (key instanceof KeyObject) throw new codes.ERR_INVALID_ARG_TYPE(
      "key", ["ArrayBuffer", "Buffer", "TypedArray", "DataView", "string", "Object"], key);
    return wrap(read(key, true));
  }

  const kinds = ["rsa", "rsa-pss", "ec", "ed25519", "x25519"];
  function generated(raw, options = {}) {
    const pair = { publicKey: new PublicKeyObject(native.publicOf(raw)), privateKey: new PrivateKeyObject(raw) };
    if (options.publicKeyEncoding) pair.publicKey = pair.publicKey.export(options.publicKeyEncoding);
    if (options.privateKeyEncoding) pair.privateKey = pair.privateKey.export(options.privateKeyEncoding);
    return pair;
  }
  function pairArgs(type, options) {
    validateString(type, "type");
    if (!kinds.includes(type)) {
      if (["dsa", "dh", "ed448", "x448"].includes(type)) throw new codes.ERR_METHOD_NOT_IMPLEMENTED(
        `crypto.generateKeyPair('${type}')`);
      throw new codes.ERR_INVALID_ARG_VALUE("type", type, "must be a supported key type");
    }
    if (options !== undefined) validateObject(options, "options");
    if (type.startsWith("rsa")) {
      validateObject(options, "options");
      validateUint32(options.modulusLength, "options.modulusLength");
    }
    if (type === "ec") {
      validateObject(options, "options");
      validateString(options.namedCurve, "options.namedCurve");
    }
    return [type, options?.modulusLength, options?.namedCurve];
  }

  function secretOf(type, options) {
    validateOneOf(type, "type", ["hmac", "aes"]);
    validateObject(options, "options");
    if (type === "aes") validateOneOf(options.length, "options.length", [128, 192, 256]);
    else require("internal/validators").validateInteger(options.length, "options.length", 8, 2 ** 31 - 1);
    return wrap(native.secretKey(require("internal/crypto/random").randomBytes(options.length >> 3)));
  }

  module.exports = {
    KeyObject, SecretKeyObject, PublicKeyObject, PrivateKeyObject, read, secretBytes, handle, wrap, toPublic,
      createPrivateKey,
    createSecretKey: (key, encoding) => wrap(native.secretKey(bytes(key, "key", encoding))),
    createPublicKey(key) {
      if (key instanceof KeyObject && key.type !== "private") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(
        key.type, "private");
      return new PublicKeyObject(toPublic(read(key, false)));
    },
    generateKeySync: secretOf,
    generateKey(type, options, callback) {
      validateFunction(callback, "callback");
      const k = secretOf(type, options);
      queueMicrotask(() => callback(null, k));
    },
    generateKeyPairSync: (type, options) => generated(native.generateKey(...pairArgs(type, options)), options),
    generateKeyPair: Object.assign((type, options, callback) => {
      if (typeof options === "function") [callback, options] = [options, undefined];
      validateFunction(callback, "callback");
      const args = pairArgs(type, options);
      native.generateKey(...args, (err, raw) => {
        if (err) return callback(err);
        const pair = generated(raw, options);
        return callback(null, pair.publicKey, pair.privateKey);
      });
    }, { [Symbol.for("eddy.promisify.args")]: ["publicKey", "privateKey"] }),
  };
})

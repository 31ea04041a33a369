// Ciphers and RSA encryption.
(function (require, module, exports, host) {
  "use strict";
  const { Transform } = require("stream");
  const { Buffer } = require("buffer");
  const { StringDecoder } = require("string_decoder");
  const { codes } = require("internal/errors");
  const { validateString, validateObject } = require("internal/validators");
  const { bytes, output } = require("internal/crypto/bytes");
  const { secretBytes, read, toPublic } = require("internal/crypto/keys");
  const native = host.crypto;

  function define(encrypt) {
    function Cipher(algorithm, key, iv, options) {
      if (!(this instanceof Cipher)) return new Cipher(algorithm, key, iv, options);
      validateString(algorithm, "cipher");
      const k = secretBytes(key, options?.encoding);
      const v = iv === null ? null : bytes(iv, "iv", options?.encoding);
      const hidden = { _op: native.cipher(encrypt, algorithm, k, v, options?.authTagLength), _decoder: null,
        _mode: native.cipherInfo(algorithm).mode };
      for (const [name, value] of Object.entries(hidden)) Object.defineProperty(this, name, { value, writable: true });
      Transform.call(this, options);
    }
    Object.setPrototypeOf(Cipher.prototype, Transform.prototype);
    Object.setPrototypeOf(Cipher, Transform);
    Object.defineProperty(Cipher, "name", { value: encrypt ? "Cipheriv" : "Decipheriv" });
    Object.assign(Cipher.prototype, {
      _transform(chunk, encoding, callback) {
        this.push(this.update(chunk, encoding));
        callback();
      },
      _flush(callback) {
        try {
          this.push(this.final());
        } catch (err) {
          callback(err);
          return;
        }
        callback();
      },
      // Text in pieces must not break a character apart.
      text(out, encoding, last) {
        const b = Buffer.from(out);
        if (!encoding || encoding === "buffer") return b;
        this._decoder ??= new StringDecoder(encoding);
        return last ? this._decoder.end(b) : this._decoder.write(b);
      },
      update(data, inputEncoding, outputEncoding) {
        if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw new codes.ERR_INVALID_ARG_TYPE(
          "data", ["string", "Buffer", "TypedArray", "DataView"], data);
        return this.text(this._op.update(bytes(data, "data", inputEncoding)), outputEncoding, false);
      },
      final(outputEncoding) {
        return this.text(this._op.final(), outputEncoding, true);
      },
      setAutoPadding(on) {
        this._op.setPadding(on === undefined || !!on);
        return this;
      },
      setAAD(data, options) {
        this._op.setAAD(bytes(data, "buffer", options?.encoding));
        return this;
      },
    });
    if (encrypt) {
      Cipher.prototype.getAuthTag = function getAuthTag() {
        const tag = this._op.tag();
        if (tag === undefined) throw new codes.ERR_CRYPTO_INVALID_STATE("getAuthTag");
        return Buffer.from(tag);
      };
    } else {
      Cipher.prototype.setAuthTag = function setAuthTag(tag, encoding) {
        const b = bytes(tag, "buffer", encoding);
        if (b.byteLength > 16 || b.byteLength < 4) throw new codes.ERR_CRYPTO_INVALID_AUTH_TAG(
          `Invalid authentication tag length: ${b.byteLength}`);
        this._op.setTag(b);
        return this;
      };
    }
    return Cipher;
  }
  const Cipheriv = define(true);
  const Decipheriv = define(false);

  const rsa = (operation, wantPrivate) => (key, buffer) => {
    const raw = read(key, wantPrivate);
    const o = typeof key === "object" && key !== null ? key : {};
    const fallback = operation === "privateEncrypt" || operation === "publicDecrypt" ? 1 : 4;
    const label = o.oaepLabel === undefined ? undefined : bytes(o.oaepLabel, "key.oaepLabel", o.encoding);
    return output(native.rsa(operation, wantPrivate ? raw : toPublic(raw), bytes(buffer, "buffer", o.encoding),
      o.padding ?? fallback, o.oaepHash, label));
  };

  function getCipherInfo(name, options) {
    if (typeof name !== "string") {
      if (typeof name === "number") throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto.getCipherInfo(nid)");
      throw new codes.ERR_INVALID_ARG_TYPE("nameOrNid", ["string", "number"], name);
    }
    if (options !== undefined) validateObject(options, "options");
    const info = native.cipherInfo(name);
    if (!info || (options?.keyLength !== undefined && options.keyLength !== info.keyLength)) return undefined;
    const out = { name: name.toLowerCase(), nid: 0, mode: info.mode === "chacha20-poly1305" ? "stream" : info.mode,
      keyLength: info.keyLength };
    if (info.ivLength) out.ivLength = options?.ivLength ?? info.ivLength;
    if (info.mode === "cbc" || info.mode === "ecb") out.blockSize = 16;
    return out;
  }
  module.exports = {
    Cipheriv, Decipheriv, getCipherInfo,
    createCipheriv: (a, k, iv, o) => new Cipheriv(a, k, iv, o),
    createDecipheriv: (a, k, iv, o) => new Decipheriv(a, k, iv, o),
    getCiphers: () => native.ciphers(),
    publicEncrypt: rsa("publicEncrypt", false),
    publicDecrypt: rsa("publicDecrypt", false),
    privateEncrypt: rsa("privateEncrypt", true),
    privateDecrypt: rsa("privateDecrypt", true),
  };
})

// ECDH, Diffie-Hellman and X509Certificate.
(function (require, module, exports, host) {
  "use strict";
  const { Buffer } = require("buffer");
  const { codes } = require("internal/errors");
  const { validateString, validateObject } = require("internal/validators");
  const { bytes, output } = require("internal/crypto/bytes");
  const keys = require("internal/crypto/keys");
  const native = host.crypto;

  class ECDH {
    #curve;
    #private;
    constructor(curve) {
      validateString(curve, "curve");
      if (!["prime256v1", "secp256r1", "P-256", "secp384r1", "P-384", "secp521r1", "P-521"].includes(
        curve)) throw new codes.ERR_CRYPTO_INVALID_CURVE();
      this.#curve = curve;
    }
    static convertKey(key, curve, inputEncoding, outputEncoding, format) {
      return shape(Buffer.from(native.ecdhConvert(curve, bytes(key, "key", inputEncoding))), format, outputEncoding);
    }
    generateKeys(encoding, format) {
      this.#private = native.ecdhGenerate(this.#curve);
      return this.getPublicKey(encoding, format);
    }
    computeSecret(key, inputEncoding, outputEncoding) {
      return output(native.ecdhSecret(this.#curve, this.#private, bytes(key, "otherPublicKey", inputEncoding)),
        outputEncoding);
    }
    getPrivateKey(encoding) {
      return output(this.#private, encoding);
    }
    getPublicKey(encoding, format) {
      return shape(Buffer.from(native.ecdhPublic(this.#curve, this.#private)), format, encoding);
    }
    setPrivateKey(key, encoding) {
      const raw = bytes(key, "key", encoding);
      native.ecdhPublic(this.#curve, raw);
      this.#private = Buffer.from(raw);
      return this;
    }
  }
  // shape writes an uncompressed point in another form.
  function shape(point, format = "uncompressed", encoding = undefined) {
    const half = (point.length - 1) / 2;
    const odd = point[point.length - 1] & 1;
    let out = point;
    if (format === "compressed") out = Buffer.concat([Buffer.of(2 | odd), point.subarray(1, 1 + half)]);
    else if (format === "hybrid") out = Buffer.concat([Buffer.of(6 | odd), point.subarray(1)]);
    else if (format !== "uncompressed") throw new codes.ERR_CRYPTO_ECDH_INVALID_FORMAT(format);
    return output(out, encoding);
  }

  // RFC 3526: group 14, 2048 bits; 5 is 1536 bits.
  const groups = {
    modp14: "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519" +
      "B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE" +
      "9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552" +
      "BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F" +
      "4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA051015728E5A8AACAA68FFFFFFFFFFFFFFFF",
    modp5: "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B" +
      "3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9" +
      "F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552B" +
      "B9ED529077096966D670C354E4ABC9804F1746C08CA237327FFFFFFFFFFFFFFFF",
  };
  class DiffieHellman {
    #prime;
    #generator;
    #private;
    #public;
    constructor(prime, encoding, generator, generatorEncoding) {
      if (typeof prime === "number") prime = native.prime(prime);
      else if (encoding && typeof encoding !== "string") [generator, encoding] = [encoding, undefined];
      this.#prime = Buffer.from(bytes(prime, "sizeOrKey", encoding));
      this.#generator = generator === undefined ? Buffer.of(2) : typeof generator === "number" ? Buffer.of(generator) :
        Buffer.from(bytes(generator, "generator", generatorEncoding));
    }
    get verifyError() {
      return 0;
    }
    generateKeys(encoding) {
      if (!this.#private) {
        this.#private = require("internal/crypto/random").randomBytes(this.#prime.length);
        this.#private[0] &= 0x7f;
      }
      this.#public = Buffer.from(native.modExp(this.#generator, this.#private, this.#prime));
      return output(this.#public, encoding);
    }
    computeSecret(key, inputEncoding, outputEncoding) {
      return output(native.modExp(bytes(key, "otherPublicKey", inputEncoding), this.#private, this.#prime),
        outputEncoding);
    }
    getPrime(encoding) {
      return output(this.#prime, encoding);
    }
    getGenerator(encoding) {
      return output(this.#generator, encoding);
    }
    getPublicKey(encoding) {
      return output(this.#public, encoding);
    }
    getPrivateKey(encoding) {
      return output(this.#private, encoding);
    }
    setPublicKey(key, encoding) {
      this.#public = Buffer.from(bytes(key, "key", encoding));
    }
    setPrivateKey(key, encoding) {
      this.#private = Buffer.from(bytes(key, "key", encoding));
    }
  }
  class DiffieHellmanGroup extends DiffieHellman {
    constructor(name) {
      validateString(name, "name");
      const prime = groups[name.toLowerCase()];
      if (prime === undefined) throw new codes.ERR_CRYPTO_UNKNOWN_DH_GROUP();
      super(prime, "hex", 2);
    }
  }

  class X509Certificate {
    #fields;
    constructor(data) {
      this.#fields = native.certificate(bytes(data, "buffer"));
      for (const name of ["subject", "subjectAltName", "issuer", "validFrom", "validTo", "fingerprint",
        "fingerprint256", "fingerprint512", "serialNumber", "ca"]) {
        Object.defineProperty(this, name, { value: this.#fields[name], enumerable: true });
      }
    }
    get raw() {
      return Buffer.from(this.#fields.raw);
    }
    get publicKey() {
      return new keys.PublicKeyObject(this.#fields.key);
    }
    get keyUsage() {
      return undefined;
    }
    checkHost(name) {
      return native.certificateName(this.#fields.raw, "host", name);
    }
    checkEmail(email) {
      return native.certificateName(this.#fields.raw, "email", email);
    }
    checkIP(ip) {
      return native.certificateName(this.#fields.raw, "ip", ip);
    }
    checkPrivateKey(key) {
      return native.keyEquals(native.publicOf(keys.handle(key)), this.#fields.key);
    }
    checkIssued(other) {
      return this.issuer === other.subject;
    }
    verify(key) {
      return native.certificateVerify(this.#fields.raw, keys.handle(key));
    }
    toString() {
      return this.#fields.pem;
    }
    toJSON() {
      return this.toString();
    }
  }

  module.exports = {
    ECDH, DiffieHellman, DiffieHellmanGroup, X509Certificate,
    createECDH: (curve) => new ECDH(curve),
    createDiffieHellman: (...a) => new DiffieHellman(...a),
    createDiffieHellmanGroup: (name) => new DiffieHellmanGroup(name),
    getDiffieHellman: (name) => new DiffieHellmanGroup(name),
    diffieHellman(options) {
      validateObject(options, "options");
      const { privateKey, publicKey } = options;
      if (!(privateKey instanceof keys.KeyObject)) throw new codes.ERR_INVALID_ARG_VALUE(
        "options.privateKey", privateKey);
      if (!(publicKey instanceof keys.KeyObject)) throw new codes.ERR_INVALID_ARG_VALUE("options.publicKey", publicKey);
      return output(native.agree(keys.handle(privateKey), keys.handle(publicKey)));
    },
  };
})

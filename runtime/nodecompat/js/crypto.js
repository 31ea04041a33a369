(function (require, module, exports, host) {
  "use strict";
  const { functions, classes } = require("internal/absent");
  const keys = require("internal/crypto/keys");
  const { codes } = require("internal/errors");
  const api = {
    constants: require("internal/crypto/constants"),
    getHashes: () => host.crypto.hashes(),
    getCurves: () => ["prime256v1", "secp256r1", "secp384r1", "secp521r1"],
    getFips: () => 0,
    setFips() {},
    setEngine() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("crypto.setEngine");
    },
    secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 0 }),
    webcrypto: globalThis.crypto,
    subtle: globalThis.crypto.subtle,
    CryptoKey: globalThis.CryptoKey,
    getRandomValues: (array) => globalThis.crypto.getRandomValues(array),
  };
  for (const name of ["KeyObject", "SecretKeyObject", "PublicKeyObject", "PrivateKeyObject", "createPrivateKey",
    "createPublicKey", "createSecretKey", "generateKey", "generateKeySync", "generateKeyPair", "generateKeyPairSync"]) {
    api[name] = keys[name];
  }
  for (const part of ["hash", "random", "cipher", "sign", "agreement"]) Object.assign(
    api, require(`internal/crypto/${part}`));
  functions(api, "crypto", "createCipher createDecipher");
  classes(api, "crypto", "Certificate Cipher Decipher");
  module.exports = api;
})

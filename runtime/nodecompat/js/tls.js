(function (require, module) {
  "use strict";
  const net = require("net");
  const { Buffer } = require("buffer");
  const { functions } = require("internal/absent");
  const { codes } = require("internal/errors");
  class TLSSocket extends net.Socket {
    encrypted = true;
    authorized = false;
  }
  class SecureContext {}
  class Server extends net.Server {}
  const api = {
    TLSSocket, SecureContext, Server,
    connect: () => {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("tls.connect");
    },
    createSecureContext: () => new SecureContext(),
    checkServerIdentity: () => undefined,
    getCiphers: () => ["tls_aes_256_gcm_sha384", "tls_chacha20_poly1305_sha256", "tls_aes_128_gcm_sha256"],
    getCACertificates: () => [],
    rootCertificates: [],
    DEFAULT_MIN_VERSION: "TLSv1.2",
    DEFAULT_MAX_VERSION: "TLSv1.3",
    DEFAULT_ECDH_CURVE: "auto",
    DEFAULT_CIPHERS: "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
    CLIENT_RENEG_LIMIT: 3,
    CLIENT_RENEG_WINDOW: 600,
    convertALPNProtocols(protocols, out) {
      if (Array.isArray(protocols)) out.ALPNProtocols = Buffer.concat(protocols.map((p) => Buffer.concat([Buffer.of(Buffer.byteLength(p)), Buffer.from(p)])));
      else if (ArrayBuffer.isView(protocols)) out.ALPNProtocols = Buffer.from(protocols);
    },
  };
  module.exports = functions(api, "tls", "createServer createSecurePair");
})

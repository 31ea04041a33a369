(function (require, module) {
  "use strict";
  const net = require("net");
  const { Buffer } = require("buffer");
  const { functions } = require("internal/absent");
  const { codes } = require("internal/errors");
  // TLSSocket is a connection that is under TLS from the start, or one that takes over another socket's. The platform
  // checks certificates against its own roots and refuses `rejectUnauthorized: false`.
  class TLSSocket extends net.Socket {
    encrypted = true;
    authorized = false;
    authorizationError = null;
    alpnProtocol = false;
    constructor(socket, options = {}) {
      super({ allowHalfOpen: options.allowHalfOpen, signal: options.signal });
      if (options.isServer) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.isServer");
      this.servername = options.servername;
      if (socket instanceof net.Socket) this.#over(socket);
      else if (socket) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.socket");
    }
    #over(socket) {
      this.connecting = true;
      const start = () => {
        try {
          const startTls = socket._release();
          this._adopt(startTls({ expectedServerHostname: this.servername }));
        } catch (err) {
          this.destroy(err);
        }
      };
      if (socket.connecting) socket.once("connect", start);
      else start();
      socket.once("error", (err) => this.destroy(err));
    }
    _secure() {
      return "on";
    }
    _opened() {
      this.authorized = true;
      super._opened();
      this.emit("secure");
      this.emit("secureConnect");
    }
    getProtocol() {
      return this.authorized ? "TLSv1.3" : null;
    }
    getPeerCertificate() {
      return {};
    }
    getSession() {
      return undefined;
    }
    isSessionReused() {
      return false;
    }
    setServername(name) {
      this.servername = name;
    }
  }
  // connect(options, callback?), (port, host?, options?, callback?)
  function connect(...args) {
    const callback = typeof args.at(-1) === "function" ? args.pop() : undefined;
    const options = args[0] !== null && typeof args[0] === "object" ? args[0] :
      Object.assign({ port: args[0] }, typeof args[1] === "string" ? { host: args[1] } : args[1], args[2]);
    if (options.rejectUnauthorized === false) throw new codes.ERR_OPTION_NOT_IMPLEMENTED("options.rejectUnauthorized");
    const socket = new TLSSocket(options.socket, { servername: options.servername ?? options.host, ...options });
    if (callback) socket.once("secureConnect", callback);
    if (options.timeout) socket.setTimeout(options.timeout);
    if (!options.socket) socket.connect(options);
    return socket;
  }
  class SecureContext {}
  class Server extends net.Server {}
  const api = {
    TLSSocket, SecureContext, Server,
    connect,
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
      if (Array.isArray(protocols)) out.ALPNProtocols =
        Buffer.concat(protocols.map((p) => Buffer.concat([Buffer.of(Buffer.byteLength(p)), Buffer.from(p)])));
      else if (ArrayBuffer.isView(protocols)) out.ALPNProtocols = Buffer.from(protocols);
    },
  };
  module.exports = functions(api, "tls", "createServer createSecurePair");
})

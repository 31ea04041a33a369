// Servers of node:net, for global setups: what they listen on is the machine's, see netserver.go.
(function (v, host) {
  "use strict";
  const { EventEmitter } = host;
  const net = host.net;

  class Server extends EventEmitter {
    #options = {};
    #listener = null;
    #sockets = new Set();
    #closing = []; // callbacks that wait for the last connection
    maxConnections = Infinity;
    constructor(options, connected) {
      super();
      if (typeof options === "function") connected = options;
      else if (options) this.#options = options;
      if (connected) this.on("connection", connected);
    }
    listen(...args) {
      const callback = typeof args.at(-1) === "function" ? args.pop() : undefined;
      const o = typeof args[0] === "object" && args[0] ? args[0] : { port: args[0], host: args[1] };
      if (o.path !== undefined || (typeof o.port === "string" && !/^\d+$/.test(o.port)))
        throw new Error("net.Server.listen() at a path is not available in the configuration of tests that eddy runs");
      if (callback) this.once("listening", callback);
      const at = typeof o.host === "string" ? o.host : "127.0.0.1";
      const port = Number(o.port ?? 0);
      const r = host.listen(at, port, (inner) => this.#connected(inner));
      queueMicrotask(() => {
        if (!r.failed) return void this.emit("listening");
        const e = new Error(`listen ${r.failed.code}: ${r.failed.text} ${at}:${port}`);
        this.emit("error", Object.assign(e, { code: r.failed.code, syscall: "listen", address: at, port }));
      });
      this.#listener = r.value ?? null;
      return this;
    }
    // #connected gives the socket of a connection to the program; the promise settles when it has ended.
    #connected(port) {
      return new Promise((ended) => {
        const socket = new net.Socket({ allowHalfOpen: !!this.#options.allowHalfOpen });
        this.#sockets.add(socket);
        socket.once("close", () => {
          this.#sockets.delete(socket);
          ended("");
          this.#closed();
        });
        socket.connect({ port, host: "127.0.0.1" }, () => {
          if (this.#sockets.size > this.maxConnections) socket.destroy();
          else this.emit("connection", socket);
        });
      });
    }
    #closed() {
      if (this.#listener || this.#sockets.size > 0) return;
      for (const f of this.#closing.splice(0)) f();
    }
    close(callback) {
      const listening = this.#listener;
      this.#listener = null;
      listening?.close();
      const failure = Object.assign(new Error("Server is not running."), { code: "ERR_SERVER_NOT_RUNNING" });
      this.#closing.push(() => {
        if (listening) this.emit("close");
        callback?.(listening ? undefined : failure);
      });
      queueMicrotask(() => this.#closed());
      return this;
    }
    address() {
      const l = this.#listener;
      return l && { address: l.address, family: l.family, port: l.port };
    }
    getConnections(callback) {
      queueMicrotask(() => callback(null, this.#sockets.size));
      return this;
    }
    get listening() {
      return this.#listener !== null;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    async [Symbol.asyncDispose]() {
      await new Promise((done) => this.close(done));
    }
  }
  const api = { ...net, Server, createServer: (options, connected) => new Server(options, connected) };
  v.net = { ...api, default: api };
})

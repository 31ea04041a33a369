// ExecProcess and ExecOutput of ctx.container.exec() (BIND-150), over what Go has of the process.
(function () {
  'use strict';
  class ExecOutput {
    #exitCode;
    constructor(stdout, stderr, exitCode) {
      Object.defineProperty(this, 'stdout', { value: stdout, enumerable: true });
      Object.defineProperty(this, 'stderr', { value: stderr, enumerable: true });
      this.#exitCode = exitCode;
    }
    get exitCode() { return this.#exitCode; }
  }
  const read = (stream) => (stream ? new Response(stream).arrayBuffer() : new ArrayBuffer(0));
  class ExecProcess {
    #p;
    #code;
    #read = false;
    constructor(p) {
      this.#p = p;
      this.#code = p.wait();
      this.#code.catch(() => {});
    }
    get stdin() { return this.#p.stdin; }
    get stdout() { return this.#p.stdout; }
    get stderr() { return this.#p.stderr; }
    get pid() { return this.#p.pid; }
    get isPty() { return this.#p.isPty; }
    get exitCode() { return this.#code; }
    async output() {
      if (this.#read) throw new TypeError('output() can only be called once.');
      this.#read = true;
      for (const name of ['stdout', 'stderr']) {
        if (this.#p[name]?.locked) {
          throw new TypeError(`Cannot call output() after ${name} has started being consumed.`);
        }
      }
      const [stdout, stderr, code] = await Promise.all([read(this.#p.stdout), read(this.#p.stderr), this.#code]);
      return new ExecOutput(stdout, stderr, code);
    }
    kill(signal = 15) {
      if (!(signal > 0 && signal <= 64)) throw new RangeError('Invalid signal number.');
      this.#p.kill(signal);
    }
    resize(cols, rows) {
      if (!this.#p.isPty) {
        throw new TypeError('resize() can only be called on a process that was started with a PTY.');
      }
      if (!(cols >= 1 && cols <= 65535)) throw new RangeError('PTY cols must be between 1 and 65535.');
      if (!(rows >= 1 && rows <= 65535)) throw new RangeError('PTY rows must be between 1 and 65535.');
      this.#p.resize(cols, rows);
    }
  }
  return { make(p, signal, stdin) {
    const process = new ExecProcess(p);
    if (signal) {
      if (signal.aborted) process.kill(9);
      else signal.addEventListener('abort', () => process.kill(9), { once: true });
    }
    stdin?.pipeTo(p.input).catch(() => {});
    return process;
  } };
})

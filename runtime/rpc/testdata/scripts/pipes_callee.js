const bytes = (s) => new TextEncoder().encode(s);
const words = (b) => new TextDecoder().decode(b);
const text = async (f) => {
  try {
    return String(await f());
  } catch (e) {
    return e.name + ": " + e.message;
  }
};
class Pipes extends RpcTarget {
  #got = [];
  #done;
  #controller = new AbortController();
  add(a, b) {
    return a + b;
  }
  drain(stream) {
    return new Response(stream).text();
  }
  async write(stream, ...chunks) {
    const w = stream.getWriter();
    for (const c of chunks) await w.write(typeof c === "string" ? bytes(c) : c);
    await w.close();
    return "written";
  }
  failing(stream, ...chunks) {
    return text(() => this.write(stream, ...chunks));
  }
  async stop(stream, reason) {
    const w = stream.getWriter();
    await w.abort(reason);
    return "stopped";
  }
  async leave(stream) {
    const r = stream.getReader();
    await r.read();
    await r.cancel("why");
    return "left";
  }
  source(...chunks) {
    return new ReadableStream({
      type: "bytes",
      pull(c) {
        if (chunks.length === 0) c.close();
        else if (chunks[0] === "error") c.error(new RangeError("source"));
        else c.enqueue(bytes(chunks.shift()));
      },
    });
  }
  values() {
    return new ReadableStream({
      start(c) {
        c.enqueue("text");
        c.close();
      },
    });
  }
  sink() {
    this.#done = Promise.withResolvers();
    return new WritableStream({
      write: (c) => void this.#got.push(words(c)),
      close: () => this.#done.resolve("closed"),
      abort: (e) => this.#done.resolve("aborted " + e),
    });
  }
  async got() {
    return this.#got.join() + " " + (await this.#done.promise);
  }
  look(signal) {
    return [signal instanceof AbortSignal, signal.aborted, signal.aborted ? String(signal.reason) : "none"];
  }
  wait(signal) {
    return new Promise((ok) => {
      const say = () => ok([signal.reason?.constructor?.name, String(signal.reason)].join());
      if (signal.aborted) say();
      else signal.addEventListener("abort", say);
    });
  }
  own() {
    return this.#controller.signal;
  }
  abortOwn(reason) {
    this.#controller.abort(reason);
  }
  fail(kind) {
    if (kind === "aggregate") throw new AggregateError([new Error("a")], "many");
    if (kind === "dom") throw new DOMException("m", "DataError");
    if (kind === "mine") throw new (class Mine extends TypeError {
      name = "Mine";
      code = 7;
    })("m");
    if (kind === "cause") throw new RangeError("m", { cause: new Error("c") });
    throw kind;
  }
}
globalThis.make = () => new Pipes();

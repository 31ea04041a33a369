const bytes = (s) => new TextEncoder().encode(s);
const bodies = {
  start: () =>
    new ReadableStream({
      start(c) {
        c.error(new Error("early"));
      },
    }),
  pull: () =>
    new ReadableStream({
      pull() {
        throw new Error("early");
      },
    }),
  aborted: () => {
    const t = new TransformStream();
    t.writable.abort(new Error("early"));
    return t.readable;
  },
  written: () =>
    new ReadableStream({
      n: 0,
      pull(c) {
        if (this.n++) throw new Error("late");
        c.enqueue(bytes("some"));
      },
    }),
  fine: () =>
    new ReadableStream({
      start(c) {
        c.enqueue(bytes("some"));
        c.close();
      },
    }),
  waits: () =>
    new ReadableStream({
      pull() {
        return scheduler.wait(3600_000);
      },
    }),
  text: () => "text",
};
export default { fetch: (r) => new Response(bodies[new URL(r.url).pathname.slice(1)]()) };

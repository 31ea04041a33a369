let seen = [];
export default {
  async fetch(r, env) {
    if (r.url.endsWith("send")) {
      await env.Q.send({ x: 1 });
      await env.Q.send(2, { delaySeconds: 86400 });
    }
    return new Response(seen.join("\n"));
  },
  queue(batch, env, ctx) {
    const m = batch.messages[0];
    seen.push(Object.prototype.toString.call(batch) + " " + Object.keys(batch).sort());
    seen.push(Object.prototype.toString.call(m) + " " + Object.keys(m).sort());
    seen.push(batch.messages !== batch.messages && batch.messages[0] === m);
    seen.push(
      /^[0-9a-f]{32}$/.test(m.id) +
        " " +
        (m.timestamp instanceof Date) +
        " " +
        m.attempts +
        " " +
        JSON.stringify(m.body),
    );
    seen.push(
      JSON.stringify(batch.metadata) +
        " " +
        (batch.metadata.metrics.oldestMessageTimestamp instanceof Date) +
        " " +
        batch.queue +
        " " +
        arguments.length +
        " " +
        typeof ctx.waitUntil,
    );
    seen.push(
      Object.keys(JSON.parse(JSON.stringify(batch))).sort() +
        " " +
        Object.keys(JSON.parse(JSON.stringify(m))).sort(),
    );
    seen.push(
      Object.prototype.toString.call(ctx) + " " + Object.keys(ctx).sort() + " " + Object.hasOwn(ctx, "waitUntil"),
    );
    try {
      m.id = 1;
    } catch (e) {
      seen.push(e.message);
    }
    try {
      batch.queue = 1;
    } catch (e) {
      seen.push(e.message);
    }
  },
};

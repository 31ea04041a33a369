let seen = [];
export default {
  async fetch(r, env) {
    if (!r.url.endsWith("send")) return new Response(seen.join("|"));
    await env.Q.sendBatch([
      { body: "héllo", contentType: "text" },
      { body: new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2), contentType: "bytes" },
      { body: { d: new Date(0), u: undefined, n: NaN, m: new Map([[1, 2]]) }, contentType: "json" },
      { body: new Map([["k", new Set([1n])]]), contentType: "v8" },
    ]);
    return new Response("sent");
  },
  queue(batch) {
    const [text, bytes, json, v8] = batch.messages.map((m) => m.body);
    seen.push(
      text,
      bytes instanceof ArrayBuffer,
      [...new Uint8Array(bytes)],
      JSON.stringify(json),
      v8 instanceof Map && v8.get("k").has(1n),
    );
  },
};

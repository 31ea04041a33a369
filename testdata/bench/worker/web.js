// What Workers ask of the platform beside JavaScript. Each does its work n times and gives back something that depends
// on all of it.
const record = {
  id: 17, name: "Ann", paid: true, total: 12.5, at: new Date(0), tags: new Set(["a", "b"]),
  lines: Array.from({ length: 20 }, (_, i) => ({ sku: "item " + i, count: i, price: i * 1.25 })),
  bytes: new Uint8Array(1024),
};

const escaped = Array.from({ length: 50 }, (_, i) => ({
  text: `line ${i}\n"quoted" \\ back\tslash`, name: "Zoë Müller – 東京 😀", "key é": null, n: i * 1e-7, list: [i, -i, i / 3],
}));

const text = "The quick brown fox jumps over the lazy dog. ".repeat(20) + "Zoë – 東京 😀";
const chunk = new TextEncoder().encode(text.repeat(16));

const pieces = (n) => new ReadableStream({
  pull(controller) {
    if (n-- > 0) controller.enqueue(chunk);
    else controller.close();
  },
});

export const web = {
  jsonText(n) {
    let length = 0;
    for (let i = 0; i < n; i++) length += JSON.stringify(JSON.parse(JSON.stringify(escaped))).length;
    return length;
  },
  jsonIndent(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      length += JSON.stringify(escaped, null, 2).length;
      length += JSON.stringify(escaped, (key, value) => (key === "n" ? undefined : value)).length;
    }
    return length;
  },
  clone(n) {
    let length = 0;
    for (let i = 0; i < n; i++) length += structuredClone(record).lines.length;
    return length;
  },
  headers(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const headers = new Headers({ "content-type": "application/json", accept: "*/*", "x-request-id": "r" + i });
      headers.append("set-cookie", "a=1");
      headers.set("cache-control", "no-store");
      if (headers.has("accept")) length += headers.get("content-type").length;
      for (const [name, value] of headers) length += name.length + value.length;
    }
    return length;
  },
  url(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const url = new URL("/items/" + i + "?page=2&sort=name&q=a%20b", "https://example.com:8080/a/b?c#d");
      url.searchParams.set("page", "3");
      length += url.href.length + url.searchParams.get("q").length + url.pathname.length;
    }
    return length;
  },
  query(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const query = new URLSearchParams("a=1&b=2&c=%C3%A9&d=x+y");
      query.append("e", "ü " + i);
      for (const [name, value] of query) length += name.length + value.length;
      length += query.toString().length;
    }
    return length;
  },
  texts(n) {
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    let length = 0;
    for (let i = 0; i < n; i++) length += decoder.decode(encoder.encode(text)).length;
    return length;
  },
  base64(n) {
    let length = 0;
    const plain = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    for (let i = 0; i < n; i++) length += atob(btoa(plain)).length;
    return length;
  },
  async digest(n) {
    let sum = 0;
    const bytes = new TextEncoder().encode("password");
    for (let i = 0; i < n; i++) sum += new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))[0];
    return sum;
  },
  async forms(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const form = new FormData();
      form.set("name", "Ann");
      form.set("file", new Blob(["a file"], { type: "text/plain" }), "a.txt");
      const back = await new Response(form).formData();
      length += (await back.get("file").text()).length;
    }
    return length;
  },
  async bodies(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const response = Response.json({ id: i, name: "Ann" }, { headers: { "x-id": String(i) } });
      const request = new Request("https://example.com/", { method: "POST", body: await response.text() });
      length += (await request.json()).name.length;
    }
    return length;
  },
  // n chunks of 16 kB through a pipe.
  async pipe(n) {
    const upper = new TransformStream({
      transform(piece, controller) {
        controller.enqueue(piece.toUpperCase());
      },
    });
    let length = 0;
    for await (const piece of pieces(n).pipeThrough(new TextDecoderStream()).pipeThrough(upper)) length += piece.length;
    return length;
  },
  async tee(n) {
    const [a, b] = pieces(n).tee();
    const size = async (stream) => {
      const reader = stream.getReader();
      for (let size = 0; ;) {
        const { done, value } = await reader.read();
        if (done) return size;
        size += value.length;
      }
    };
    return (await Promise.all([size(a), size(b)])).join();
  },
  async identity(n) {
    const { readable, writable } = new IdentityTransformStream();
    const done = pieces(n).pipeTo(writable);
    const size = (await new Response(readable).arrayBuffer()).byteLength;
    await done;
    return size;
  },
  async turns(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum += (await Promise.all([1, 2, 3, 4].map(async (x) => x * 2))).length;
      sum += await Promise.resolve(i).then((x) => x + 1).finally(() => {});
      await new Promise((resolve) => queueMicrotask(resolve));
      try {
        await (async () => { throw new Error("no") })();
      } catch (e) {
        sum += e.message.length;
      }
    }
    return sum;
  },
};

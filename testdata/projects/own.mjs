// The apps of ./own: one for each framework, with pages, forms, cookies, streams, KV and D1, as its adapter builds them for Workers.
// They need Node 22. A call with a body of fields is sent as a browser sends a form. Recorded against wrangler 4.160, each
// started twice: sveltekit 48 answers the same, react-router 34, astro 27, nuxt 39, next 35, payload 30, prisma 3.
const json = (method, path, body) => [method, path, JSON.stringify(body), "application/json"];
const get = (path, headers) => ["GET", path, undefined, undefined, headers];
const form = (path, body, headers) => ["POST", path, body, "application/x-www-form-urlencoded", { origin: "HOST", ...headers }];

/** A form with files: the field "file" is one. */
export const upload = (path, parts, headers) => {
  const part = ([name, value]) => {
    const file = name === "file" ? '; filename="a.txt"\r\ncontent-type: text/plain' : "";
    return `--b\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  };
  return ["POST", path, Object.entries(parts).map(part).join("") + "--b--\r\n", "multipart/form-data; boundary=b", { origin: "HOST", ...headers }];
};

const everywhere = ["/robots.txt", "/nope", "/about", "/about/", "/items/1?sort=up", "/items/none", "/items/%E2%82%AC", ["HEAD", "/"], ["LINKS", "/"]];
const html = { accept: "text/html" };

/** What generates the client does not need the schema engine, and would download it. */
const noSchemaEngine = { PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true" };

export const own = {
  sveltekit: {
    own: "sveltekit", build: ["npx", "vite", "build"],
    calls: [
      "/", ...everywhere, get("/api?a=1&b=%20", { "x-agent": "me" }), json("POST", "/api", { a: 1 }), json("POST", "/api", { fail: true }), json("POST", "/api", { crash: true }), ["PUT", "/api", "x"],
      "/stream", "/old", "/__data.json", "/items/2/__data.json?sort=x", form("/?/add", "text=hello&user=ann"), upload("/?/add", { text: "two", file: "abc" }, html), form("/?/add", "text=", html),
      form("/?/none", "", html), form("/?/leave", "", html), form("/?/add", "text=x", { origin: "http://elsewhere.example" }), get("/_app/version.json"), get("/robots.txt", { "if-none-match": '"x"' }),
    ],
    again: ["/"],
  },
  "react-router": {
    own: "react-router", build: ["npx", "react-router", "build"],
    calls: [
      "/", ...everywhere, "/api?a=1", json("POST", "/api", { a: 1 }), json("PUT", "/api", { a: 2 }), json("POST", "/api", { fail: true }), ["POST", "/api", "{", "application/json"], "/stream", "/crash",
      form("/?index", "text=hello&user=ann", html), "/_root.data", form("/_root.data?index", "text=again&user=bob"), upload("/?index", { text: "three", user: "cy" }, html), form("/?index", "text=", html),
      form("/?index", "leave=1", html), "/items/3.data", get("/", { "user-agent": "Googlebot/2.1" }), "/__manifest?paths=%2F&version=x",
    ],
    again: ["/"],
  },
  astro: {
    own: "astro", build: ["npx", "astro", "build"],
    calls: [
      "/", ...everywhere, get("/api/data?a=1", { "x-agent": "me" }), json("POST", "/api/data", { a: 1 }), ["DELETE", "/api/data"], "/api/stream", "/items/old", "/items/crash",
      form("/?_action=add", "text=hello&user=ann", html), upload("/?_action=add", { text: "two" }, html), form("/?_action=add", "text=x", html), form("/_actions/add", "text=three"), form("/_actions/add", "text="),
      json("POST", "/_actions/double", { n: 4 }), json("POST", "/_actions/double", { n: -1 }), json("POST", "/_actions/double", {}), json("POST", "/_actions/none", {}), form("/?_action=add", "text=xx", { origin: "http://elsewhere.example" }),
    ],
    again: ["/"],
  },
  nuxt: {
    own: "nuxt", build: ["npx", "nuxt", "build"],
    calls: [
      "/", ...everywhere, "/api/notes", json("POST", "/api/notes", { text: "hello", user: "ann" }), upload("/api/notes", { text: "two", file: "abc" }), form("/api/notes", "text=three"), json("POST", "/api/notes", {}),
      ["POST", "/api/notes", "{", "application/json"], "/api/session", "/api/session", "/api/cached", "/api/cached", "/api/none", "/stream", "/old", "/headers", "/items/crash", "/items/away", "/about/_payload.json",
      "/items/none?_=1", get("/items/none", { accept: "application/json" }), "/",
    ],
    again: ["/", "/api/session"],
  },
  next: {
    own: "next", build: ["npx", "opennextjs-cloudflare", "build"],
    calls: [
      "/", ...everywhere, get("/api/data?a=1", { "x-agent": "me" }), json("POST", "/api/data", { a: 1 }), json("POST", "/api/data", { crash: true }), ["DELETE", "/api/data"], "/api/stream", "/late", "/old", "/blocked",
      "/rewritten", "/items/crash", get("/items/2", { rsc: "1" }), ["FORM", "/", { text: "hello", user: "ann" }], "/", ["FORM", "/", { text: "two" }], ["POST", "/", "x", "text/plain", { "next-action": "none" }], "/_next/data/x/about.json",
    ],
    again: ["/"],
  },
  // Two pages of the admin panel are asked for before somebody is registered. In which pieces React sends the others depends on when
  // the database answers.
  payload: {
    own: "payload", build: ["sh", "-c", "npx payload migrate:create first && npx opennextjs-cloudflare build && npx payload migrate"],
    calls: [
      "/admin/login", "/admin/create-first-user", "/api/posts", "/api/users/me", json("POST", "/api/users/first-register", { email: "ann@example.com", password: "correct horse", nick: "ann" }), ["POST", "/api/users/logout"], json("POST", "/api/posts", { title: "No rights" }),
      json("POST", "/api/users/login", { email: "ann@example.com", password: "wrong" }), json("POST", "/api/users/login", { email: "ann@example.com", password: "correct horse" }), "/api/users/me",
      json("POST", "/api/posts", { title: "Tide and Rope", views: 3, kind: "note", tags: [{ tag: "a" }, { tag: "b" }], extra: { a: [1] }, day: "2026-01-02T00:00:00.000Z", author: 1, _status: "published" }),
      json("POST", "/api/posts", { views: "x" }), json("POST", "/api/posts", { title: "tide and rope" }), json("POST", "/api/posts", { title: "Knots", kind: "ballad" }), ["POST", "/api/posts", "{", "application/json"],
      "/api/posts?where%5Btitle%5D%5Blike%5D=rope&depth=1&sort=-views", "/api/posts?where%5Btags.tag%5D%5Bequals%5D=b&select%5Btitle%5D=true", json("PATCH", "/api/posts/1", { views: 4 }), json("PATCH", "/api/posts/77", { views: 4 }),
      "/api/posts/versions?limit=5&depth=0", json("POST", "/api/graphql", { query: "{ Posts { docs { title views tags { tag } } totalDocs } }" }), json("POST", "/api/graphql", { query: "{ none }" }),
      json("POST", "/api/globals/settings", { title: "Site" }), "/api/globals/settings", "/api/posts/count", "/nope",
    ],
    again: ["/api/posts", "/api/users/me", ["DELETE", "/api/posts/1"], "/api/posts/1"],
  },
  prisma: { own: "prisma", build: ["npx", "prisma", "generate"], env: noSchemaEngine, calls: ["/", "/"], again: ["/"] },
};

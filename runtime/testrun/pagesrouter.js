// The router of Pages functions. Bundled with the functions of a project, it is their Worker: see pagesfunctions.go.

// Static parts of a path come before parameters, and those before the rest of a path.
const rank = (part) => ("text" in part ? 0 : "param" in part ? 1 : 2);

function before(a, b) {
  for (let i = 0; i < a.parts.length && i < b.parts.length; i++) {
    const d = rank(a.parts[i]) - rank(b.parts[i]);
    if (d) return d;
  }
  return b.parts.length - a.parts.length || (a.method === "") - (b.method === "");
}

// fits gives the parameters and the path if the parts are the beginning of a path, or all of it.
function fits(parts, segments, whole) {
  const params = {};
  let n = 0;
  for (const part of parts) {
    if ("rest" in part) {
      if (n < segments.length) params[part.rest] = segments.slice(n);
      n = segments.length;
      continue;
    }
    if (n >= segments.length) return null;
    if ("param" in part) params[part.param] = segments[n];
    else if (part.text.toLowerCase() !== segments[n].toLowerCase()) return null;
    n++;
  }
  return whole && n < segments.length ? null : { params, path: `/${segments.slice(0, n).join("/")}` };
}

// pages makes the Worker. files have the parts of their routes, whether they are middleware, and their exports.
export function pages(files, fallback) {
  const routes = [];
  for (const { parts, middleware, exports } of files) {
    for (const [name, value] of Object.entries(exports)) {
      const [is, method = ""] = /^onRequest([A-Z][a-z]+)?$/.exec(name) ?? [];
      if (is) routes.push({ parts, middleware, method: method.toUpperCase(), handlers: [value].flat() });
    }
  }
  routes.sort(before);

  function* chain(request) {
    const segments = new URL(request.url).pathname.split("/").filter((s) => s !== "");
    const open = routes.filter((r) => r.method === "" || r.method === request.method);
    for (const route of open.filter((r) => r.middleware).reverse()) {
      const fit = fits(route.parts, segments, false);
      if (fit) for (const handler of route.handlers) yield { handler, ...fit };
    }
    for (const route of open.filter((r) => !r.middleware)) {
      const fit = fits(route.parts, segments, true);
      if (!fit) continue;
      for (const handler of route.handlers) yield { handler, ...fit };
      return;
    }
  }

  const answer = (response) =>
    new Response([101, 204, 205, 304].includes(response.status) ? null : response.body, response);

  return {
    async fetch(original, env, ctx) {
      let request = original;
      let data = {};
      let open = false; // that a failure is left to the assets
      const handlers = chain(original);
      const assets = async () => answer(await (fallback ? env[fallback].fetch(request) : fetch(request)));
      const next = async (input, init) => {
        if (input !== undefined)
          request = new Request(typeof input === "string" ? new URL(input, request.url) : input, init);
        const { done, value } = handlers.next();
        if (done) return assets();
        const response = await value.handler({
          request: new Request(request.clone()),
          functionPath: value.path,
          params: value.params,
          next,
          env,
          get data() {
            return data;
          },
          set data(to) {
            if (typeof to !== "object" || to === null) throw new Error("context.data must be an object");
            data = to;
          },
          waitUntil: (promise) => ctx.waitUntil(promise),
          passThroughOnException() {
            open = true;
          },
        });
        if (!(response instanceof Response)) throw new Error("Your Pages function should return a Response");
        return answer(response);
      };
      try {
        return await next();
      } catch (e) {
        if (open) return assets();
        throw e;
      }
    },
  };
}

// fetchMock of the older cloudflare:test (TEST-46, TEST-47): undici's MockAgent in front of the global fetch.
(function () {
  "use strict";
  const actual = globalThis.fetch;
  let agents = []; // {origin, interceptors, headers, length}
  let active = false;
  let network = true; // or a list of what is let through

  class MockNotMatchedError extends Error {
    constructor(message) {
      super(message);
      this.name = "MockNotMatchedError";
      this.code = "UND_MOCK_ERR_MOCK_NOT_MATCHED";
    }
  }
  class InvalidArgumentError extends Error {
    constructor(message) {
      super(message);
      this.name = "InvalidArgumentError";
      this.code = "UND_ERR_INVALID_ARG";
    }
  }

  const fits = (wanted, value) =>
    typeof wanted === "string"
      ? wanted === value
      : wanted instanceof RegExp
        ? wanted.test(value)
        : typeof wanted === "function"
          ? wanted(value) === true
          : false;

  function fitsHeaders(wanted, headers) {
    if (wanted === undefined) return true;
    if (typeof wanted === "function") return wanted(Object.fromEntries(headers));
    return Object.entries(wanted).every(([name, value]) => fits(value, headers.get(name) ?? ""));
  }

  function sorted(query) {
    return [...new URLSearchParams(query)].map(String).sort().join("&");
  }

  function fitsPath(i, url) {
    const path = url.pathname + url.search;
    if (i.query !== undefined) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(i.query))
        for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
      return fits(i.path, url.pathname) && sorted(query) === sorted(url.search);
    }
    return fits(i.path, path);
  }

  // The scope of an interceptor: how often it answers.
  function scope(i) {
    const self = {
      delay(ms) {
        if (!Number.isInteger(ms) || ms <= 0) throw new InvalidArgumentError("waitInMs must be a valid integer > 0");
        i.delay = ms;
        return self;
      },
      persist() {
        i.persist = true;
        return self;
      },
      times(n) {
        if (!Number.isInteger(n) || n <= 0) throw new InvalidArgumentError("repeatTimes must be a valid integer > 0");
        i.times = n;
        return self;
      },
    };
    return self;
  }

  function intercept(agent, options) {
    if (options === null || typeof options !== "object") throw new InvalidArgumentError("opts must be an object");
    if (options.path === undefined) throw new InvalidArgumentError("opts.path must be defined");
    const method = options.method ?? "GET";
    const base = {
      origin: agent.origin,
      path: options.path,
      method: typeof method === "string" ? method.toUpperCase() : method,
      body: options.body,
      headers: options.headers,
      query: options.query,
    };
    const defaults = { headers: {}, trailers: {}, length: agent.length };
    const add = (more) => {
      const i = { ...base, times: 1, timesInvoked: 0, persist: false, consumed: false, pending: true, ...more };
      agent.interceptors.push(i);
      return scope(i);
    };
    const self = {
      reply(first, data = "", responseOptions = {}) {
        if (typeof first === "function")
          return add({
            answer: async (given) => {
              const made = await first(given);
              if (made === null || typeof made !== "object")
                throw new InvalidArgumentError("reply options callback must return an object");
              return { status: made.statusCode, data: made.data ?? "", options: made.responseOptions ?? {} };
            },
            defaults,
          });
        if (first === undefined) throw new InvalidArgumentError("statusCode must be defined");
        return add({
          statusCode: first,
          answer: async (given) => ({
            status: first,
            data: typeof data === "function" ? await data(given) : data,
            options: responseOptions,
          }),
          defaults,
        });
      },
      replyWithError(error) {
        if (error === undefined) throw new InvalidArgumentError("error must be defined");
        return add({ error, defaults });
      },
      defaultReplyHeaders(headers) {
        if (headers === undefined) throw new InvalidArgumentError("headers must be defined");
        defaults.headers = headers;
        return self;
      },
      defaultReplyTrailers() {
        return self;
      },
      replyContentLength() {
        defaults.length = true;
        return self;
      },
    };
    return self;
  }

  function bodyOf(data) {
    if (typeof data === "string" || data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data;
    return typeof data === "object" ? JSON.stringify(data) : String(data);
  }

  const lets = (host) =>
    network === true || (Array.isArray(network) && network.some((wanted) => fits(wanted, host)));

  async function dispatch(request) {
    const url = new URL(request.url);
    const found = agents.filter((a) => fits(a.origin, url.origin));
    const all = found.flatMap((a) => a.interceptors).filter((i) => !i.consumed);
    const body = request.body === null ? "" : await request.clone().text();
    const path = url.pathname + url.search;
    let left = all.filter((i) => fitsPath(i, url));
    let why = left.length === 0 ? `Mock dispatch not matched for path '${path}'` : "";
    const narrow = (test, text) => {
      if (why) return;
      left = left.filter(test);
      if (left.length === 0) why = text;
    };
    narrow(
      (i) => fits(i.method, request.method),
      `Mock dispatch not matched for method '${request.method}' on path '${path}'`,
    );
    narrow(
      (i) => i.body === undefined || fits(i.body, body),
      `Mock dispatch not matched for body '${body}' on path '${path}'`,
    );
    narrow(
      (i) => fitsHeaders(i.headers, request.headers),
      `Mock dispatch not matched for headers '${JSON.stringify(Object.fromEntries(request.headers))}' ` +
        `on path '${path}'`,
    );
    if (why) {
      if (lets(url.host)) return actual(request);
      const reason = network === false ? "(net.connect disabled)" : "(net.connect is not enabled for this origin)";
      throw new MockNotMatchedError(`${why}: subsequent request to origin ${url.origin} was not allowed ${reason}`);
    }
    const i = left[0];
    i.timesInvoked++;
    i.consumed = !i.persist && i.timesInvoked >= i.times;
    i.pending = i.timesInvoked < i.times;
    if (i.delay) await new Promise((resolve) => setTimeout(resolve, i.delay));
    if (i.error !== undefined) throw i.error;
    const given = {
      path, origin: url.origin, method: request.method, body, headers: Object.fromEntries(request.headers),
    };
    const { status, data, options } = await i.answer(given);
    const text = bodyOf(data);
    const headers = new Headers({ ...i.defaults.headers, ...(options.headers ?? {}) });
    if (i.defaults.length) headers.set("content-length", String(new TextEncoder().encode(text).length));
    const none = status === 204 || status === 205 || status === 304;
    const response = new Response(none ? null : text, { status, headers });
    Object.defineProperty(response, "url", { value: request.url, configurable: true });
    return response;
  }

  function patched(input, init) {
    if (!active) return actual(input, init);
    return dispatch(new Request(input, init));
  }

  const pendingInterceptors = () => agents.flatMap((a) => a.interceptors).filter((i) => i.pending);
  const api = {
    activate() {
      active = true;
      if (globalThis.fetch === actual) globalThis.fetch = patched;
    },
    deactivate() {
      active = false;
      if (globalThis.fetch === patched) globalThis.fetch = actual;
    },
    get isMockActive() {
      return active;
    },
    enableNetConnect(matcher) {
      if (matcher === undefined) network = true;
      else if (typeof matcher === "string" || typeof matcher === "function" || matcher instanceof RegExp)
        network = [...(Array.isArray(network) ? network : []), matcher];
      else throw new InvalidArgumentError("Unsupported matcher. Must be one of String|Function|RegExp.");
    },
    disableNetConnect() {
      network = false;
    },
    get(origin) {
      let agent = agents.find((a) => a.origin === origin);
      if (!agent) agents.push((agent = { origin, interceptors: [], length: false }));
      return { intercept: (options) => intercept(agent, options), close: async () => {} };
    },
    pendingInterceptors,
    assertNoPendingInterceptors() {
      const pending = pendingInterceptors();
      if (pending.length === 0) return;
      const rows = pending.map(
        (i) =>
          `${i.method} ${i.origin} ${i.path} ${i.statusCode ?? ""} persistent: ${i.persist ? "yes" : "no"}, ` +
          `invocations: ${i.timesInvoked}, remaining: ${i.persist ? "∞" : i.times - i.timesInvoked}`,
      );
      const error = new Error(
        (pending.length === 1 ? "1 interceptor is" : `${pending.length} interceptors are`) +
          ` pending:\n\n${rows.join("\n")}`,
      );
      error.name = "UndiciError";
      throw error;
    },
    async close() {
      api.deactivate();
      agents = [];
    },
  };
  return api;
});

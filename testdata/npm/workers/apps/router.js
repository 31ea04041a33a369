// The first path segment names the Worker that gets the request: one eddy dev serves them all, over service bindings.
export default {
  fetch(request, env) {
    const url = new URL(request.url);
    const [, name, rest] = url.pathname.match(/^\/([^/]+)(.*)$/);
    url.pathname = rest;
    return env[name].fetch(new Request(url, request));
  },
};

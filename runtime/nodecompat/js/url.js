(function (require, module) {
  "use strict";
  const legacy = require("internal/legacy_url");
  const { codes } = require("internal/errors");
  const { validateString, validateObject } = require("internal/validators");

  function fileURLToPath(path, options) {
    if (typeof path === "string") path = new URL(path);
    else if (!(path instanceof URL)) throw new codes.ERR_INVALID_ARG_TYPE("path", ["string", "URL"], path);
    if (path.protocol !== "file:") throw new codes.ERR_INVALID_URL_SCHEME("file");
    if (options?.windows) {
      if (/%2f|%5c/i.test(path.pathname)) throw new codes.ERR_INVALID_FILE_URL_PATH(
        "must not include encoded \\ or / characters");
      const p = decodeURIComponent(path.pathname.replace(/\//g, "\\"));
      if (path.hostname !== "") return `\\\\${domainToUnicode(path.hostname)}${p}`;
      if (!/^\\[a-zA-Z]:/.test(p)) throw new codes.ERR_INVALID_FILE_URL_PATH("must be absolute");
      return p.slice(1);
    }
    if (path.hostname !== "") throw new codes.ERR_INVALID_FILE_URL_HOST("linux");
    if (/%2f/i.test(path.pathname)) throw new codes.ERR_INVALID_FILE_URL_PATH("must not include encoded / characters");
    return decodeURIComponent(path.pathname);
  }

  function pathToFileURL(path) {
    validateString(path, "path");
    let resolved = require("path").resolve(path);
    if (path.endsWith("/") && !resolved.endsWith("/")) resolved += "/";
    const url = new URL("file://");
    url.pathname = resolved.replace(/%/g, "%25").replace(/\\/g, "%5C").replace(/\n/g, "%0A").replace(
      /\r/g, "%0D").replace(/\t/g, "%09").replace(/\?/g, "%3F").replace(/#/g, "%23");
    return url;
  }

  function urlToHttpOptions(url) {
    const { hostname, pathname, port, username, password, search } = url;
    const options = {
      __proto__: null, ...url, protocol: url.protocol,
      hostname: hostname?.startsWith("[") ? hostname.slice(1, -1) : hostname,
      hash: url.hash, search, pathname, path: `${pathname || ""}${search || ""}`, href: url.href,
    };
    if (port !== "") options.port = Number(port);
    if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return options;
  }

  const host = (domain) => {
    try {
      const u = new URL(`ws://${domain}`);
      return u.pathname === "/" && u.search === "" && u.hash === "" && u.port === "" ? u.hostname : "";
    } catch {
      return "";
    }
  };
  const domainToASCII = (domain) => host(`${domain}`);
  const domainToUnicode = (domain) => require("punycode").toUnicode(host(`${domain}`));

  function format(url, options) {
    if (!(url instanceof URL)) return legacy.format(url);
    const o = { fragment: true, unicode: false, search: true, auth: true };
    if (options) {
      validateObject(options, "options");
      for (const k of Object.keys(o)) if (options[k] != null) o[k] = !!options[k];
    }
    const u = new URL(url.href);
    if (!o.fragment) u.hash = "";
    if (!o.search) u.search = "";
    if (!o.auth) u.username = u.password = "";
    return o.unicode ? u.href.replace(u.hostname, domainToUnicode(u.hostname)) : u.href;
  }

  module.exports = {
    URL: globalThis.URL, URLSearchParams: globalThis.URLSearchParams, URLPattern: globalThis.URLPattern,
    Url: legacy.Url, parse: legacy.parse, resolve: legacy.resolve, resolveObject: legacy.resolveObject, format,
    domainToASCII, domainToUnicode, fileURLToPath, pathToFileURL, urlToHttpOptions,
    fileURLToPathBuffer: (path, options) => require("buffer").Buffer.from(fileURLToPath(path, options)),
    toPathIfFileURL: (v) => (v instanceof URL ? fileURLToPath(v) : v),
  };
})

(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateFunction, validateString, validateArray, validateOneOf } = require("internal/validators");
  const resolver = require("internal/dns");

  const callbackify = (fn) => (...args) => {
    const callback = args.pop();
    validateFunction(callback, "callback");
    fn(...args).then((v) => queueMicrotask(
      () => (Array.isArray(v?.lookup) ? callback(null, ...v.lookup) : callback(null, v))),
      (e) => queueMicrotask(() => callback(e)));
  };
  const api = { ...resolver.constants };
  for (const [name, fn] of Object.entries(resolver.queries)) api[name] = callbackify(fn);
  api.lookup = (hostname, options, callback) => {
    if (typeof options === "function") [callback, options] = [options, {}];
    validateFunction(callback, "callback");
    resolver.lookup(hostname, options).then(
      (v) => queueMicrotask(() => (Array.isArray(v) ? callback(null, v) : callback(null, v.address, v.family))),
      (e) => queueMicrotask(() => callback(e)));
  };
  api.lookupService = () => {
    throw new codes.ERR_METHOD_NOT_IMPLEMENTED("dns.lookupService");
  };
  api.getServers = () => resolver.servers.slice();
  api.setServers = (servers) => {
    validateArray(servers, "servers");
    servers.forEach((s, i) => validateString(s, `servers[${i}]`));
  };
  let order = "verbatim";
  api.getDefaultResultOrder = () => order;
  api.setDefaultResultOrder = (value) => {
    validateOneOf(value, "dnsOrder", ["verbatim", "ipv4first", "ipv6first"]);
    order = value;
  };
  api.Resolver = class Resolver {
    cancel() {}
    setLocalAddress() {}
    getServers() {
      return api.getServers();
    }
    setServers(servers) {
      api.setServers(servers);
    }
  };
  for (const name of Object.keys(resolver.queries)) api.Resolver.prototype[name] = api[name];
  Object.defineProperty(api, "promises", { enumerable: true, get: () => require("dns/promises") });
  module.exports = api;
})

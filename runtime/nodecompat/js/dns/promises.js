(function (require, module) {
  "use strict";
  const resolver = require("internal/dns");
  const dns = require("dns");
  const { unimplemented } = require("internal/errors");
  class Resolver {
    cancel() {}
    setLocalAddress() {}
    getServers() {
      return dns.getServers();
    }
    setServers(servers) {
      dns.setServers(servers);
    }
  }
  Object.assign(Resolver.prototype, resolver.queries);
  module.exports = {
    ...resolver.constants, ...resolver.queries, lookup: resolver.lookup,
      lookupService: unimplemented("dns.promises.lookupService"), Resolver,
    getServers: dns.getServers, setServers: dns.setServers, getDefaultResultOrder: dns.getDefaultResultOrder,
      setDefaultResultOrder: dns.setDefaultResultOrder,
  };
})

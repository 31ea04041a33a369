// Name look-ups through DNS over HTTPS, as the platform does them.
(function (require, module) {
  "use strict";
  const { validateString, validateOneOf } = require("internal/validators");
  const names = ["NODATA", "FORMERR", "SERVFAIL", "NOTFOUND", "NOTIMP", "REFUSED", "BADQUERY", "BADNAME", "BADFAMILY",
    "BADRESP", "CONNREFUSED", "TIMEOUT", "EOF", "FILE", "NOMEM", "DESTRUCTION", "BADSTR", "BADFLAGS", "NONAME",
    "BADHINTS", "NOTINITIALIZED", "LOADIPHLPAPI", "ADDRGETNETWORKPARAMS", "CANCELLED"];
  const constants = Object.fromEntries(names.map(
    (n) => [n, n === "ADDRGETNETWORKPARAMS" ? "EADDRGETNETWORKPARAMS" : `E${n}`]));
  Object.assign(constants, { ADDRCONFIG: 1024, ALL: 256, V4MAPPED: 2048 });
  const server = "1.1.1.1";

  async function ask(name, type, syscall) {
    validateString(name, "hostname");
    const fail = (code) => Object.assign(new Error(`${syscall} ${code} ${name}`), { code, syscall, hostname: name });
    let answer;
    try {
      const res = await fetch(`https://cloudflare-dns.com/dns-query?name=${encodeURIComponent(name)}&type=${type}`,
        { headers: { accept: "application/dns-json" } });
      answer = await res.json();
    } catch (cause) {
      throw Object.assign(fail(constants.CONNREFUSED), { cause });
    }
    if (answer.Status === 3) throw fail(constants.NOTFOUND);
    if (answer.Status !== 0) throw fail(constants.SERVFAIL);
    const found = (answer.Answer ?? []).filter((a) => a.type === numbers[type]);
    if (found.length === 0) throw fail(constants.NODATA);
    return found;
  }
  const numbers = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, CAA: 257 };
  const bare = (s) => s.replace(/\.$/, "");
  const words = (s) => s.split(/\s+/);
  const shapes = {
    CNAME: (d) => bare(d),
    NS: (d) => bare(d),
    PTR: (d) => bare(d),
    MX: (d) => ({ exchange: bare(words(d)[1]), priority: +words(d)[0] }),
    TXT: (d) => (d.match(/"((?:\\.|[^"\\])*)"/g) ?? [d]).map((s) => s.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1")),
    SRV(d) {
      const [priority, weight, port, name] = words(d);
      return { priority: +priority, weight: +weight, port: +port, name: bare(name) };
    },
    CAA(d) {
      const [critical, tag, value] = words(d);
      return { critical: +critical, [tag]: value?.replace(/"/g, "") };
    },
    NAPTR(d) {
      const [order, preference, flags, service, regexp, replacement] = words(d).map((w) => w.replace(/"/g, ""));
      return { flags, service, regexp, replacement: bare(replacement), order: +order, preference: +preference };
    },
    SOA(d) {
      const [nsname, hostmaster, serial, refresh, retry, expire, minttl] = words(d);
      return { nsname: bare(nsname), hostmaster: bare(hostmaster), serial: +serial, refresh: +refresh, retry: +retry,
        expire: +expire, minttl: +minttl };
    },
  };
  const query = (type) => async (name) => {
    const found = (await ask(name, type, `query${type[0]}${type.slice(1).toLowerCase()}`)).map(
      (a) => shapes[type](a.data));
    return type === "SOA" ? found[0] : found;
  };
  const addresses = (type) => async (name, options) =>
    (await ask(name, type, `query${type}`)).map((a) => (options?.ttl ? { address: a.data, ttl: a.TTL } : a.data));

  const queries = {
    resolve4: addresses("A"), resolve6: addresses("AAAA"),
    resolveCname: query("CNAME"), resolveMx: query("MX"), resolveNs: query("NS"), resolvePtr: query("PTR"),
      resolveTxt: query("TXT"),
    resolveSrv: query("SRV"), resolveCaa: query("CAA"), resolveNaptr: query("NAPTR"), resolveSoa: query("SOA"),
    async resolveAny() {
      throw Object.assign(new Error("The dns.resolveAny() method is not implemented"),
        { code: "ERR_METHOD_NOT_IMPLEMENTED" });
    },
    async reverse(ip) {
      const { isIP } = require("internal/address");
      const v = isIP(ip);
      if (v === 0) throw Object.assign(new Error(`getHostByAddr EINVAL ${ip}`),
        { code: "EINVAL", syscall: "getHostByAddr", hostname: ip });
      const name = v === 4 ? `${ip.split(".").reverse().join(".")}.in-addr.arpa` :
        `${require("internal/address").expand6(ip).replace(/:/g, "").split("").reverse().join(".")}.ip6.arpa`;
      return queries.resolvePtr(name);
    },
    async resolve(name, type = "A") {
      validateString(type, "rrtype");
      const method = type === "A" ? "resolve4" : type === "AAAA" ? "resolve6" :
        `resolve${type[0]}${type.slice(1).toLowerCase()}`;
      validateOneOf(type, "rrtype", [...Object.keys(numbers), "ANY"]);
      return queries[method](name);
    },
  };

  async function lookup(hostname, options = {}) {
    const { isIP } = require("internal/address");
    const o = typeof options === "number" ? { family: options } : options ?? {};
    const one = isIP(hostname);
    let list;
    if (one) list = [{ address: hostname, family: one }];
    else {
      const wanted = o.family === 6 || o.family === "IPv6" ? [6] : o.family === 4 || o.family === "IPv4" ? [4] : [4, 6];
      const results = await Promise.allSettled(wanted.map((f) => queries[`resolve${f}`](hostname)));
      list = results.flatMap((r, i) => (
        r.status === "fulfilled" ? r.value.map((address) => ({ address, family: wanted[i] })) : []));
      if (list.length === 0) throw Object.assign(
        new Error(`getaddrinfo ENOTFOUND ${hostname}`),
        { code: "ENOTFOUND", syscall: "getaddrinfo", hostname, errno: -3008 });
    }
    return o.all ? list : list[0];
  }
  module.exports = { constants, queries, lookup, servers: [server] };
})

// IP addresses as text.
(function (require, module) {
  "use strict";
  const four = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
  const isIPv4 = (s) => four.test(`${s}`);

  // groups are the eight numbers of an IPv6 address; undefined if it is none.
  function groups(s) {
    s = `${s}`.replace(/%[0-9A-Za-z-.:]+$/, "");
    const dotted = /:(\d+\.\d+\.\d+\.\d+)$/.exec(s);
    if (dotted) {
      if (!isIPv4(dotted[1])) return undefined;
      const [a, b, c, d] = dotted[1].split(".").map(Number);
      s = `${s.slice(0, -dotted[1].length)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    }
    const halves = s.split("::");
    if (halves.length > 2) return undefined;
    const parts = halves.map((h) => (h === "" ? [] : h.split(":")));
    const count = parts.reduce((n, p) => n + p.length, 0);
    if (halves.length === 2 ? count > 7 : count !== 8) return undefined;
    const all = halves.length === 2 ? [...parts[0], ...Array(8 - count).fill("0"), ...parts[1]] : parts[0];
    return all.every((g) => /^[0-9a-fA-F]{1,4}$/.test(g)) ? all.map((g) => parseInt(g, 16)) : undefined;
  }
  const isIPv6 = (s) => groups(s) !== undefined;
  module.exports = {
    isIPv4, isIPv6, groups,
    isIP: (s) => (isIPv4(s) ? 4 : isIPv6(s) ? 6 : 0),
    expand6: (s) => groups(s).map((g) => g.toString(16).padStart(4, "0")).join(":"),
  };
})

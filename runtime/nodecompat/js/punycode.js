(function (require, module) {
  "use strict";
  // RFC 3492.
  const base = 36, tMin = 1, tMax = 26, skew = 38, damp = 700, initialBias = 72, initialN = 128, max = 2147483647;
  const fail = (text) => {
    throw new RangeError(text);
  };
  function adapt(delta, points, first) {
    let k = 0;
    delta = first ? Math.floor(delta / damp) : delta >> 1;
    delta += Math.floor(delta / points);
    for (; delta > ((base - tMin) * tMax) >> 1; k += base) delta = Math.floor(delta / (base - tMin));
    return Math.floor(k + ((base - tMin + 1) * delta) / (delta + skew));
  }
  const ucs2 = {
    decode: (s) => {
      const out = [];
      for (let i = 0; i < s.length; i++) {
        const c = s.codePointAt(i);
        out.push(c);
        if (c > 0xffff) i++;
      }
      return out;
    },
    encode: (points) => String.fromCodePoint(...points),
  };
  const digit = (d) => String.fromCharCode(d < 26 ? d + 97 : d + 22);
  const value = (c) => (c >= 48 && c < 58 ? c - 22 : c >= 65 && c < 91 ? c - 65 : c >= 97 && c < 123 ? c - 97 : base);
  const threshold = (k, bias) => (k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias);

  function encode(input) {
    const points = ucs2.decode(input);
    let n = initialN, delta = 0, bias = initialBias;
    let out = points.filter((c) => c < 128).map((c) => String.fromCharCode(c)).join("");
    const basic = out.length;
    let handled = basic;
    if (basic) out += "-";
    while (handled < points.length) {
      const m = Math.min(...points.filter((c) => c >= n));
      if (m - n > Math.floor((max - delta) / (handled + 1))) fail("Overflow: input needs wider integers to process");
      delta += (m - n) * (handled + 1);
      n = m;
      for (const c of points) {
        if (c < n && ++delta > max) fail("Overflow: input needs wider integers to process");
        if (c !== n) continue;
        let q = delta;
        for (let k = base; ; k += base) {
          const t = threshold(k, bias);
          if (q < t) break;
          out += digit(t + ((q - t) % (base - t)));
          q = Math.floor((q - t) / (base - t));
        }
        out += digit(q);
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return out;
  }

  function decode(input) {
    const out = [];
    const split = Math.max(0, input.lastIndexOf("-"));
    for (let i = 0; i < split; i++) {
      if (input.charCodeAt(i) >= 128) fail("Illegal input >= 0x80 (not a basic code point)");
      out.push(input.charCodeAt(i));
    }
    let n = initialN, i = 0, bias = initialBias;
    for (let at = split > 0 ? split + 1 : 0; at < input.length;) {
      const old = i;
      for (let w = 1, k = base; ; k += base) {
        if (at >= input.length) fail("Invalid input");
        const d = value(input.charCodeAt(at++));
        if (d >= base) fail("Invalid input");
        if (d > Math.floor((max - i) / w)) fail("Overflow: input needs wider integers to process");
        i += d * w;
        const t = threshold(k, bias);
        if (d < t) break;
        w *= base - t;
      }
      bias = adapt(i - old, out.length + 1, old === 0);
      n += Math.floor(i / (out.length + 1));
      i %= out.length + 1;
      out.splice(i++, 0, n);
    }
    return ucs2.encode(out);
  }

  function labels(domain, f) {
    const at = domain.split("@");
    const head = at.length > 1 ? `${at.shift()}@` : "";
    return head + at.join("@").replace(/[\u3002\uFF0E\uFF61]/g, ".").split(".").map(f).join(".");
  }
  module.exports = {
    version: "2.1.0", ucs2, encode, decode,
    toASCII: (d) => labels(d, (l) => (/[^\0-\x7F]/.test(l) ? `xn--${encode(l)}` : l)),
    toUnicode: (d) => labels(d, (l) => (l.startsWith("xn--") ? decode(l.slice(4).toLowerCase()) : l)),
  };
})

const tag = (s, x) => s[0].codePointAt(0).toString(16) + s.raw[0] + x + s[1].length;
const o = { '\u{10ffff}': 1 }; let n = 0; if (o['\u{10FFFF}']) n++;
export default ["\u{10FFFF}".length, '\\u{10FFFF}'.length, `\u{0010ffff}a${1}b\u{10FFFF}`.length, tag`\u{10FFFF}${2}\u{10FFFF}`, "􏿿".codePointAt(0), /􏿿/u.test("\u{10FFFF}"), /^[\u{10FFFE}-\u{10FFFF}]$/u.source.length, n].join(' ')

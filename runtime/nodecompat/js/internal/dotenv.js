// .env files: KEY=value, quotes, comments, export.
(function (require, module) {
  "use strict";
  const line = /^\s*(?:export\s+)?([\w.-]+)\s*=[^\S\n]*('(?:[^'])*'|"(?:\\.|[^"\\])*"|`(?:[^`])*`|[^\n#]*)?[^\n]*$/gm;
  function parse(text) {
    const out = {};
    for (const m of text.replace(/\r\n?/g, "\n").matchAll(line)) {
      let value = (m[2] ?? "").trim();
      const quote = value[0];
      if (value.length > 1 && (quote === "'" || quote === '"' || quote === "`") && value.endsWith(quote)) {
        value = value.slice(1, -1);
        if (quote === '"') value = value.replace(/\\n/g, "\n");
      }
      out[m[1]] = value;
    }
    return out;
  }
  module.exports = { parse };
})

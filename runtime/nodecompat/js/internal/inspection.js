// util.inspect, util.format and colours.
(function (require, module, exports, host) {
  "use strict";
  const { validateString, validateObject, validateOneOf } = require("internal/validators");

  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
  };

  function inspect(value, options) {
    if (arguments.length > 1 && typeof options !== "object") {
      options = { showHidden: !!options };
      if (arguments[2] !== undefined) options.depth = arguments[2];
      if (arguments[3] !== undefined) options.colors = arguments[3];
    }
    return host.inspect(value, { ...changed, ...options }, inspect);
  }
  let changed = {};
  inspect.custom = Symbol.for("nodejs.util.inspect.custom");
  Object.defineProperty(inspect, "defaultOptions", {
    get: () => ({ ...defaults, ...changed }),
    set(options) {
      validateObject(options, "options");
      changed = { ...changed, ...options };
      return changed;
    },
  });

  const pair = (open, close) => [open, close];
  inspect.colors = {
    __proto__: null,
    reset: pair(0, 0), bold: pair(1, 22), dim: pair(2, 22), italic: pair(3, 23), underline: pair(4, 24),
      blink: pair(5, 25),
    inverse: pair(7, 27), hidden: pair(8, 28), strikethrough: pair(9, 29), doubleunderline: pair(21, 24),
    framed: pair(51, 54), overlined: pair(53, 55),
  };
  ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].forEach((name, i) => {
    inspect.colors[name] = pair(30 + i, 39);
    inspect.colors[`bg${name[0].toUpperCase()}${name.slice(1)}`] = pair(40 + i, 49);
    inspect.colors[`${name}Bright`] = pair(90 + i, 39);
    inspect.colors[`bg${name[0].toUpperCase()}${name.slice(1)}Bright`] = pair(100 + i, 49);
  });
  const aliases = { gray: "blackBright", grey: "blackBright", bgGray: "bgBlackBright", bgGrey: "bgBlackBright",
    dimmed: "dim", faint: "dim", crossedout: "strikethrough", strikeThrough: "strikethrough",
    crossedOut: "strikethrough", conceal: "hidden", swapColors: "inverse", swapcolors: "inverse",
    doubleUnderline: "doubleunderline" };
  for (const [alias, name] of Object.entries(aliases)) {
    Object.defineProperty(inspect.colors, alias,
      { get: () => inspect.colors[name], configurable: true, enumerable: false });
  }
  inspect.styles = {
    __proto__: null,
    special: "cyan", number: "yellow", bigint: "yellow", boolean: "yellow", undefined: "grey", null: "bold",
      string: "green",
    symbol: "green", date: "magenta", regexp: "red", module: "underline",
  };

  const format = (...args) => host.format(undefined, args, inspect);
  function formatWithOptions(options, ...args) {
    validateObject(options, "inspectOptions");
    return host.format(options, args, inspect);
  }

  // https://www.ecma-international.org/publications-and-standards/standards/ecma-48/: CSI and OSC sequences.
  const control = new RegExp(
    "[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]+)*|[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/\\#&.:" +
      "=?%@~_]*)*)?(?:\\u0007|\\u001B\\u005C|\\u009C))|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-ntqry=><~]))",
    "g");
  function stripVTControlCharacters(str) {
    validateString(str, "str");
    return str.includes("\u001b") || str.includes("\u009b") ? str.replace(control, "") : str;
  }

  function styleText(formats, text, options) {
    validateString(text, "text");
    if (options !== undefined) validateObject(options, "options");
    const list = Array.isArray(formats) ? formats : [formats];
    let open = "";
    let close = "";
    for (const f of list) {
      if (f === "none") continue;
      const codesOf = inspect.colors[f];
      if (codesOf == null) validateOneOf(f, "format", Object.keys(inspect.colors));
      open += `\u001b[${codesOf[0]}m`;
      close = `\u001b[${codesOf[1]}m${close}`;
    }
    return `${open}${text}${close}`;
  }
  module.exports = { inspect, format, formatWithOptions, stripVTControlCharacters, styleText };
})

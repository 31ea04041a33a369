// util.parseArgs.
(function (require, module) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateArray, validateBoolean, validateObject, validateString, validateOneOf, validateStringArray } =
    require("internal/validators");

  function checkOptions(options) {
    validateObject(options, "options");
    for (const [name, o] of Object.entries(options)) {
      validateObject(o, `options.${name}`);
      validateOneOf(o.type, `options.${name}.type`, ["string", "boolean"]);
      if (o.short !== undefined) {
        validateString(o.short, `options.${name}.short`);
        if (o.short.length !== 1) throw new codes.ERR_INVALID_ARG_VALUE(
          `options.${name}.short`, o.short, "must be a single character");
      }
      if (o.multiple !== undefined) validateBoolean(o.multiple, `options.${name}.multiple`);
      if (o.default === undefined) continue;
      const at = `options.${name}.default`;
      if (o.multiple) {
        validateArray(o.default, at);
        if (o.type === "string") validateStringArray(o.default, at);
        else o.default.forEach((v, i) => validateBoolean(v, `${at}[${i}]`));
      } else if (o.type === "string") validateString(o.default, at);
      else validateBoolean(o.default, at);
    }
  }

  // tokenise takes the command line apart without judging it.
  function tokenise(args, options) {
    const tokens = [];
    const long = (short) => Object.keys(options).find((n) => options[n].short === short);
    const isString = (name) => options[name]?.type === "string";
    const queue = args.map((arg, index) => ({ arg, index }));
    while (queue.length > 0) {
      const { arg, index } = queue.shift();
      if (arg === "--") {
        tokens.push({ kind: "option-terminator", index });
        for (const rest of queue) tokens.push({ kind: "positional", index: rest.index, value: rest.arg });
        break;
      }
      const option = (name, rawName, inline) => {
        let value = inline;
        let inlineValue = inline !== undefined ? true : undefined;
        if (value === undefined && isString(name) && queue.length > 0 && queue[0].arg !== undefined &&
          !queue[0].split) {
          value = queue.shift().arg;
          inlineValue = false;
        }
        tokens.push({ kind: "option", name, rawName, index, value, inlineValue });
      };
      if (/^-[^-]$/.test(arg)) option(long(arg[1]) ?? arg[1], arg);
      else if (/^-[^-]./.test(arg)) {
        const name = long(arg[1]);
        if (name !== undefined && isString(name)) {
          option(name, arg.slice(0, 2), arg.slice(2));
          continue;
        }
        // A group: all but the last must be flags.
        const parts = [];
        for (let i = 1; i < arg.length; i++) {
          const n = long(arg[i]);
          if (!isString(n) || i === arg.length - 1) parts.push(`-${arg[i]}`);
          else {
            parts.push(`-${arg.slice(i)}`);
            break;
          }
        }
        queue.unshift(...parts.map((p, i) => ({ arg: p, index, split: i > 0 })));
      } else if (/^--[^=]+=/.test(arg)) {
        const at = arg.indexOf("=");
        option(arg.slice(2, at), arg.slice(0, at), arg.slice(at + 1));
      } else if (/^--./.test(arg)) option(arg.slice(2), arg);
      else tokens.push({ kind: "positional", index, value: arg });
    }
    return tokens;
  }

  function parseArgs(config = {}) {
    validateObject(config, "config");
    const args = config.args ?? require("process").argv.slice(2);
    const strict = config.strict ?? true;
    const allowPositionals = config.allowPositionals ?? !strict;
    const allowNegative = config.allowNegative ?? false;
    const options = config.options ?? {};
    validateArray(args, "args");
    validateBoolean(strict, "strict");
    validateBoolean(allowPositionals, "allowPositionals");
    checkOptions(options);
    const tokens = tokenise(args, options);
    const values = { __proto__: null };
    const positionals = [];
    const store = (name, value) => {
      if (name === "__proto__") return;
      const v = value ?? true;
      if (options[name]?.multiple) (values[name] ??= []).push(v);
      else values[name] = v;
    };
    for (const t of tokens) {
      if (t.kind === "positional") {
        if (!allowPositionals) throw new codes.ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(t.value);
        positionals.push(t.value);
      } else if (t.kind === "option") {
        let { name, value } = t;
        if (allowNegative && name.startsWith("no-") && options[name.slice(3)]?.type === "boolean") {
          name = t.name = name.slice(3);
          value = false;
        }
        const o = options[name];
        if (strict) {
          if (!o) throw new codes.ERR_PARSE_ARGS_UNKNOWN_OPTION(t.rawName, allowPositionals);
          const shown = `${o.short ? `-${o.short}, ` : ""}--${name}`;
          if (o.type === "string" && typeof value !== "string") throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(
            `Option '${shown} <value>' argument missing`);
          if (o.type === "boolean" && typeof value === "string") throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(
            `Option '${shown}' does not take an argument`);
          if (t.inlineValue === false && value.startsWith("-") && value.length > 1) {
            throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(
              `Option '${t.rawName}' argument is ambiguous.\n` +
              `Did you forget to specify the option argument for '${t.rawName}'?\n` +
              "To specify an option argument starting with a dash use " +
              `'${t.rawName.startsWith("--") ? t.rawName : `--${name}`}=-XYZ'.`);
          }
        }
        store(name, value);
      }
    }
    for (const [name, o] of Object.entries(options)) {
      if (o.default !== undefined && values[name] === undefined) values[name] = o.default;
    }
    return config.tokens ? { values, positionals, tokens } : { values, positionals };
  }
  module.exports = { parseArgs };
})

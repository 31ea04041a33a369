// Values as text: pretty-printed for snapshots and diffs (TEST-105, TEST-113), and on one line for messages (TEST-98).
(function (v) {
  "use strict";

  const tag = (x) => Object.prototype.toString.call(x);
  const className = (x) =>
    typeof x.constructor === "function" && x.constructor.name ? x.constructor.name : "Object";

  function primitive(x, o) {
    switch (typeof x) {
      case "undefined":
        return "undefined";
      case "boolean":
        return `${x}`;
      case "number":
        return Object.is(x, -0) ? "-0" : String(x);
      case "bigint":
        return `${x}n`;
      case "string":
        return o.escapeString ? `"${x.replaceAll(/"|\\/g, "\\$&")}"` : `"${x}"`;
      case "symbol":
        return String(x).replace(/^Symbol\((.*)\)(.*)$/, "Symbol($1)$2");
      case "function":
        return o.printFunctionName ? `[Function ${x.name || "anonymous"}]` : "[Function]";
    }
    return null;
  }

  function basic(x, o) {
    if (x === null) return "null";
    const text = primitive(x, o);
    if (text !== null) return text;
    switch (tag(x)) {
      case "[object WeakMap]":
        return "WeakMap {}";
      case "[object WeakSet]":
        return "WeakSet {}";
      case "[object Function]":
      case "[object GeneratorFunction]":
        return o.printFunctionName ? `[Function ${x.name || "anonymous"}]` : "[Function]";
      case "[object Symbol]":
        return String(x);
      case "[object Date]":
        return Number.isNaN(+x) ? "Date { NaN }" : x.toISOString();
      case "[object RegExp]":
        return o.escapeRegex ? String(x).replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&") : String(x);
    }
    if (x instanceof Error || tag(x) === "[object Error]")
      return o.printErrors ? null : `[${Error.prototype.toString.call(x)}]`;
    return null;
  }

  const defaults = {
    escapeRegex: false,
    escapeString: false,
    indent: 2,
    maxDepth: Infinity,
    min: false,
    printBasicPrototype: false,
    printFunctionName: false,
    callToJSON: true,
    compareKeys: undefined,
    maxWidth: Infinity,
    plugins: [],
  };

  // v.pretty prints a value over several lines.
  v.pretty = function (x, options = {}) {
    const o = { ...defaults, ...options };
    return print(x, o, "", 0, []);
  };

  function print(x, o, indent, depth, refs) {
    for (const p of o.plugins) if (p.test(x)) return plugged(p, x, o, indent, depth, refs);
    const text = basic(x, o);
    if (text !== null) return text;
    if (refs.includes(x)) return "[Circular]";
    return complex(x, o, indent, depth, [...refs, x]);
  }

  function plugged(p, x, o, indent, depth, refs) {
    if (p.serialize)
      return String(
        p.serialize(
          x,
          { ...o, spacingInner: o.min ? " " : "\n", spacingOuter: o.min ? "" : "\n", indent: " ".repeat(o.indent) },
          indent,
          depth,
          refs,
          (value, config, at, d, r) => print(value, o, at ?? indent, d ?? depth, r ?? refs),
        ),
      );
    const spaces = " ".repeat(o.indent);
    return String(
      p.print(
        x,
        (value) => print(value, o, indent, depth, refs),
        (text) => {
          const at = indent + spaces;
          return at + text.replaceAll("\n", `\n${at}`);
        },
        { edgeSpacing: o.min ? "" : "\n", min: o.min, spacing: o.min ? " " : "\n" },
        {},
      ),
    );
  }

  function complex(x, o, indent, depth, refs) {
    depth++;
    const deep = depth > o.maxDepth;
    if (o.callToJSON && !deep && typeof x.toJSON === "function" && !v.isAsymmetric(x))
      return print(x.toJSON(), o, indent, depth, refs);
    const type = tag(x);
    if (type === "[object Arguments]")
      return deep ? "[Arguments]" : `${o.min ? "" : "Arguments "}[${list([...x], o, indent, depth, refs)}]`;
    if (
      Array.isArray(x) ||
      (ArrayBuffer.isView(x) && !(x instanceof DataView)) ||
      x instanceof ArrayBuffer ||
      x instanceof DataView
    ) {
      const name = className(x);
      if (deep) return `[${name}]`;
      const bare = o.min || (!o.printBasicPrototype && name === "Array");
      const items =
        x instanceof ArrayBuffer || x instanceof DataView
          ? []
          : Array.from(x, (y, i) => (Array.isArray(x) && !(i in x) ? undefined : y));
      return `${bare ? "" : `${name} `}[${list(items, o, indent, depth, refs)}]`;
    }
    if (x instanceof Map) return deep ? "[Map]" : `Map {${entries([...x], o, indent, depth, refs, " => ")}}`;
    if (x instanceof Set) return deep ? "[Set]" : `Set {${list([...x], o, indent, depth, refs)}}`;
    const own = x instanceof Error && x.name !== "Error" ? String(x.name) : className(x);
    const name = Object.getPrototypeOf(x) === null ? "Object" : (moduleName(x) ?? own);
    if (deep) return `[${name}]`;
    const bare = o.min || (!o.printBasicPrototype && name === "Object");
    let keys = Object.keys(x);
    if (x instanceof Error) keys = [...new Set(["message", ...("cause" in x ? ["cause"] : []), ...keys])];
    else if (o.compareKeys !== null) keys = keys.sort(o.compareKeys);
    const symbols = Object.getOwnPropertySymbols(x).filter((s) => Object.getOwnPropertyDescriptor(x, s).enumerable);
    const pairs = [...keys, ...symbols].map((k) => [k, read(x, k)]);
    return `${bare ? "" : `${name} `}{${entries(pairs, o, indent, depth, refs, ": ")}}`;
  }

  const moduleName = (x) => (x[Symbol.toStringTag] === "Module" ? "Module" : undefined);
  function read(x, k) {
    try {
      return x[k];
    } catch (e) {
      return e;
    }
  }

  const outer = (o) => (o.min ? "" : "\n");
  const inner = (o) => (o.min ? " " : "\n");

  function list(items, o, indent, depth, refs) {
    if (items.length === 0) return "";
    const at = indent + (o.min ? "" : " ".repeat(o.indent));
    let out = outer(o);
    items.slice(0, o.maxWidth).forEach((item, i) => {
      out += at + print(item, o, at, depth, refs);
      out += i < items.length - 1 ? `,${inner(o)}` : o.min ? "" : ",";
    });
    return out + outer(o) + indent;
  }

  function entries(pairs, o, indent, depth, refs, between) {
    if (pairs.length === 0) return "";
    const at = indent + (o.min ? "" : " ".repeat(o.indent));
    let out = outer(o);
    pairs.forEach(([k, value], i) => {
      out += `${at}${print(k, o, at, depth, refs)}${between}${print(value, o, at, depth, refs)}`;
      out += i < pairs.length - 1 ? `,${inner(o)}` : o.min ? "" : ",";
    });
    return out + outer(o) + indent;
  }

  // v.stringify is what a diff compares.
  v.stringify = function (x, options = {}) {
    for (let depth = options.maxDepth ?? 20; ; depth = Math.floor(depth / 2)) {
      const text = v.pretty(x, {
        plugins: v.plugins,
        printFunctionName: true,
        printErrors: true,
        maxDepth: depth,
        ...options,
      });
      if (text.length < 1 << 20 || depth <= 1) return text;
    }
  };

  // v.inspect is a value on one line. room is about how long it may be: what does not fit is left out, with … and how
  // many there were.
  v.inspect = function (x, room = Infinity, seen = []) {
    switch (typeof x) {
      case "undefined":
      case "boolean":
        return `${x}`;
      case "number":
        return cut(Object.is(x, -0) ? "-0" : x === 0 ? "+0" : `${x}`, room);
      case "bigint":
        return `${cut(`${x}`, room - 1)}n`;
      case "string":
        return quoted(x, room);
      case "symbol":
        return x.description === undefined ? "Symbol()" : `Symbol(${cut(x.description, room - 8)})`;
      case "function": {
        const name = v.isMock(x) && x.getMockName() !== "vi.fn()" ? x.getMockName() : x.name;
        return name ? `[Function ${cut(name, room - 11)}]` : "[Function]";
      }
    }
    if (x === null) return "null";
    if (seen.includes(x)) return "[Circular]";
    if (v.isAsymmetric(x))
      return x.result?.issues?.length > 0 ? `${x}{…}` : v.pretty(x, { plugins: v.plugins, min: true });
    if (x instanceof String) return quoted(String(x), room);
    if (x instanceof Number || x instanceof Boolean) return item(x.valueOf(), room);
    const next = [...seen, x];
    const item = (y, left) => v.inspect(y, left, next);
    if (x instanceof Date) return Number.isNaN(+x) ? "Invalid Date" : cut(x.toISOString(), room);
    if (x instanceof RegExp) return `/${cut(x.source, room - 2 - x.flags.length)}/${x.flags}`;
    if (x instanceof Error) return inspectError(x, item, room);
    if (Array.isArray(x)) return x.length === 0 ? "[]" : `[ ${series(Array.from(x), room - 4, item)} ]`;
    if (ArrayBuffer.isView(x) && !(x instanceof DataView)) {
      const name = className(x);
      return `${name}[ ${series(Array.from(x), room - name.length - 4, (y, left) => cut(`${y}`, left))} ]`;
    }
    if (x instanceof Map)
      return x.size === 0
        ? "Map{}"
        : `Map{ ${series([...x], room - 7, ([k, y], left) => {
            const head = item(k, left - 4);
            return `${head} => ${item(y, left - 4 - head.length)}`;
          })} }`;
    if (x instanceof Set) return x.size === 0 ? "Set{}" : `Set{ ${series([...x], room - 7, item)} }`;
    if (x instanceof Promise) return "Promise{…}";
    const name = Object.getPrototypeOf(x) === null ? "" : className(x);
    const prefix = name === "Object" || name === "" ? "" : name;
    const keys = [
      ...Object.keys(x),
      ...Object.getOwnPropertySymbols(x).filter((s) => Object.getOwnPropertyDescriptor(x, s).enumerable),
    ];
    if (keys.length === 0) return `${prefix}{}`;
    return `${prefix}{ ${series(keys, room - prefix.length - 4, (k, left) => member(k, read(x, k), left, item))} }`;
  };

  function member(k, value, room, item) {
    const head = typeof k === "symbol" ? `[${String(k)}]` : /^[A-Za-z_$][\w$]*$/.test(k) ? k : quoted(k, room - 2);
    return `${head}: ${item(value, room - 2 - head.length)}`;
  }

  const more = "…";
  function cut(text, room) {
    if (text.length <= room) return text;
    return room < more.length ? more : text.slice(0, room - more.length) + more;
  }

  // series joins what fits into room. An item is taken if it fits together with the count of what would be left out
  // after it, or if all of the rest fits.
  function series(items, room, show) {
    let out = "",
      shown = null;
    for (let i = 0; i < items.length; i++) {
      const rest = items.length - i,
        last = rest === 1,
        between = last ? "" : ", ";
      const text = shown ?? show(items[i], room - out.length - between.length) + between;
      const count = `${more}(${rest})`;
      const after = out.length + text.length;
      if (last && after > room && out.length + count.length <= room) return out + count;
      if (rest > 2 && after + count.length > room) return out + count;
      shown = last ? null : show(items[i + 1], room - out.length - between.length) + (rest === 2 ? "" : ", ");
      if (rest === 2 && after + count.length > room && after + shown.length > room) return out + count;
      out += text;
      if (rest > 2 && after + shown.length >= room) return `${out}${more}(${rest - 1})`;
    }
    return out;
  }

  const escapes = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "'": "\\'", "\\": "\\\\" };
  const hidden =
    /['\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0604\u070f\u200c-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/g;
  function quoted(s, room = Infinity) {
    const text = s.replace(
      hidden,
      (c) => escapes[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    return `'${cut(text, room - 2)}'`;
  }

  function inspectError(e, item, room) {
    const extra = Object.keys(e).filter(
      (k) =>
        !["stack", "message", "name", "cause", "line", "column", "fileName", "number", "description"].includes(k),
    );
    const name = e.name || className(e);
    const message = e.message ? cut(String(e.message), room - name.length - 5) : "";
    const head = message ? `${name}: ${message}` : name;
    return extra.length === 0
      ? head
      : `${head} { ${series(extra, room - head.length - 5, (k, left) => member(k, e[k], left, item))} }`;
  }

  // v.display is a value in a message.
  v.display = (x, { truncate = 40 } = {}) => {
    const text = v.inspect(x, truncate || Infinity);
    return truncate && text.length >= truncate && (Array.isArray(x) || tag(x) === "[object Object]")
      ? named(x, text)
      : text;
  };

  // v.titleValue is a value in a title: a long one is named by its kind.
  v.titleValue = function (x) {
    const text = v.inspect(x);
    return text.length < 40 || typeof x === "string" ? v.display(x) : named(x, v.display(x));
  };
  function named(x, text) {
    if (Array.isArray(x)) return `[ Array(${x.length}) ]`;
    if (tag(x) === "[object Object]") {
      const keys = Object.keys(x);
      return `{ Object (${keys.length > 2 ? `${keys.slice(0, 2).join(", ")}, ...` : keys.join(", ")}) }`;
    }
    return text;
  }

  // v.format fills a title (TEST-91).
  v.format = function (template, ...items) {
    let i = 0;
    const text = String(template).replace(/%[sdjifoOc%]/g, (whole) => {
      if (whole === "%%") return "%";
      if (i >= items.length) return whole;
      const x = items[i++];
      switch (whole) {
        case "%s":
          if (typeof x === "bigint") return `${x}n`;
          if (Object.is(x, -0)) return "-0";
          if (typeof x === "object" && x !== null) {
            if (typeof x.toString === "function" && x.toString !== Object.prototype.toString && !Array.isArray(x))
              return x.toString();
            return v.inspect(x);
          }
          return String(x);
        case "%d":
          return typeof x === "bigint" ? `${x}n` : `${Number(x)}`;
        case "%i":
          return typeof x === "bigint" ? `${x}n` : `${Number.parseInt(x)}`;
        case "%f":
          return `${Number.parseFloat(x)}`;
        case "%j":
          try {
            return JSON.stringify(x);
          } catch {
            return "[Circular]";
          }
        case "%c":
          return "";
        default:
          return v.inspect(x);
      }
    });
    return [
      text,
      ...items.slice(i).map((x) => (typeof x === "object" && x !== null ? v.inspect(x) : String(x))),
    ].join(" ");
  };

  v.plugins = [
    {
      test: (x) => x !== null && typeof x === "object" && x.$$typeof === Symbol.for("jest.asymmetricMatcher"),
      serialize: (x, config, indent, depth, refs, printer) => {
        const name = x.toString();
        if (
          name === "ArrayContaining" ||
          name === "ArrayNotContaining" ||
          name === "ObjectContaining" ||
          name === "ObjectNotContaining"
        )
          return `${name} ${printer(x.sample)}`;
        if (
          name === "StringMatching" ||
          name === "StringNotMatching" ||
          name === "StringContaining" ||
          name === "StringNotContaining"
        )
          return `${name} ${printer(x.sample)}`;
        return x.toAsymmetricMatcher ? x.toAsymmetricMatcher() : name;
      },
    },
    {
      test: (x) => v.isMock(x),
      serialize: (x, config, indent, depth, refs, printer) => {
        const name = x.getMockName();
        const head = `[MockFunction${name === "vi.fn()" || name === "" ? "" : ` ${name}`}]`;
        if (x.mock.calls.length === 0) return head;
        return `${head} ${printer({ calls: x.mock.calls, results: x.mock.results })}`;
      },
    },
  ];
});

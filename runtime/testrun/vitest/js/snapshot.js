// Snapshots in files and in the source (TEST-111 to TEST-115). Go reads and writes the files; here is what is compared.
(function (v, host) {
  "use strict";
  const { method } = v;

  v.snapshotPlugins = [...v.plugins];
  const format = (x) =>
    v.pretty(x, {
      plugins: v.snapshotPlugins,
      printFunctionName: false,
      ...(v.config.snapshotFormat ?? {}),
    });
  const normal = (text) => text.replaceAll(/\r\n|\r/g, "\n");
  const framed = (text) => (text.includes("\n") ? `\n${text}\n` : text);
  const unframed = (text) => (text.length > 2 && text[0] === "\n" && text.at(-1) === "\n" ? text.slice(1, -1) : text);

  // of is the state of the file: stored entries, those that were written, how often each name was used.
  function of() {
    const file = v.file;
    return (file.snapshots ??= {
      stored: new Map(Object.entries(JSON.parse(host.snapshots(file.filepath)))),
      now: new Map(),
      counts: new Map(),
      used: new Set(),
      byTest: new Map(),
      added: 0,
      updated: 0,
      matched: 0,
      unmatched: 0,
      inline: [],
      raw: [],
      removed: 0,
    });
  }

  v.beginSnapshots = (test) => {
    if (v.file.snapshots) test.snapshotKeys = [];
  };
  v.restartSnapshots = (test) => {
    const s = v.file?.snapshots;
    if (!s) return;
    for (const key of test.snapshotKeys ?? []) {
      s.now.delete(key);
      s.used.delete(key);
    }
    for (const name of test.snapshotNames ?? []) s.counts.set(name, 0);
    s.inline = s.inline.filter((i) => i.test !== test.id);
    test.snapshotKeys = [];
  };

  const mode = () => v.config.update ?? "new";

  function compare(assertion, { received, hint, inline, raw, properties }) {
    const f = assertion.__flags;
    const test = f.test ?? v.running();
    if (!test) throw new Error("Snapshot cannot be used outside of test");
    if (f.negate)
      throw new Error(
        `${raw ? "toMatchFileSnapshot" : inline !== undefined ? "toMatchInlineSnapshot" : "toMatchSnapshot"} ` +
            `cannot be used with "not"`,
      );
    const s = of();
    if (properties !== undefined) {
      if (received === null || typeof received !== "object")
        throw new Error("Received value must be an object when the matcher has properties");
      if (!v.equals(received, properties, [v.iterableEquality, v.subsetEquality])) {
        throw new v.ExtendError("Snapshot properties mismatched", received, properties);
      }
      received = merge(received, properties);
    }
    const name = [...test.names, ...(hint ? [hint] : [])].join(" > ");
    const count = (s.counts.get(name) ?? 0) + 1;
    s.counts.set(name, count);
    (test.snapshotNames ??= new Set()).add(name);
    const key = `${name} ${count}`;
    (test.snapshotKeys ??= []).push(key);
    const text = raw ? String(received) : framed(normal(format(received)));
    return { s, key, text, test };
  }

  function merge(received, properties) {
    if (v.isAsymmetric(properties) || properties === null || typeof properties !== "object") return properties;
    if (Array.isArray(received)) return received.map((x, i) => (i in properties ? merge(x, properties[i]) : x));
    const out = { ...received };
    for (const k of Object.keys(properties))
      out[k] = k in received && typeof properties[k] === "object" ? merge(received[k], properties[k]) : properties[k];
    return out;
  }

  function fail(key, expected, text) {
    const error = new Error(`Snapshot \`${key || "unknown"}\` mismatched`);
    throw Object.assign(error, { expected: unframed(expected ?? ""), actual: unframed(text), showDiff: true });
  }
  function stored(assertion, o) {
    const { s, key, text } = compare(assertion, o);
    s.used.add(key);
    const expected = s.stored.get(key);
    const pass = expected !== undefined && normal(expected).trim() === text.trim();
    if (pass) {
      s.matched++;
      s.now.set(key, expected);
      return;
    }
    if (mode() === "all" || (mode() === "new" && expected === undefined)) {
      s.now.set(key, text);
      if (expected === undefined) s.added++;
      else s.updated++;
      return;
    }
    s.unmatched++;
    if (expected !== undefined) s.now.set(key, expected);
    fail(key, expected, text);
  }

  function stripIndent(text) {
    const match = /^\n?([^\S\n]*)\S/.exec(text) && /^\n([^\S\n]*)/.exec(text);
    if (!match) return text;
    const lines = text.split("\n");
    if (lines.length <= 2 || lines[0].trim() !== "" || lines.at(-1).trim() !== "") return text;
    const indent = match[1];
    for (let i = 1; i < lines.length - 1; i++) {
      if (lines[i] === "") continue;
      if (!lines[i].startsWith(indent)) return text;
      lines[i] = lines[i].slice(indent.length);
    }
    lines[lines.length - 1] = "";
    return lines.join("\n");
  }

  function inlined(assertion, o, at) {
    const { s, key, text, test } = compare(assertion, o);
    const expected = o.inline === undefined ? undefined : stripIndent(o.inline);
    const pass = expected !== undefined && normal(expected).trim() === text.trim();
    if (pass) {
      s.matched++;
      return;
    }
    if (mode() === "all" || (mode() === "new" && o.inline === undefined)) {
      const place = host.frames(at).find((f) => f.file.startsWith("file://") && !f.file.includes("/node_modules/"));
      if (!place) throw new Error("Couldn't infer stack frame for inline snapshot.");
      const twice = s.inline.find((i) => i.line === place.line && i.column === place.column && i.file === place.file);
      if (twice && twice.text !== text) {
        twice.refused = true; // nothing is written there
        const e = new Error("toMatchInlineSnapshot with different snapshots cannot be called at the same location");
        throw Object.assign(e, { expected: unframed(twice.text), actual: unframed(text), showDiff: true });
      }
      if (!twice) s.inline.push({ file: place.file, line: place.line, column: place.column, text, test: test.id });
      if (o.inline === undefined) s.added++;
      else s.updated++;
      return;
    }
    s.unmatched++;
    fail(key, expected, text);
  }

  method("toMatchSnapshot", function (properties, hint) {
    if (typeof properties === "string") {
      hint = properties;
      properties = undefined;
    }
    stored(this, { received: this._obj, properties, hint });
  });
  method("matchSnapshot", function (...args) {
    this.toMatchSnapshot(...args);
  });
  method("toMatchInlineSnapshot", function (properties, inline) {
    const at = this.__flags.at ?? new Error("place");
    if (typeof properties === "string") {
      inline = properties;
      properties = undefined;
    }
    inlined(this, { received: this._obj, properties, inline }, at);
  });
  const thrownBy = (assertion) => {
    if (assertion.__flags.was) return assertion._obj;
    try {
      assertion._obj();
    } catch (e) {
      return e;
    }
    throw new Error("snapshot function didn't throw");
  };
  method("toThrowErrorMatchingSnapshot", function (hint) {
    stored(this, { received: thrownBy(this), hint });
  });
  method("toThrowErrorMatchingInlineSnapshot", function (inline) {
    const at = this.__flags.at ?? new Error("place");
    inlined(this, { received: thrownBy(this), inline }, at);
  });
  method("toMatchFileSnapshot", async function (path) {
    const f = this.__flags,
      received = this._obj;
    const { s, key, text } = compare(this, { received, raw: path });
    const expected = host.readSnapshot(v.file.filepath, String(path));
    if (expected !== null && normal(expected) === text) {
      s.matched++;
      return;
    }
    if (mode() === "all" || (mode() === "new" && expected === null)) {
      s.raw.push({ path: String(path), text });
      if (expected === null) s.added++;
      else s.updated++;
      return;
    }
    s.unmatched++;
    fail(key, expected ?? "", text);
  });

  // endSnapshots hands over what is to be written, and fails the file if there are obsolete entries in CI. What counts
  // as obsolete is vitest's: the entries that no test asked for, apart from those that could be a skipped test's.
  v.endSnapshots = (file) => {
    const tests = [];
    const visit = (suite) => suite.tasks.forEach((t) => (t.type === "suite" ? visit(t) : tests.push(t)));
    visit(file);
    if (tests.length > 0 && tests.every((t) => t.mode !== "run")) return;
    const has = file.snapshots ?? (host.snapshots(file.filepath) !== "{}" ? of() : null);
    if (!has) return;
    const unchecked = new Set([...has.stored.keys()].filter((key) => !has.used.has(key)));
    for (const t of tests) {
      if (t.mode !== "skip" && t.state !== "skip") continue;
      const name = t.names.join(" > ");
      for (const key of unchecked) if (/ \d+$| > /.test(key.slice(name.length))) unchecked.delete(key);
    }
    const obsolete = [...unchecked];
    for (const [key, text] of has.stored)
      if (!has.used.has(key) && (mode() !== "all" || !unchecked.has(key))) has.now.set(key, text);
    host.writeSnapshots(
      JSON.stringify({
        file: file.filepath,
        entries: Object.fromEntries(has.now),
        inline: has.inline.filter((i) => !i.refused),
        raw: has.raw,
        added: has.added,
        updated: has.updated,
        matched: has.matched,
        unmatched: has.unmatched,
        obsolete,
        removed: mode() === "all" ? obsolete.length : 0,
        mode: mode(),
      }),
    );
    if (mode() === "none" && obsolete.length > 0)
      throw new Error(
        `Obsolete snapshots found when no snapshot update is expected.\n${obsolete.map((k) => `· ${k}`).join("\n")}`,
      );
  };
});

export class S extends DurableObject {
  alarm() {}
  async run(name) {
    const q = (...a) => this.ctx.storage.sql.exec(...a);
    return await cases[name](q, this.ctx.storage, this.ctx);
  }
}
const tests = new Proxy({}, { get: (_, n) => async (env) => env.S.getByName(n).run(n) });
const err = async (f) => (await caught(f)).replace(/^Error: /, "");
const cases = {
  async sql1(q, s) {
    return [
      s.sql === s.sql,
      typeof s.sql.exec,
      s.sql.databaseSize,
      typeof s.sql.Cursor,
      typeof s.sql.Statement,
      q("SELECT 1") instanceof s.sql.Cursor,
    ].join();
  },
  async sql13b(q, s) {
    const out = [typeof s.sql.prepare];
    for (const x of [
      "SELECT * FROM dbstat",
      "SELECT * FROM sqlite_dbpage",
      "UPDATE sqlite_dbpage SET data = zeroblob(4096)",
      "SELECT soundex('a')",
    ])
      out.push(await err(() => [...q(x)].length));
    return out.join("\n");
  },
  async sql2(q) {
    q("CREATE TABLE t (a)");
    q("INSERT INTO t VALUES (1), (2), (3)");
    const ran = q("INSERT INTO t VALUES (4)");
    const n = q("SELECT count(*) n FROM t").one().n;
    const c = q("SELECT a FROM t");
    const two = [c.next().value.a, c.next().value.a];
    const rest = c.toArray().map((r) => r.a);
    const end = c.next();
    return [
      n,
      two,
      rest,
      c.toArray().length,
      Object.keys(end).join(),
      end.value,
      c.columnNames,
      [...q("SELECT a FROM t")].length,
      q("SELECT a FROM t")
        .map((r) => r.a * 2)
        .toArray()
        .join(),
      q("SELECT a, a + 1 FROM t LIMIT 1").raw().toArray().join(),
      q("SELECT a FROM t").raw().take(2).toArray().join(";"),
      ran.rowsWritten,
    ].join("|");
  },
  async sql4(q) {
    const r = q("SELECT 1 AS b, 2 AS a, 3 AS b, 4 AS __proto__, 2+3").one();
    return [
      JSON.stringify(r),
      Object.getPrototypeOf(r) === Object.prototype,
      q("SELECT 1 AS b, 2 AS b").columnNames.join(),
      q("SELECT 1 AS b, 2 AS b").raw().toArray().join(),
    ].join("|");
  },
  async sql5(q) {
    const r = q(
      "SELECT 1 i, 1.5 r, 9223372036854775807 big, 1e400 inf, 'a' || char(0) || 'b' nul, CAST(x'ff41' AS TEXT) bad, x'0102' b, x'' e, NULL n, 1 = 1 t",
    ).one();
    return [
      typeof r.i,
      r.r,
      r.big,
      r.inf,
      r.nul.length,
      r.bad,
      r.b instanceof ArrayBuffer && [...new Uint8Array(r.b)].join("."),
      r.e.byteLength,
      r.n,
      r.t,
    ].join("|");
  },
  async sql6(q) {
    q("CREATE TABLE f (i INTEGER, n NUMERIC, t TEXT, x)");
    q("INSERT INTO f VALUES (?, ?, ?, ?)", 5, 5, 5, 5);
    const t = (v) => q("SELECT typeof(?1) || ':' || coalesce(CAST(?1 AS TEXT), 'null') x", v).one().x;
    const b = new Uint8Array([1, 2, 3, 4]);
    return [
      q("SELECT typeof(i) || typeof(n) || t || typeof(x) x FROM f").one().x,
      q("SELECT json_array(?) x", 5).one().x,
      q("SELECT ? || '' x", 5).one().x,
      t(NaN),
      t(Infinity),
      t(null),
      t(undefined),
      t(true),
      t({}),
      t([1, 2]),
      t(new Date(NaN)),
      q("SELECT hex(?) x", new DataView(b.buffer, 1, 2)).one().x,
      q("SELECT hex(?) || typeof(?2) x", b.subarray(2), b.buffer).one().x,
      await err(() => t(1n)),
      await err(() => t(Symbol("q"))),
    ].join("|");
  },
  async sql7(q) {
    return [
      q("SELECT ? a, ?3 c, ? d", 1, 2, 3, 4).raw().toArray().join(),
      q("SELECT :a a, @b b, $c c, :a d", 1, 2, 3).raw().toArray().join(),
      q("SELECT ?1 + ?1 x", 2).one().x,
      await err(() => q("SELECT ?")),
      await err(() => q("SELECT 1", 1)),
      await err(() => q("SELECT ?1, ?1", 1, 2)),
    ].join("|");
  },
  async sql8(q) {
    const many = q("CREATE TABLE t (a); INSERT INTO t VALUES (1); SELECT a, ? b FROM t", 7).one();
    const e = await err(() => q("INSERT INTO t VALUES (2); INSERT INTO nope VALUES (1)"));
    const list = [
      JSON.stringify(many),
      e,
      q("SELECT count(*) n FROM t").one().n,
      await err(() => q("INSERT INTO t VALUES (?); SELECT 1", 1)),
    ];
    for (const x of ["", "-- c", ";", " ", "SELECT 1; -- c", "SELECT 1;;"]) list.push(await err(() => q(x)));
    list.push(q("SELECT 1 x;  \n").one().x);
    return list.join("|");
  },
  async sql9(q) {
    q(
      "CREATE TABLE p (id INTEGER PRIMARY KEY, u UNIQUE, n NOT NULL, c CHECK (c < 10)); CREATE TABLE k (p REFERENCES p(id)); CREATE TABLE st (a INTEGER) STRICT",
    );
    q("INSERT INTO p VALUES (1, 1, 1, 1)");
    const out = [];
    for (const x of [
      "INSERT INTO p VALUES (1, 2, 2, 2)",
      "INSERT INTO p VALUES (2, 1, 2, 2)",
      "INSERT INTO p VALUES (2, 2, NULL, 2)",
      "INSERT INTO p VALUES (2, 2, 2, 20)",
      "INSERT INTO k VALUES (9)",
      "INSERT INTO st VALUES ('x')",
      "SELECT (",
      "SELECT uuid()",
      "SELECT zz",
    ])
      out.push(await err(() => q(x)));
    return out.join("\n");
  },
  async sql10(q) {
    const out = [];
    for (const x of ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "END", "ROLLBACK TO a"])
      out.push(
        (await err(() => q(x))).startsWith(
          "To execute a transaction, please use the state.storage.transaction() or state.storage.transactionSync() APIs",
        ),
      );
    return out.join();
  },
  async sql11(q, s) {
    await s.put("k", 1);
    const out = [];
    for (const x of [
      "CREATE TABLE _cf_x (a)",
      "CREATE TABLE ok (a)",
      "ALTER TABLE ok RENAME TO _cf_ok",
      "CREATE INDEX _cf_i ON ok (a)",
      "CREATE VIEW _cf_v AS SELECT 1",
      "DROP TABLE _cf_KV",
      "SELECT * FROM _cf_KV",
      "SELECT key FROM _cf_METADATA",
      "ATTACH 'x' AS y",
      "DETACH main",
      "CREATE TEMP TABLE x (a)",
      "CREATE TEMP VIEW x AS SELECT 1",
      "CREATE VIRTUAL TABLE d USING dbstat",
      "VACUUM",
      "PRAGMA journal_mode",
      "PRAGMA user_version",
    ])
      out.push(await err(() => [...q(x)].length));
    return out.join("\n");
  },
  async sql12(q) {
    q("CREATE TABLE t (a PRIMARY KEY); CREATE INDEX i ON t (a)");
    const out = [];
    for (const x of [
      "table_list",
      "table_info(t)",
      "table_xinfo(t)",
      "index_info(i)",
      "index_list(t)",
      "index_xinfo(i)",
      "foreign_key_list(t)",
      "foreign_key_check",
      "foreign_keys",
      "defer_foreign_keys",
      "case_sensitive_like = 0",
      "ignore_check_constraints",
      "legacy_alter_table",
      "recursive_triggers",
      "reverse_unordered_selects",
      "quick_check",
      "optimize",
      "data_version",
    ]) {
      const e = await err(() => [...q("PRAGMA " + x)].length);
      if (!e.startsWith("no error")) out.push(x + " " + e);
    }
    return out.join() + "|" + q("PRAGMA foreign_keys").one().foreign_keys;
  },
  async sql13(q) {
    const ok = async (list) => {
      const out = [];
      for (const x of list) {
        const e = await err(() => [...q("SELECT " + x)].length);
        if (!e.startsWith("no error")) out.push(x + ": " + e);
      }
      return out.join("\n");
    };
    q(
      "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('hello big world'); CREATE VIRTUAL TABLE v USING fts5vocab('f', 'row')",
    );
    return [
      await ok([
        "abs(-1)",
        "coalesce(NULL, 1)",
        "hex(randomblob(2))",
        "printf('%d', 1)",
        "substr('abc', 2)",
        "date('now')",
        "unixepoch()",
        "strftime('%Y', 'now')",
        "group_concat(x) FROM f",
        "row_number() OVER ()",
        "json('{}')",
        "jsonb('{}')",
        "'{\"a\":1}' -> 'a'",
        "'{\"a\":1}' ->> 'a'",
        "* FROM json_each('[1]')",
        "* FROM json_tree('[1]')",
        "highlight(f, 0, '[', ']') FROM f WHERE f MATCH 'big'",
        "bm25(f) FROM f WHERE f MATCH 'big'",
        "snippet(f, 0, '', '', '', 3) FROM f WHERE f MATCH 'big'",
        "* FROM v",
        "acos(1), sin(1), sqrt(4), trunc(1.5), pi(), pow(2, 3), ceil(1.2), log(10)",
      ]),
      ...(await Promise.all(
        [
          "power(2, 3)",
          "ceiling(1.2)",
          "log10(10)",
          "sqlite_version()",
          "uuid()",
          "median(1)",
          "load_extension('x')",
          "'a' REGEXP 'a'",
          "* FROM generate_series(1, 2)",
        ].map((x) => err(() => [...q("SELECT " + x)])),
      )),
    ].join("\n");
  },
  async sql14(q) {
    const e = (x, ...a) => err(() => [...q(x, ...a)].length);
    return [
      await e("SELECT zeroblob(2200001)"),
      await e("SELECT length(zeroblob(2199000))"),
      await e("SELECT '" + "x".repeat(100000) + "'"),
      await e("CREATE TABLE wide (" + Array.from({ length: 101 }, (_, i) => "c" + i).join() + ")"),
      await e("CREATE TABLE fits (" + Array.from({ length: 100 }, (_, i) => "c" + i).join() + ")"),
      await e("SELECT " + "(".repeat(0) + "1" + "+1".repeat(101)),
      await e("SELECT 1" + " UNION ALL SELECT 1".repeat(5)),
      await e("SELECT 1" + " UNION ALL SELECT 1".repeat(4)),
      await e("SELECT 'a' LIKE '" + "a".repeat(51) + "'"),
      await e("SELECT 'a' GLOB '" + "a".repeat(50) + "'"),
      await e("SELECT " + Array(100).fill("?").join(), ...Array(100).fill(1)),
      await e("SELECT ?101", ...Array(101).fill(1)),
      await e("SELECT max(" + Array(127).fill("1").join() + ")"),
      await e("SELECT max(" + Array(128).fill("1").join() + ")"),
    ].join("\n");
  },
  async sql15(q, s) {
    const c = (x, ...a) => {
      const k = q(x, ...a);
      k.toArray();
      return k.rowsRead + "/" + k.rowsWritten;
    };
    const empty = s.sql.databaseSize;
    const out = [
      empty,
      c("CREATE TABLE t (a INTEGER PRIMARY KEY, b)"),
      c("INSERT INTO t (b) VALUES (1), (2), (3)"),
      c("UPDATE t SET b = b + 1"),
      c("SELECT count(*) FROM t"),
      c("CREATE INDEX i ON t (b)"),
      c("INSERT INTO t (b) VALUES (4)"),
    ];
    const scan = q("SELECT * FROM t LIMIT 3");
    const seen = [];
    do seen.push(scan.rowsRead);
    while (!scan.next().done && seen.length < 3);
    out.push(seen.join());
    out.push(s.sql.databaseSize % 4096, s.sql.databaseSize > 4096);
    return out.join("|");
  },
  async sql16(q, s) {
    q("CREATE TABLE t (a)");
    q("INSERT INTO t VALUES (1), (2)");
    const all = () => q("SELECT * FROM t");
    const names = [all().columnNames.join()];
    q("ALTER TABLE t ADD COLUMN b DEFAULT 7");
    names.push(all().columnNames.join());
    const one = all(),
      two = all();
    one.next();
    const drop = await err(() => q("DROP TABLE t"));
    await sleep(5);
    return [
      ...names,
      drop,
      one.next().value.a,
      two.toArray().length,
      one.toArray().length,
      await err(() => q("DROP TABLE t")),
    ].join("|");
  },
};

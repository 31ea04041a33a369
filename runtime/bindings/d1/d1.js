// The classes of a D1 binding (D1-1 to D1-7). run(queries) asks the database: a promise of an array of
// { columns, rows, meta }. bookmark() names the present state. The result makes the binding.
(function (run, bookmark) {
  'use strict';

  const failure = (prefix, text) => new Error(`${prefix}: ${text}`, { cause: new Error(text) });

  async function query(session, queries) {
    let results;
    try {
      results = await run(queries);
    } catch (e) {
      throw failure('D1_ERROR', e.message);
    }
    advance(session);
    return results;
  }

  const objects = ({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));

  const result = (r) => ({ success: true, meta: r.meta, results: objects(r) });

  // bytes are sent as numbers, and so is what looks like them.
  const isBytes = (v) => Array.isArray(v) && v.every((b) => typeof b === 'number' && b >= 0 && b < 256);

  function parameter(v) {
    switch (typeof v) {
      case 'number':
      case 'string':
        return v;
      case 'boolean':
        return v ? 1 : 0;
      case 'object':
        if (v === null) return v;
        if (isBytes(v)) return new Uint8Array(v);
        if (v instanceof ArrayBuffer) return new Uint8Array(v.slice(0));
        if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return Uint8Array.from(v);
    }
    throw failure('D1_TYPE_ERROR', `Type '${typeof v}' not supported for value '${v}'`);
  }

  class D1PreparedStatement {
    #session;

    constructor(session, statement, params) {
      this.#session = session;
      this.statement = statement;
      this.params = params;
    }

    bind(...values) {
      return new D1PreparedStatement(this.#session, this.statement, values.map(parameter));
    }

    async first(column) {
      const [r] = await query(this.#session, [this]);
      const [row] = objects(r);
      if (row === undefined) return null;
      if (column === undefined) return row;
      if (row[column] === undefined) {
        throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`, { cause: new Error('Column not found') });
      }
      return row[column];
    }

    async run() {
      const [r] = await query(this.#session, [this]);
      return result(r);
    }

    async all() {
      const [r] = await query(this.#session, [this]);
      return result(r);
    }

    async raw(options) {
      const [{ columns, rows }] = await query(this.#session, [this]);
      return options?.columnNames ? [columns, ...rows] : rows;
    }
  }

  const batch = async (session, statements) =>
    (await query(session, statements.map(({ statement, params }) => ({ statement, params })))).map(result);

  let advance;

  class D1DatabaseSession {
    #bookmark;

    static {
      advance = (s) => {
        if (s === null) return;
        // A session keeps the latest bookmark it has seen, also one that the script gave it and that is no bookmark.
        const seen = bookmark();
        if (s.#bookmark === null || s.#bookmark.localeCompare(seen) < 0) s.#bookmark = seen;
      };
    }

    constructor(constraint) {
      this.#bookmark = constraint === 'first-primary' || constraint === 'first-unconstrained' ? null : constraint;
    }

    prepare(query) {
      return new D1PreparedStatement(this, query, []);
    }

    async batch(statements) {
      return batch(this, statements);
    }

    getBookmark() {
      return this.#bookmark;
    }
  }

  class D1Database {
    prepare(query) {
      return new D1PreparedStatement(null, query, []);
    }

    async batch(statements) {
      return batch(null, statements);
    }

    async exec(query) {
      const lines = query.trim().split('\n');
      let results;
      try {
        results = await run(lines.map((statement) => ({ statement, params: [] })));
      } catch (e) {
        // The platform names the first line whichever failed, because the lines are one call.
        throw failure('D1_EXEC_ERROR', `Error in line 1: ${lines[0]}: ${e.message}`);
      }
      return { count: results.length, duration: results.reduce((sum, r) => sum + r.meta.duration, 0) };
    }

    withSession(constraint) {
      return new D1DatabaseSession(constraint?.trim() || 'first-unconstrained');
    }

    async dump() {
      throw new Error('D1_DUMP_ERROR: Status + 404', { cause: new Error('Status 404') });
    }
  }
  Object.defineProperty(D1Database.prototype, Symbol.toStringTag, { value: 'WrappedBinding', configurable: true });

  return new D1Database();
})

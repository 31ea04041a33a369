// The binding of a workflow (FLOW-120 to FLOW-143).
(function (all) {
  'use strict';

  const {
    make, show, milliseconds, retentionText, modifications, introspected, bound, keyOf, terminal, subscription,
    event,
  } = all;

  // framed makes the errors of a command anew where it was called: their stacks have the functions that await it.
  const framed = (command) => async (...args) => {
    try {
      return await command(...args);
    } catch (e) {
      if (e.remote !== true) throw e;
      throw make('Error', e.message);
    }
  };

  // bind makes the binding of a workflow. native has a function for each command.
  function bind(commands) {
    const native = { ...commands };
    for (const name of ['exists', 'status', 'change', 'send']) native[name] = framed(commands[name]);
    const refuse = (message) => make('WorkflowError', message);
    const validID = (id) => typeof id === 'string' && id.length <= 100 && /^[a-zA-Z0-9_][a-zA-Z0-9-_]*$/.test(id);
    const maxBatch = 100;

    function retention(r) {
      if (r === undefined || r === null) return [0, 0];
      return [r.successRetention, r.errorRetention].map((d) => {
        if (d === undefined) return 0;
        const ms = milliseconds(d);
        if (!(ms >= 0)) throw make('Error', retentionText);
        return ms;
      });
    }

    function item(options, badID) {
      if (options === null || options === undefined) {
        throw new TypeError(`Cannot read properties of ${options} (reading 'id')`);
      }
      const { id = crypto.randomUUID(), params: given = {}, retention: keep } = options;
      if (!validID(id)) throw refuse(badID);
      const params = native.crossed(given);
      const [success, error] = retention(keep);
      return { id, params, shown: show(params), success, error };
    }

    const invalid = 'Workflow instance has invalid id';

    // A Subscription reads what has happened to an instance and waits for more (FLOW-140).
    class Subscription {
      #id;
      #after;
      #filter;
      #read = [];
      #closed = false;
      #last = Promise.resolve();
      constructor(id, after, filter) {
        this.#id = id;
        this.#after = after ?? 0;
        this.#filter = filter;
      }
      next() {
        return this.#last = this.#last.then(() => this.#next(), () => this.#next());
      }
      async #next() {
        while (!this.#closed) {
          if (this.#read.length === 0) this.#read = await native.events(this.#id, this.#after);
          if (this.#read.length === 0) break; // it has ended, or has been deleted
          const happened = this.#read.shift();
          this.#after = happened.eventId;
          const value = event(this.#id, happened);
          const last = terminal.has(value.type);
          if (last) this.#closed = true;
          if (!this.#filter || this.#filter.includes(value.type)) return { done: false, value };
        }
        this.#closed = true;
        return { done: true, value: undefined };
      }
      [Symbol.dispose]() { this.#closed = true; }
    }

    class InstanceImpl {
      constructor(id) {
        this.id = id;
      }
      async status() {
        const s = await native.status(this.id);
        const parse = (text) => (text === '' ? null : JSON.parse(text));
        const results = s.results.map(parse);
        return { status: s.status, __LOCAL_DEV_STEP_OUTPUTS: results, output: parse(s.output), error: s.failure };
      }
      async pause() { await native.change('pause', this.id); }
      async resume() { await native.change('resume', this.id); }
      async terminate(options) { await native.change('terminate', this.id, options?.rollback === true); }
      async restart(options) {
        const from = options?.from;
        const kind = ['do', 'sleep', 'waitForEvent'].indexOf(from?.type ?? 'do');
        const count = from?.count ?? 1; // one that is no whole number is that of no step
        const step = from ? { kind, name: String(from.name), count: Number.isInteger(count) ? count : 0 } : undefined;
        await native.change('restart', this.id, step);
        await modifications.get(keyOf(native.workflow, this.id))?.made(native);
      }
      async delete() {
        try {
          await native.change('delete', this.id);
        } catch (e) {
          throw e.message === 'instance.not_found' ? refuse('(instance.not_found) Instance does not exist') : e;
        }
      }
      async subscribe(options) {
        const { cursor, filter } = subscription(options);
        await native.exists(this.id);
        return new Subscription(this.id, cursor, filter);
      }
      async sendEvent(event) {
        if (event === null || event === undefined) {
          throw new TypeError(`Cannot read properties of ${event} (reading 'payload')`);
        }
        const { type } = event;
        const payload = native.crossed(event.payload);
        await native.send(this.id, String(type), payload, show(payload));
      }
    }

    // create makes instances, with what a test changes of them.
    async function create(items) {
      const session = introspected.get(native.workflow);
      if (session) for (const { id } of items) await session.created(id);
      const failures = await native.create(items);
      for (const [i, { id }] of items.entries()) {
        if (!failures[i]) await modifications.get(keyOf(native.workflow, id))?.made(native);
      }
      return failures;
    }

    class WorkflowImpl {
      async create(options = {}) {
        const made = item(options, invalid);
        const [failure] = await create([made]);
        if (failure) {
          throw refuse(`(instance.already_exists) Workflow instance with id "${made.id}" already exists`);
        }
        return new InstanceImpl(made.id);
      }
      async get(id) {
        await native.exists(String(id));
        return new InstanceImpl(id);
      }
      async createBatch(batch) {
        if (Array.isArray(batch)) {
          if (batch.length === 0) throw refuse('batchCreate should have at least 1 instance');
          if (batch.length > maxBatch) throw refuse('batchCreate only supports 100 instances at a time');
          const items = batch.map((o) => item(o, invalid));
          const failures = await create(items);
          return items.filter((_, i) => !failures[i]).map((i) => new InstanceImpl(i.id));
        }
        let list = batch?.instances;
        if (batch?.count !== undefined) {
          const { count, ...rest } = batch;
          if (!Number.isInteger(count) || count < 1) throw refuse('(body) count must be a positive integer');
          if (count > maxBatch) throw refuse('(body) batchCreate only supports 100 instances at a time');
          list = Array.from({ length: count }, () => ({ ...rest, id: undefined }));
        }
        if (!Array.isArray(list)) throw refuse('(body) Provided argument is invalid');
        if (list.length === 0 || list.length > maxBatch) throw refuse('(body) Batch size exceeds maximum allowed');
        const items = list.map((o) => {
          try {
            return item(o, '(instance.invalid_id) Instance ID is invalid');
          } catch (e) {
            throw e.message === retentionText ? refuse(`(body) ${retentionText}`) : e;
          }
        });
        const failures = await create(items);
        const created = [], errors = [], seen = new Set();
        items.forEach(({ id }, index) => {
          if (!failures[index]) created.push(new InstanceImpl(id));
          else if (seen.has(id)) {
            errors.push({ index, id, code: 10415, message: 'workflows.api.error.instance.duplicate_in_batch' });
          } else errors.push({ index, id, code: 10405, message: 'workflows.api.error.instance.already_exists' });
          seen.add(id);
        });
        return { created, errors };
      }
      async deleteBatch(ids) {
        if (!Array.isArray(ids)) throw refuse('(body) Provided argument is invalid');
        if (ids.length === 0) throw refuse('(body) batchDeleteInstances should have at least 1 instance');
        if (ids.length > maxBatch) throw refuse('(body) batchDeleteInstances only supports 100 instances at a time');
        if (!ids.every((id) => typeof id === 'string')) throw refuse('(instance.invalid_id) Instance ID is invalid');
        const deleted = [], errors = [], gone = new Map(); // an id that stands twice has one fate
        for (const id of ids) {
          if (!gone.has(id)) gone.set(id, await native.change('delete', id).then(() => true, () => false));
          if (gone.get(id)) deleted.push({ id });
          else errors.push({ id, code: 10400, message: 'workflows.api.error.instance.not_found' });
        }
        return { deleted, errors };
      }
    }
    const binding = new WorkflowImpl();
    bound.set(binding, native);
    return binding;
  }

  Object.assign(all, { bind });
})

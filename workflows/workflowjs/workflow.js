// The binding of a workflow and the step object (FLOW-10 to FLOW-143). The functions of native send a command to the
// workflow and answer with a promise. preserve is the compatibility flag of FLOW-100. The result is { bind, execute }.
(function (preserve) {
  'use strict';

  const nonRetryable = 'NonRetryableError';
  const domNames = new Set(['DataCloneError', 'AbortError', 'TimeoutError', 'NotSupportedError', 'InvalidStateError',
    'OperationError', 'DataError', 'InvalidAccessError', 'QuotaExceededError', 'NetworkError']);
  const natives = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const originals = new WeakMap();

  // make is an error as it arrives through RPC: a name that JavaScript does not have goes into the message (FLOW-18).
  const make = (name, message) => {
    const e = Object.hasOwn(natives, name) ? new natives[name](message)
      : name === 'AggregateError' ? new AggregateError([], message)
      : domNames.has(name) ? new DOMException(message, name)
      : new Error(name === '' ? message : `${name}: ${message}`);
    if (name === 'AggregateError') delete e.errors;
    e.remote = true;
    return e;
  };

  const own = (name, message) => Object.assign(new Error(message), { name });

  // cross is what was thrown, as it arrives on the other side.
  function cross(e) {
    if (e instanceof Error && e.remote === true) return e;
    let made;
    if (e instanceof Error) made = make(String(e.name), String(e.message));
    else if (Array.isArray(e)) made = make('Error', '[object Array]');
    else if (e !== null && typeof e === 'object') made = make('Error', `#<${e.constructor?.name ?? 'Object'}>`);
    else made = make('Error', String(e));
    originals.set(made, e);
    return made;
  }

  const units = { second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5, month: 2592e6, year: 315576e5 };

  // milliseconds reads a duration (FLOW-7); undefined if it is none. A number may stand alone.
  function milliseconds(v) {
    if (typeof v === 'number') return Number.isNaN(v) ? undefined : v;
    if (typeof v !== 'string') return undefined;
    const m = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:\s*(second|minute|hour|day|week|month|year)s?)?\s*$/
      .exec(v);
    return m ? +m[1] * (m[2] ? units[m[2]] : 1) : undefined;
  }

  // show is a value as JSON, as logs and statuses show it; '' is undefined.
  function show(value) {
    try {
      return JSON.stringify(value, (_, v) => {
        if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return `[${v.constructor.name}(${v.byteLength} bytes)]`;
        if (v instanceof ArrayBuffer) return `[ArrayBuffer(${v.byteLength} bytes)]`;
        return typeof v === 'bigint' ? `[BigInt(${v})]` : v;
      }) ?? '';
    } catch (e) {
      return JSON.stringify(`[${e.message}]`);
    }
  }

  // showResult is show of what run gives; what JSON cannot say ends the instance (FLOW-74).
  function showResult(value) {
    JSON.stringify(value, (_, v) => (typeof v === 'bigint' || ArrayBuffer.isView(v) ? 0 : v));
    return show(value);
  }

  const redacted = '"[REDACTED]"';

  // describe is an error as an instance keeps it.
  const describe = (e) => {
    const { name, message } = e instanceof Error && String(e.name).startsWith('Workflow') ? e : cross(e);
    return { name: String(name), message: String(message) };
  };

  const doc = 'https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/';
  const fatal = (message) => own('WorkflowFatalError', message);
  const badConfig = (name) => fatal(`Step config for "${name}" is in a invalid format. See ${doc}`);

  function checkName(name) {
    if (name.length > 256 || /[\x00-\x1f]/.test(name)) {
      throw fatal(`Step name "${name}" exceeds max length (256 chars) or invalid characters found`);
    }
  }

  const only = (o, keys) =>
    typeof o === 'object' && o !== null && !Array.isArray(o) && Object.keys(o).every((k) => keys.includes(k));

  const bounded = (ms) => ms >= 0 && ms < Infinity;

  // configOf merges a configuration with the defaults (FLOW-14); undefined if it is none.
  function configOf(given) {
    const config = { retries: { limit: 5, backoff: 'exponential', delay: 1000 }, timeout: '10 minutes' };
    if (given === undefined || given === null) return config;
    if (!only(given, ['retries', 'timeout', 'sensitive'])) return undefined;
    const { retries, timeout, sensitive } = given;
    if (retries !== undefined) {
      if (!only(retries, ['limit', 'delay', 'backoff'])) return undefined;
      const { limit, delay, backoff } = retries;
      if (!(Number.isFinite(limit) && limit >= 0)) return undefined;
      if (typeof delay !== 'function' && !bounded(milliseconds(delay))) return undefined;
      if (backoff !== undefined && !['constant', 'linear', 'exponential'].includes(backoff)) return undefined;
      config.retries = { limit, backoff: backoff ?? config.retries.backoff, delay };
    }
    if (timeout !== undefined) {
      const ms = milliseconds(timeout);
      if (!(bounded(ms) && ms > 0)) return undefined;
      config.timeout = timeout;
    }
    if (sensitive !== undefined) {
      if (sensitive !== 'output') return undefined;
      config.sensitive = sensitive;
    }
    return config;
  }

  const isNonRetryable = (e) =>
    e?.name === nonRetryable || (typeof e?.message === 'string' && e.message.startsWith(nonRetryable));

  // An Abort ends the instance with its error; run does not see it.
  class Abort {
    constructor(error) { this.error = error; }
  }

  // A BadStream is a result that cannot be stored (FLOW-102).
  class BadStream extends Error {}

  // unread is for a stream that ends in an error, and for one that gives other things than bytes and texts.
  function unread() {
    throw new BadStream('Failed to read from step ReadableStream output. ' +
      'ReadableStream received over RPC disconnected prematurely.');
  }

  // Modifications by workflow and instance, and the sessions of introspectWorkflow by workflow: what tests change.
  const modifications = new Map();
  const introspected = new Map();
  const bound = new WeakMap();
  const keyOf = (workflow, id) => `${workflow}\n${id}`;

  class Life {
    constructor(native, mods) {
      this.native = native;
      this.mods = mods; // what a test changes, undefined without any
      this.counts = new Map();
      this.rollbacks = [];
      this.over = new Promise((_, reject) => { this.abort = (error) => reject(new Abort(error)); });
      this.over.catch(() => {});
      this.steps = 0;
      this.unseen = native.begunSteps; // of a life that is there to roll back
      this.seen = new Promise((resolve) => { this.sawAll = resolve; });
    }

    count(kind, name) {
      const key = `${kind}${name}`;
      const n = (this.counts.get(key) ?? 0) + 1;
      this.counts.set(key, n);
      return n;
    }

    // never ends the instance and leaves what called it waiting for good.
    never(error) {
      this.abort(error);
      return new Promise(() => {});
    }

    async do(name, ...rest) {
      const given = typeof rest[0] === 'function' ? undefined : rest.shift();
      const [callback, undo] = rest;
      if (typeof callback !== 'function') throw fatal(`Step "${name}" requires a callback function`);
      const rollback = rollbackOf(name, undo);
      if (name === undefined || name === null) {
        throw new TypeError(`Cannot read properties of ${name} (reading 'length')`);
      }
      name = String(name);
      this.begins();
      if (++this.steps > this.native.limit) {
        throw fatal(`The limit of ${this.native.limit} steps has been reached. ` +
          'This limit can be changed in your worker configuration.');
      }
      checkName(name);
      const config = configOf(given);
      if (config === undefined) throw badConfig(name);
      const step = { kind: 0, name, count: this.count(0, name) };
      if (this.unseen !== undefined) return this.collect(step, rollback);
      return this.attempts(step, config, callback, rollback);
    }

    // collect notes the rollback of a step that has begun, and answers with its result if it has one. What has none,
    // and a step that has not begun, never ends: this life begins nothing.
    async collect(step, rollback) {
      const begun = await this.native.look(step);
      if (begun.attempt === 0) return new Promise(() => {});
      const value = !begun.ended || begun.failure ? undefined
        : begun.chunks >= 0 ? this.stored(step, begun.chunks) : begun.value;
      if (rollback) this.rollbacks.push({ step, rollback, output: value, ctx: this.context(step, begun) });
      if (--this.unseen === 0) this.sawAll();
      if (begun.failure) throw make(begun.failure.name, begun.failure.message);
      return begun.ended ? value : new Promise(() => {});
    }

    // context is what a callback is called with.
    context({ name, count }, begun) {
      const config = JSON.parse(begun.config);
      if (config.retries.delay === '[dynamic]') delete config.retries.delay;
      return { step: { name, count }, attempt: begun.attempt, config };
    }

    // attempts follows a step from its beginning to its end, through this life and earlier ones.
    async attempts(step, config, callback, rollback) {
      const { native } = this;
      const { name } = step;
      const delay = config.retries.delay;
      const stored = typeof delay !== 'function' ? config
        : { ...config, retries: { ...config.retries, delay: '[dynamic]' } };
      let entry;
      if (rollback) {
        entry = { step, rollback, output: undefined };
        this.rollbacks.push(entry);
      }
      let begun = await native.begin(step, JSON.stringify(stored));
      for (;;) {
        if (begun.ended) {
          if (entry) entry.ctx ??= this.context(step, begun);
          if (begun.failure) throw make(begun.failure.name, begun.failure.message);
          const value = begun.chunks >= 0 ? this.stored(step, begun.chunks) : begun.value;
          if (entry) entry.output = value;
          return value;
        }
        const attempt = begun.attempt;
        const settings = JSON.parse(begun.config);
        if (typeof delay === 'function') settings.retries.delay = delay;
        const ctx = this.context(step, begun);
        if (entry) entry.ctx = ctx;
        let value, error, drained;
        let threw = false;
        try {
          await this.limited(async () => {
            value = await (this.mods ? this.mods.callback(step, attempt, callback) : callback)(ctx);
            if (value instanceof ReadableStream) drained = await this.drain(step, value);
            else value = native.crossed(value);
          }, milliseconds(settings.timeout));
        } catch (e) {
          if (e instanceof BadStream) {
            const text = 'The execution of the Workflow instance was terminated, as the step ' +
              `"${name}" returned an invalid ReadableStream output. ${e.message}`;
            await native.fail(step, describe(fatal(e.message)), false, 0);
            return this.never(fatal(text));
          }
          if (e?.alive === true) return this.unstored(step);
          threw = true;
          error = e;
        }
        if (!threw) {
          let refusal;
          try {
            const hidden = settings.sensitive === 'output';
            if (drained) {
              await native.succeed(step, undefined, hidden ? redacted : show(drained.text), drained.chunks);
              value = this.stored(step, drained.chunks);
            } else {
              await native.succeed(step, value, hidden ? redacted : show(value), -1);
            }
            if (entry) entry.output = value;
            return value;
          } catch (e) {
            refusal = e;
          }
          if (refusal?.code !== 'too large') return this.unstored(step);
          error = own('WorkflowInternalError', refusal.message);
        }
        const last = isNonRetryable(error) || attempt > settings.retries.limit;
        let wait = 0;
        if (!last) {
          try {
            wait = await this.delay(step, ctx, settings.retries, error, attempt);
          } catch (e) {
            await native.fail(step, describe(e), false, 0, describe(error));
            throw e;
          }
        }
        begun = await native.fail(step, describe(error), !last, wait);
        if (last) throw error;
      }
    }

    // unstored ends the instance because of a result that cannot be stored (FLOW-96).
    async unstored(step) {
      const text = `Value returned from step "${step.name}" is not serialisable`;
      await this.native.fail(step, describe(fatal(text)), false, 0);
      return this.never(fatal('The execution of the Workflow instance was terminated, as the step ' +
        `"${step.name}" returned a value which is not serialisable`));
    }

    // drain stores the bytes of a stream in pieces (FLOW-29). text is what statuses show of it.
    async drain(step, stream) {
      const maxChunk = 16777216, piece = 262144, shown = 8192, length = 1024;
      if (stream.locked) throw new TypeError('The ReadableStream has been locked to a reader.');
      const reader = stream.getReader();
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let chunks = 0, size = 0, text = '', binary = false;
      for (;;) {
        const { done, value } = await reader.read().catch(unread);
        if (done) break;
        let bytes;
        if (typeof value === 'string') bytes = new TextEncoder().encode(value);
        else if (value instanceof ArrayBuffer) bytes = new Uint8Array(value);
        else if (ArrayBuffer.isView(value)) bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        else unread();
        if (bytes.length > maxChunk) {
          throw new BadStream('Step returned a ReadableStream chunk larger than the maximum allowed size of ' +
            `${maxChunk} bytes. Return smaller chunks from step.do().`);
        }
        try {
          if (size < shown && !binary) text += decoder.decode(bytes.subarray(0, shown - size), { stream: true });
        } catch {
          binary = true;
        }
        size += bytes.length;
        for (let at = 0; at < bytes.length; at += piece) {
          await this.native.chunk(step, chunks++, bytes.slice(at, at + piece));
        }
      }
      if (binary) text = `[ReadableStream (binary): ${size} bytes]`;
      else if (text.length > length) text = `${text.slice(0, length)}[truncated output]`;
      return { chunks, text };
    }

    // stored is a new stream over the pieces of a step's result.
    stored(step, chunks) {
      const { native } = this;
      let n = 0;
      return new ReadableStream({
        type: 'bytes',
        async pull(controller) {
          if (n < chunks) controller.enqueue(await native.piece(step, n++));
          else {
            controller.close();
            controller.byobRequest?.respond(0);
          }
        },
      });
    }

    // limited is what f gives, or an error after ms.
    limited(f, ms) {
      return new Promise((resolve, reject) => {
        const late = () => reject(own('WorkflowTimeoutError', `Execution timed out after ${ms}ms`));
        const stop = this.native.after(ms, late);
        (async () => f())().then(
          (v) => { stop(); resolve(v); },
          (e) => { stop(); reject(e); });
      });
    }

    // delay is how long to wait before the next attempt, in ms (FLOW-41, FLOW-12).
    async delay(step, ctx, { delay, backoff }, error, attempt) {
      let ms;
      if (this.mods?.skipsDelay(step)) return 0;
      if (typeof delay === 'function') {
        const refuse = (text) =>
          own('NonRetryableDelayError', `The delay function for step "${step.name}-${step.count}" ${text}`);
        try {
          const copy = cross(error);
          delete copy.remote;
          ms = await this.limited(() => delay({ ctx, error: copy }), 5000);
        } catch (e) {
          throw refuse(e?.name === 'WorkflowTimeoutError' ? 'did not return within 5 seconds'
            : `threw an error: ${describe(e).message}`);
        }
        ms = milliseconds(ms ?? (ms === null ? 0 : undefined));
        if (!bounded(ms)) {
          throw refuse('returned an invalid delay value ' +
            '(expected a number of ms or a duration string like "30 seconds")');
        }
      } else {
        ms = milliseconds(delay);
      }
      return backoff === 'constant' ? ms : backoff === 'linear' ? ms * attempt : ms * 2 ** (attempt - 1);
    }

    // rollBack undoes what has begun, the last first (FLOW-81). The first rollback that fails for good stops it.
    async rollBack(e) {
      this.rolling = true;
      if (this.rollbacks.length === 0) return;
      const error = cross(e);
      await this.native.rollback('start');
      for (const { step, rollback, ctx, output } of this.rollbacks.reverse()) {
        try {
          await this.attempts({ ...step, kind: 3 }, rollback.config,
            async () => { await rollback.rollback({ ctx, error, output, stepName: `${step.name}-${step.count}` }); });
        } catch {
          await this.native.rollback('failed');
          return;
        }
      }
      await this.native.rollback('complete');
    }

    // begins refuses what begins while the instance is rolled back (FLOW-84).
    begins() {
      if (this.rolling) throw fatal('Cannot execute steps during rollback phase');
    }

    async sleep(name, duration) {
      this.begins();
      name = String(name);
      const ms = milliseconds(duration);
      if (ms === undefined) throw badConfig(name);
      const step = { kind: 1, name, count: this.count(1, name) };
      if (this.unseen !== undefined) return this.passed(step);
      await this.native.sleep(step, this.mods?.skipsSleep(step) ? 0 : ms);
    }

    // passed ends if a step had ended before.
    async passed(step) {
      if (!(await this.native.look(step)).ended) await new Promise(() => {});
    }

    async sleepUntil(name, timestamp) {
      this.begins();
      name = String(name);
      const at = timestamp instanceof Date ? timestamp.getTime() : Number(timestamp);
      if (Number.isNaN(at)) throw badConfig(name);
      const step = { kind: 1, name, count: this.count(1, name) };
      if (this.unseen !== undefined) return this.passed(step);
      if (this.mods?.skipsSleep(step)) return this.native.sleep(step, 0);
      const begun = await this.native.sleepUntil(step, at);
      if (begun.past) throw new Error("You can't sleep until a time in the past, time-traveler");
    }

    async waitForEvent(name, options) {
      this.begins();
      name = String(name);
      if (options === undefined || options === null) {
        throw new TypeError(`Cannot read properties of ${options} (reading 'timeout')`);
      }
      const { type } = options;
      const ms = milliseconds(options.timeout || '24 hours');
      if (ms === undefined) throw badConfig(name);
      const step = { kind: 2, name, count: this.count(2, name) };
      const got = await this.native.wait(step, String(type), ms, this.mods?.eventTimesOut(step) === true);
      if (!got.ended) await new Promise(() => {}); // in a life that is there to roll back
      if (got.failure) throw make(got.failure.name, got.failure.message);
      return { payload: got.value, type: got.type, timestamp: new Date(got.time) };
    }
  }

  function rollbackOf(name, options) {
    if (options === undefined) return undefined;
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw fatal(`Rollback options for "${name}" must be an object`);
    }
    const { rollback, rollbackConfig } = options;
    if (typeof rollback !== 'function') throw fatal(`Rollback for "${name}" must be a function`);
    const config = rollbackConfig === null ? undefined : configOf(rollbackConfig);
    if (config === undefined) throw fatal(`Rollback config for "${name}" is in a invalid format. See ${doc}`);
    return { rollback, config };
  }

  // A WorkflowStep has its methods itself, and they work without it: on the platform they are those of a stub.
  class WorkflowStep {
    constructor(life) {
      const crossing = async (promise) => {
        try {
          return await promise;
        } catch (e) {
          throw cross(e);
        }
      };
      const methods = {
        do: (...args) => crossing(life.do(...args)),
        sleep: (name, duration) => crossing(life.sleep(name, duration)),
        sleepUntil: (name, timestamp) => crossing(life.sleepUntil(name, timestamp)),
        waitForEvent: (name, options) => crossing(life.waitForEvent(name, options)),
      };
      for (const [name, value] of Object.entries(methods)) {
        Object.defineProperty(this, name, { value, writable: true, configurable: true });
      }
    }
  }

  // ended is the failure of an instance whose run has thrown (FLOW-100).
  function ended(e) {
    const error = cross(e);
    const { name, message } = error;
    if (!isNonRetryable(error)) return { name, message };
    if (preserve) return { name: nonRetryable, message: message.replace(/^NonRetryableError: /, '') };
    return describe(fatal('The execution of the Workflow instance was terminated, as a step threw an ' +
      'NonRetryableError and it was not handled'));
  }

  // execute is one life: { output } as JSON, or { failure } and the error itself.
  async function execute(native, object, event) {
    const life = new Life(native, modifications.get(keyOf(event.workflowName, event.instanceId)));
    if (native.begunSteps !== undefined) {
      const run = (async () => object.run(event, new WorkflowStep(life)))();
      await Promise.race([run.catch(() => {}), life.seen]);
      await life.rollBack(new Error('Instance terminated during rollback'));
      return { terminated: true };
    }
    try {
      const output = await Promise.race([(async () => object.run(event, new WorkflowStep(life)))(), life.over]);
      return { output: showResult(native.crossed(output)) };
    } catch (e) {
      if (e instanceof Abort) return { failure: describe(e.error), error: e.error };
      await life.rollBack(e);
      return { failure: ended(e), error: originals.get(e) ?? e };
    }
  }

  const retentionText = "Duration must be a number or a string in format '{{number}} {{unit}}' where unit is " +
    'second(s), minute(s), etc.';

  const terminal = new Set(['workflow_completed', 'workflow_errored', 'workflow_terminated']);

  const eventTypes = new Set(['workflow_queued', 'workflow_started', 'workflow_running', 'workflow_paused',
    'workflow_waiting_for_pause', 'workflow_waiting', ...terminal, 'step_started', 'step_completed', 'step_errored',
    'attempt_started', 'attempt_completed', 'attempt_errored', 'sleep_started', 'sleep_completed', 'wait_started',
    'wait_completed', 'wait_timed_out', 'rollback_started', 'rollback_step_started', 'rollback_step_completed',
    'rollback_step_errored', 'rollback_attempt_started', 'rollback_attempt_completed', 'rollback_attempt_errored',
    'rollback_completed', 'rollback_errored']);

  // subscription checks the options of subscribe (FLOW-141).
  function subscription(options) {
    if (options === undefined) return {};
    const { cursor, filter } = Object(options);
    if (!only(options, ['cursor', 'filter']) || cursor !== undefined && !(Number.isInteger(cursor) && cursor >= 0) ||
        filter !== undefined && !(Array.isArray(filter) && filter.every((type) => eventTypes.has(type)))) {
      throw new Error('Invalid Workflow subscription options');
    }
    return { cursor, filter };
  }

  // event is what a subscriber gets (FLOW-141 to FLOW-143).
  function event(instanceId, { eventId, timestamp, type, step, data, value }) {
    const e = { instanceId, eventId, timestamp, type };
    const meta = data === '' ? {} : JSON.parse(data);
    if (step !== '') e.stepName = step;
    const copy = (key, from = key) => { if (meta[from] !== undefined && meta[from] !== null) e[key] = meta[from]; };
    switch (type) {
      case 'workflow_started': e.params = value ?? {}; break;
      case 'workflow_completed': copy('output', 'result'); break;
      case 'step_completed': if (value !== undefined) e.output = value; else copy('output', 'result'); break;
      case 'wait_started': copy('eventType', 'event'); break;
      case 'workflow_queued': case 'wait_completed': case 'step_errored': case 'wait_timed_out':
      case 'workflow_terminated': case 'rollback_step_completed': break;
      default: for (const key of ['config', 'attempt', 'error', 'retryDelayMs', 'durationMs']) copy(key);
    }
    return e;
  }

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

  const stepKey = ({ name, index, count }) => `${name}-${count ?? index ?? 1}`;

  // Modifications are what a test changes of one instance (FLOW-213, FLOW-214).
  class Modifications {
    sleeps = new Set();
    delays = new Set();
    results = new Map();
    errors = new Map(); // by step: { always } or a map of attempts
    timeouts = new Map();
    eventTimeouts = new Set();
    events = [];
    next = new Map(); // the attempt that a counted mock begins with
    wait = Promise.withResolvers(); // until the instance has been made

    callback(step, attempt, callback) {
      const key = stepKey(step);
      const error = this.errors.get(key)?.(attempt);
      if (error) return () => { throw own(error.name, error.message); };
      const timeout = this.timeouts.get(key)?.(attempt);
      if (timeout) {
        return (ctx) => {
          throw own('WorkflowTimeoutError', `Execution timed out after ${milliseconds(ctx.config.timeout)}ms`);
        };
      }
      if (!this.results.has(key)) return callback;
      const result = this.results.get(key);
      return () => (typeof result === 'function' ? result() : structuredClone(result));
    }
    skipsDelay(step) { return this.delays.has('') || this.delays.has(stepKey(step)); }
    skipsSleep(step) { return this.sleeps.has('') || this.sleeps.has(stepKey(step)); }
    eventTimesOut(step) { return this.eventTimeouts.has(stepKey(step)); }

    // made sends the mocked events, when the instance has been made and whenever it begins anew.
    async made(native) {
      for (const { type, payload } of this.events) {
        await native.send(this.id, type, payload, show(payload));
      }
      this.wait.resolve();
    }

    // counted adds a mock for the attempts that it is for; without times it is for all.
    counted(mocks, step, times, value) {
      const key = stepKey(step);
      const before = mocks.get(key);
      if (!times) {
        mocks.set(key, () => value);
        return;
      }
      const from = this.next.get(key) ?? 1;
      this.next.set(key, from + times);
      mocks.set(key, (attempt) => before?.(attempt) ?? (attempt >= from && attempt < from + times ? value : undefined));
    }
  }

  // A Modifier is what the function given to modify gets.
  class Modifier {
    #mods;
    #native;
    constructor(mods, native) {
      this.#mods = mods;
      this.#native = native;
    }
    #unmocked(step, what) {
      if (this.#mods.results.has(stepKey(step))) {
        throw new Error(`[WorkflowIntrospector] Trying to ${what} step '${step.name}' after mocking its result!`);
      }
    }
    async disableSleeps(steps) { for (const key of steps?.map(stepKey) ?? ['']) this.#mods.sleeps.add(key); }
    async disableRetryDelays(steps) { for (const key of steps?.map(stepKey) ?? ['']) this.#mods.delays.add(key); }
    async mockStepResult(step, result) {
      const key = stepKey(step);
      if (this.#mods.results.has(key)) {
        throw new Error(`[WorkflowIntrospector] Trying to mock step '${step.name}' multiple times!`);
      }
      if (result instanceof ReadableStream) {
        const bytes = await new Response(result).bytes();
        this.#mods.results.set(key, () => new Response(bytes).body);
      } else this.#mods.results.set(key, structuredClone(result));
    }
    async mockStepError(step, { name, message }, times) {
      this.#unmocked(step, 'mock error on');
      this.#mods.counted(this.#mods.errors, step, times, { name, message });
    }
    async forceStepTimeout(step, times) {
      this.#unmocked(step, 'force timeout on');
      this.#mods.counted(this.#mods.timeouts, step, times, true);
    }
    async mockEvent({ type, payload }) {
      this.#mods.events.push({ type: String(type), payload: structuredClone(payload) });
      try {
        await this.#native.send(this.#mods.id, String(type), payload, show(payload));
      } catch (e) {
        if (e.message !== 'instance.not_found') throw e;
      }
    }
    async forceEventTimeout(step) { this.#mods.eventTimeouts.add(stepKey(step)); }
  }

  const finite = ['errored', 'terminated', 'complete'];

  class InstanceIntrospector {
    #native;
    #id;
    #mods;
    constructor(native, id) {
      this.#native = native;
      this.#id = id;
      const key = keyOf(native.workflow, id);
      this.#mods = modifications.get(key) ?? Object.assign(new Modifications(), { id });
      modifications.set(key, this.#mods);
    }
    async modify(fn) {
      await fn(new Modifier(this.#mods, this.#native));
      return this;
    }
    // exists waits until the instance has been made.
    async #exists() {
      try {
        await this.#native.exists(this.#id);
      } catch (e) {
        if (e.message !== 'instance.not_found') throw e;
        await this.#mods.wait.promise;
      }
    }
    async waitForStepResult(step) {
      await this.#exists();
      const key = stepKey(step);
      for (let after = 0; ;) {
        const list = await this.#native.events(this.#id, after);
        if (list.length === 0) throw new Error(`The instance has ended without a step ${key}`);
        for (const happened of list) {
          after = happened.eventId;
          if (happened.step !== key) continue;
          if (happened.type === 'step_completed') return event(this.#id, happened).output;
          if (happened.type === 'step_errored') throw new Error('Step failed');
        }
      }
    }
    async waitForStatus(status) {
      if (status === 'queued') return;
      await this.#exists();
      for (let after = 0; ;) {
        const now = (await this.#native.status(this.#id)).status;
        if (now === status) return;
        if (finite.includes(now)) {
          throw new Error(`[WorkflowIntrospector] The Workflow instance ${this.#id} has reached status '${now}'. ` +
            `This is a finite status that prevents it from ever reaching the expected status of '${status}'.`);
        }
        for (const { eventId } of await this.#native.events(this.#id, after)) after = eventId;
      }
    }
    async #ended(what, wanted, text) {
      const { status, output, failure } = await this.#native.status(this.#id);
      if (status !== wanted) {
        throw new Error(`Cannot retrieve ${what}: Workflow instance is in status "${status}" but must be ` +
          `"${wanted}" to have ${text} available`);
      }
      return failure ?? (output === '' ? undefined : JSON.parse(output));
    }
    getOutput() { return this.#ended('output', 'complete', 'an output'); }
    getError() { return this.#ended('error', 'errored', 'error information'); }
    async dispose() {
      modifications.delete(keyOf(this.#native.workflow, this.#id));
      try {
        await this.#native.change('delete', this.#id);
      } catch (e) {
        if (!e.message.includes('instance.not_found')) throw e;
      }
    }
    [Symbol.asyncDispose]() { return this.dispose(); }
  }

  async function introspectWorkflowInstance(workflow, id) {
    const native = bound.get(workflow);
    if (!native || !id) throw new Error('[WorkflowIntrospector] Workflow binding and instance id are required.');
    return new InstanceIntrospector(native, id);
  }

  class WorkflowIntrospector {
    #native;
    #operations = [];
    #instances = new Map();
    constructor(native) {
      this.#native = native;
      introspected.set(native.workflow, {
        created: async (id) => {
          if (this.#instances.has(id)) return;
          const one = new InstanceIntrospector(native, id);
          this.#instances.set(id, one);
          for (const fn of this.#operations) await one.modify(fn);
        },
      });
    }
    async modifyAll(fn) { this.#operations.push(fn); }
    // get answers with a list that can also be awaited: until August 2026 it was no promise.
    get() {
      const list = [...this.#instances.values()];
      const then = (resolve) => { resolve([...list]); };
      return Object.defineProperty(list, 'then', { value: then, enumerable: false });
    }
    async dispose() {
      introspected.delete(this.#native.workflow);
      for (const one of this.#instances.values()) await one.dispose();
      this.#instances.clear();
    }
    [Symbol.asyncDispose]() { return this.dispose(); }
  }

  async function introspectWorkflow(workflow) {
    const native = bound.get(workflow);
    if (!native) throw new Error('[WorkflowIntrospector] Workflow binding is required.');
    if (introspected.has(native.workflow)) {
      throw new Error(`Workflow ${JSON.stringify(native.workflow)} already has an active introspection session for ` +
        `binding ${JSON.stringify(native.key)}.`);
    }
    return new WorkflowIntrospector(native);
  }

  return { bind, execute, introspectWorkflow, introspectWorkflowInstance };
})

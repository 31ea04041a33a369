// One execution of run from the top: its steps and their attempts (FLOW-10 to FLOW-84). native sends commands to the
// workflow and answers with promises.
(function (all) {
  'use strict';

  const {
    make, own, cross, show, redacted, describe, fatal, isNonRetryable, milliseconds, badConfig, checkName, bounded,
    configOf, rollbackOf,
  } = all;

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

  Object.assign(all, { Abort, Life });
})

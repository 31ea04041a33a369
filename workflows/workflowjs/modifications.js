// What tests change of instances (FLOW-213, FLOW-214).
(function (all) {
  'use strict';

  const { own, show, milliseconds } = all;

  // Modifications by workflow and instance, and the sessions of introspectWorkflow by workflow: what tests change.
  const modifications = new Map();
  const introspected = new Map();
  const bound = new WeakMap();
  const keyOf = (workflow, id) => `${workflow}\n${id}`;

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

  Object.assign(all, { modifications, introspected, bound, keyOf, stepKey, Modifications });
})

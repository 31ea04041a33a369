// introspectWorkflow and introspectWorkflowInstance of cloudflare:test (FLOW-210 to FLOW-218).
(function (all) {
  'use strict';

  const { show, modifications, introspected, bound, keyOf, stepKey, Modifications, event } = all;

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

  Object.assign(all, { introspectWorkflow, introspectWorkflowInstance });
})

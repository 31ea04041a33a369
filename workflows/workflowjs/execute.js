// The step object, and run with it (FLOW-100). preserve is a compatibility flag.
(function (all, preserve) {
  'use strict';

  const {
    nonRetryable, originals, cross, showResult, describe, fatal, isNonRetryable, modifications, keyOf, Abort, Life,
  } = all;

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

  Object.assign(all, { execute });
})

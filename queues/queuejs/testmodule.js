// What cloudflare:test offers for queues (C-32): a batch as a handler gets it, and what became of it.
(function (host) {
  "use strict";
  const waiting = new WeakMap();
  function createExecutionContext() {
    const promises = [];
    const ctx = {
      waitUntil(promise) { promises.push(promise); },
      passThroughOnException() {},
      props: {},
    };
    waiting.set(ctx, promises);
    return ctx;
  }
  async function waitOnExecutionContext(ctx) {
    const promises = waiting.get(ctx);
    if (promises === undefined) throw new TypeError("Expected a context of createExecutionContext().");
    // What is waited for may add to what is waited for.
    for (let i = 0; i < promises.length; i++) await promises[i];
  }
  function createMessageBatch(queueName, messages) {
    if (arguments.length === 0)
      throw new TypeError("Failed to execute 'createMessageBatch': parameter 1 is not of type 'string'.");
    if (!Array.isArray(messages))
      throw new TypeError("Failed to execute 'createMessageBatch': parameter 2 is not of type 'Array'.");
    return host.batch(String(queueName), messages);
  }
  async function getQueueResult(batch, ctx) {
    await waitOnExecutionContext(ctx);
    return host.result(batch);
  }
  return { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext };
})

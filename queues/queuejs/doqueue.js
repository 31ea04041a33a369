// The do-queue package as its page describes it: a producer, and a class that consumes (DQ-1).
(function (host) {
  "use strict";
  class DOQueueProducer {
    #namespace;
    #queueName;
    constructor(namespace, queueName) {
      if (typeof queueName !== "string" || queueName === "")
        throw new TypeError("DOQueueProducer requires a queue name as its second argument.");
      this.#namespace = namespace;
      this.#queueName = queueName;
    }
    async send(body, options) {
      if (body === undefined) throw new TypeError("Message body cannot be undefined");
      await host.send(this.#namespace, this.#queueName, options?.key, body);
    }
  }
  function createDOQueue(handlers, options) {
    class DOQueue extends host.DurableObject {}
    return host.define(DOQueue, handlers, options);
  }
  return { DOQueueProducer, createDOQueue };
})

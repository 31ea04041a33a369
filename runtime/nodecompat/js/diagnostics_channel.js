(function (require, module, exports, host) {
  "use strict";
  const { codes } = require("internal/errors");
  const { validateFunction } = require("internal/validators");

  const channels = new Map();

  class Channel {
    #subscribers = [];
    #stores = new Map();
    constructor(name) {
      this.name = name;
    }
    get hasSubscribers() {
      return this.#subscribers.length > 0 || this.#stores.size > 0;
    }
    subscribe(fn) {
      validateFunction(fn, "subscription");
      this.#subscribers = [...this.#subscribers, fn];
    }
    unsubscribe(fn) {
      const at = this.#subscribers.indexOf(fn);
      if (at < 0) return false;
      this.#subscribers = this.#subscribers.filter((_, i) => i !== at);
      return true;
    }
    bindStore(store, transform) {
      this.#stores.set(store, transform);
    }
    unbindStore(store) {
      return this.#stores.delete(store);
    }
    publish(data) {
      if (typeof this.name === "string") host.published(this.name, data);
      for (const fn of this.#subscribers) {
        try {
          fn(data, this.name);
        } catch (err) {
          queueMicrotask(() => reportError(err));
        }
      }
    }
    runStores(data, fn, thisArg, ...args) {
      let run = () => {
        this.publish(data);
        return Reflect.apply(fn, thisArg, args);
      };
      for (const [store, transform] of this.#stores) {
        const inner = run;
        run = () => {
          let context = data;
          if (transform) {
            try {
              context = transform(data);
            } catch (err) {
              queueMicrotask(() => reportError(err));
              return inner();
            }
          }
          return store.run(context, inner);
        };
      }
      return run();
    }
  }

  function channel(name) {
    if (typeof name !== "string" && typeof name !== "symbol") throw new codes.ERR_INVALID_ARG_TYPE(
      "channel", ["string", "symbol"], name);
    let c = channels.get(name);
    if (!c) channels.set(name, (c = new Channel(name)));
    return c;
  }

  const traced = ["start", "end", "asyncStart", "asyncEnd", "error"];
  class TracingChannel {
    constructor(nameOrChannels) {
      for (const name of traced) {
        let c;
        if (typeof nameOrChannels === "string") c = channel(`tracing:${nameOrChannels}:${name}`);
        else if (nameOrChannels !== null && typeof nameOrChannels === "object") {
          c = nameOrChannels[name];
          if (!(c instanceof Channel)) throw new codes.ERR_INVALID_ARG_TYPE(`nameOrChannels.${name}`, ["Channel"], c);
        } else throw new codes.ERR_INVALID_ARG_TYPE(
          "nameOrChannels", ["string", "object", "TracingChannel"], nameOrChannels);
        Object.defineProperty(this, name, { value: c, enumerable: true });
      }
    }
    get hasSubscribers() {
      return traced.some((n) => this[n].hasSubscribers);
    }
    subscribe(handlers) {
      for (const name of traced) if (handlers[name]) this[name].subscribe(handlers[name]);
    }
    unsubscribe(handlers) {
      let all = true;
      for (const name of traced) if (handlers[name] && !this[name].unsubscribe(handlers[name])) all = false;
      return all;
    }
    traceSync(fn, context = {}, thisArg, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
      return this.start.runStores(context, () => {
        try {
          const result = Reflect.apply(fn, thisArg, args);
          context.result = result;
          return result;
        } catch (err) {
          context.error = err;
          this.error.publish(context);
          throw err;
        } finally {
          this.end.publish(context);
        }
      });
    }
    tracePromise(fn, context = {}, thisArg, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
      const settled = (key) => (value) => {
        context[key] = value;
        if (key === "error") this.error.publish(context);
        this.asyncStart.publish(context);
        this.asyncEnd.publish(context);
        if (key === "error") throw value;
        return value;
      };
      return this.start.runStores(context, () => {
        try {
          let promise = Reflect.apply(fn, thisArg, args);
          if (!(promise instanceof Promise)) promise = Promise.resolve(promise);
          return promise.then(settled("result"), settled("error"));
        } catch (err) {
          context.error = err;
          this.error.publish(context);
          throw err;
        } finally {
          this.end.publish(context);
        }
      });
    }
    traceCallback(fn, position = -1, context = {}, thisArg, ...args) {
      if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
      const { start, end, asyncStart, asyncEnd, error } = this;
      const callback = args.at(position);
      validateFunction(callback, "callback");
      function wrapped(err, res) {
        if (err) {
          context.error = err;
          error.publish(context);
        } else context.result = res;
        return asyncStart.runStores(context, () => {
          try {
            return Reflect.apply(callback, this, arguments);
          } finally {
            asyncEnd.publish(context);
          }
        });
      }
      args.splice(position, 1, wrapped);
      return start.runStores(context, () => {
        try {
          return Reflect.apply(fn, thisArg, args);
        } catch (err) {
          context.error = err;
          error.publish(context);
          throw err;
        } finally {
          end.publish(context);
        }
      });
    }
  }

  module.exports = {
    channel,
    hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, fn) => channel(name).subscribe(fn),
    unsubscribe: (name, fn) => channel(name).unsubscribe(fn),
    tracingChannel: (nameOrChannels) => new TracingChannel(nameOrChannels),
    Channel, TracingChannel,
  };
})

(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  class Domain extends EventEmitter {
    members = [];
    add(emitter) {
      this.members.push(emitter);
    }
    remove(emitter) {
      this.members = this.members.filter((m) => m !== emitter);
    }
    run(fn, ...args) {
      return Reflect.apply(fn, this, args);
    }
    intercept(fn) {
      return (err, ...args) => (err ? this.emit("error", err) : fn(...args));
    }
    bind(fn) {
      return (...args) => fn(...args);
    }
    enter() {}
    exit() {}
  }
  const create = () => new Domain();
  module.exports = { Domain, create, createDomain: create, active: null, _stack: [] };
})

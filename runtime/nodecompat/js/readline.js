(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { functions } = require("internal/absent");
  class Interface extends EventEmitter {
    terminal = false;
    line = "";
    cursor = 0;
    history = [];
    getPrompt() {
      return "";
    }
    setPrompt() {}
    prompt() {}
    close() {
      this.emit("close");
    }
    pause() {
      return this;
    }
    resume() {
      return this;
    }
    write() {}
  }
  functions(Interface.prototype, "readline.Interface", "question");
  const done = (...args) => {
    const callback = args.find((a) => typeof a === "function");
    callback?.();
    return true;
  };
  const api = { Interface, createInterface: () => new Interface(), clearLine: done, clearScreenDown: done,
    cursorTo: done, moveCursor: done, emitKeypressEvents() {} };
  Object.defineProperty(api, "promises", { enumerable: true, get: () => require("readline/promises") });
  module.exports = api;
})

(function (require, module) {
  "use strict";
  const EventEmitter = require("events");
  const { functions } = require("internal/absent");
  class Worker extends EventEmitter {
    id = 0;
    exitedAfterDisconnect = false;
    isConnected() {
      return false;
    }
    isDead() {
      return true;
    }
    send() {
      return false;
    }
    kill() {}
    destroy() {}
    disconnect() {
      return this;
    }
  }
  const cluster = Object.assign(new EventEmitter(), {
    Worker, isMaster: true, isPrimary: true, isWorker: false, SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2,
      settings: {}, workers: {},
  });
  module.exports = functions(cluster, "cluster", "fork disconnect setupPrimary setupMaster");
})

// The options and the events of subscribe (FLOW-140 to FLOW-143).
(function (all) {
  'use strict';

  const { only } = all;

  const terminal = new Set(['workflow_completed', 'workflow_errored', 'workflow_terminated']);

  const eventTypes = new Set(['workflow_queued', 'workflow_started', 'workflow_running', 'workflow_paused',
    'workflow_waiting_for_pause', 'workflow_waiting', ...terminal, 'step_started', 'step_completed', 'step_errored',
    'attempt_started', 'attempt_completed', 'attempt_errored', 'sleep_started', 'sleep_completed', 'wait_started',
    'wait_completed', 'wait_timed_out', 'rollback_started', 'rollback_step_started', 'rollback_step_completed',
    'rollback_step_errored', 'rollback_attempt_started', 'rollback_attempt_completed', 'rollback_attempt_errored',
    'rollback_completed', 'rollback_errored']);

  // subscription checks the options of subscribe (FLOW-141).
  function subscription(options) {
    if (options === undefined) return {};
    const { cursor, filter } = Object(options);
    if (!only(options, ['cursor', 'filter']) || cursor !== undefined && !(Number.isInteger(cursor) && cursor >= 0) ||
        filter !== undefined && !(Array.isArray(filter) && filter.every((type) => eventTypes.has(type)))) {
      throw new Error('Invalid Workflow subscription options');
    }
    return { cursor, filter };
  }

  // event is what a subscriber gets (FLOW-141 to FLOW-143).
  function event(instanceId, { eventId, timestamp, type, step, data, value }) {
    const e = { instanceId, eventId, timestamp, type };
    const meta = data === '' ? {} : JSON.parse(data);
    if (step !== '') e.stepName = step;
    const copy = (key, from = key) => { if (meta[from] !== undefined && meta[from] !== null) e[key] = meta[from]; };
    switch (type) {
      case 'workflow_started': e.params = value ?? {}; break;
      case 'workflow_completed': copy('output', 'result'); break;
      case 'step_completed': if (value !== undefined) e.output = value; else copy('output', 'result'); break;
      case 'wait_started': copy('eventType', 'event'); break;
      case 'workflow_queued': case 'wait_completed': case 'step_errored': case 'wait_timed_out':
      case 'workflow_terminated': case 'rollback_step_completed': break;
      default: for (const key of ['config', 'attempt', 'error', 'retryDelayMs', 'durationMs']) copy(key);
    }
    return e;
  }

  Object.assign(all, { terminal, subscription, event });
})

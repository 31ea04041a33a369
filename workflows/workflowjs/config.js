// Durations, names of steps and their configurations (FLOW-7, FLOW-14, FLOW-80).
(function (all) {
  'use strict';

  const { fatal } = all;

  const units = { second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5, month: 2592e6, year: 315576e5 };

  // milliseconds reads a duration (FLOW-7); undefined if it is none. A number may stand alone.
  function milliseconds(v) {
    if (typeof v === 'number') return Number.isNaN(v) ? undefined : v;
    if (typeof v !== 'string') return undefined;
    const m = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:\s*(second|minute|hour|day|week|month|year)s?)?\s*$/
      .exec(v);
    return m ? +m[1] * (m[2] ? units[m[2]] : 1) : undefined;
  }

  const doc = 'https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/';
  const badConfig = (name) => fatal(`Step config for "${name}" is in a invalid format. See ${doc}`);

  function checkName(name) {
    if (name.length > 256 || /[\x00-\x1f]/.test(name)) {
      throw fatal(`Step name "${name}" exceeds max length (256 chars) or invalid characters found`);
    }
  }

  const only = (o, keys) =>
    typeof o === 'object' && o !== null && !Array.isArray(o) && Object.keys(o).every((k) => keys.includes(k));

  const bounded = (ms) => ms >= 0 && ms < Infinity;

  // configOf merges a configuration with the defaults (FLOW-14); undefined if it is none.
  function configOf(given) {
    const config = { retries: { limit: 5, backoff: 'exponential', delay: 1000 }, timeout: '10 minutes' };
    if (given === undefined || given === null) return config;
    if (!only(given, ['retries', 'timeout', 'sensitive'])) return undefined;
    const { retries, timeout, sensitive } = given;
    if (retries !== undefined) {
      if (!only(retries, ['limit', 'delay', 'backoff'])) return undefined;
      const { limit, delay, backoff } = retries;
      if (!(Number.isFinite(limit) && limit >= 0)) return undefined;
      if (typeof delay !== 'function' && !bounded(milliseconds(delay))) return undefined;
      if (backoff !== undefined && !['constant', 'linear', 'exponential'].includes(backoff)) return undefined;
      config.retries = { limit, backoff: backoff ?? config.retries.backoff, delay };
    }
    if (timeout !== undefined) {
      const ms = milliseconds(timeout);
      if (!(bounded(ms) && ms > 0)) return undefined;
      config.timeout = timeout;
    }
    if (sensitive !== undefined) {
      if (sensitive !== 'output') return undefined;
      config.sensitive = sensitive;
    }
    return config;
  }

  function rollbackOf(name, options) {
    if (options === undefined) return undefined;
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw fatal(`Rollback options for "${name}" must be an object`);
    }
    const { rollback, rollbackConfig } = options;
    if (typeof rollback !== 'function') throw fatal(`Rollback for "${name}" must be a function`);
    const config = rollbackConfig === null ? undefined : configOf(rollbackConfig);
    if (config === undefined) throw fatal(`Rollback config for "${name}" is in a invalid format. See ${doc}`);
    return { rollback, config };
  }

  const retentionText = "Duration must be a number or a string in format '{{number}} {{unit}}' where unit is " +
    'second(s), minute(s), etc.';

  Object.assign(all, { milliseconds, badConfig, checkName, only, bounded, configOf, rollbackOf, retentionText });
})

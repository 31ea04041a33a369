// The class of a Hyperdrive binding (BIND-42). A binding without a connection string fails when it is used.
(function (connect, parts, missing) {
  'use strict';
  const part = (name) => {
    if (missing) throw new Error(missing);
    return parts[name];
  };
  class Hyperdrive {
    get [Symbol.toStringTag]() { return 'Hyperdrive'; }
    get connectionString() { return part('connectionString'); }
    get host() { return part('host'); }
    get port() { return Number(part('port')); }
    get user() { return part('user'); }
    get password() { return part('password'); }
    get database() { return part('database'); }
    connect() { return connect(`${part('host')}:${part('port')}`); }
  }
  return new Hyperdrive();
})

// Modules whose purpose the platform does not serve: what they export throws, naming itself.
(function (require, module) {
  "use strict";
  const { codes, unimplemented } = require("internal/errors");
  // functions makes api.name throw for every name.
  function functions(api, prefix, names) {
    for (const name of names.split(" ")) api[name] = unimplemented(`${prefix}.${name}`);
    return api;
  }
  // classes makes classes whose construction throws.
  function classes(api, prefix, names, Base = Object) {
    for (const name of names.split(" ")) {
      const C = class extends Base {
        constructor() {
          super();
          throw new codes.ERR_METHOD_NOT_IMPLEMENTED(`${prefix}.${name}`);
        }
      };
      Object.defineProperty(C, "name", { value: name });
      api[name] = C;
    }
    return api;
  }
  module.exports = { functions, classes };
})

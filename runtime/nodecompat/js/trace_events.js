(function (require, module) {
  "use strict";
  module.exports = {
    createTracing: () => ({ enabled: false, categories: "", enable() {}, disable() {} }),
    getEnabledCategories: () => "",
  };
})

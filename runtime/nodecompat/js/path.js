(function (require, module) {
  "use strict";
  const posix = require("internal/path_posix");
  const win32 = require("internal/path_win32");
  posix.win32 = win32.win32 = win32;
  posix.posix = win32.posix = posix;
  module.exports = posix;
})

// Package nodecompat provides the node:* modules that the nodejs_compat flag brings.
//
// # Nouns
//
//   - A module is one JavaScript file under js/, written for this project against Node's documentation. It is a
//     CommonJS module: (function (require, module, exports, host) { … }).
//   - host is the object through which a module reaches Go: hashing, ciphers, compression, the inspector and so on;
//     each Go file here that serves a module registers its functions under a name.
//   - Files under js/internal are parts that modules share; no script can import them. internal/absent makes what the
//     platform does not serve: functions and classes that throw ERR_METHOD_NOT_IMPLEMENTED with their own name.
//   - The namespace that a script imports has every own key of module.exports, and module.exports itself as default.
//
// Modules are compiled once per process and evaluated once per isolate, on first import. Everything belongs to the loop
// goroutine.
package nodecompat

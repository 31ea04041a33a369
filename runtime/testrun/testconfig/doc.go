// Package testconfig finds and evaluates the configuration of tests: vitest.config.*, vite.config.* and
// vitest.workspace.* with what Cloudflare's integration reads of them, in both dialects (TEST-50 to TEST-65).
//
// Nouns. A configuration file is a program (TEST-58): it runs in an isolate of its own, with the modules that it
// imports. A project is one set of tests with its Worker; a file gives one, or names others. A stand-in is a module
// that takes the place of one of Node's packages: of vitest, vite, miniflare, or Cloudflare's integration. A function
// of the configuration is a service or an outbound handler that the configuration wrote as JavaScript (TEST-53): its
// isolate lives as long as the tests run.
//
// Life cycle. Load evaluates files and gives a Tree of projects. Tree.Setup runs the global setups (TEST-63). Then
// Project.Worker reads the options of the Worker, which may depend on what the setups provided. Tree.Close runs the
// teardowns and ends the isolates.
//
// Threads. One goroutine at a time uses a Tree; functions of the configuration are called from any.
package testconfig

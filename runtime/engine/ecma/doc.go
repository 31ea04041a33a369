// Package ecma makes a goja runtime behave like the V8 of the platform (V8 14, workerd of 2026-04).
//
// Nouns. An engine is one goja.Runtime that Install has prepared. A Program is JavaScript that Compile has parsed. A
// hook is a Go function that takes the place of a constructor or method inside goja.
//
// Life cycle. Install is called once per runtime, before any user code. The packages below install their parts in turn:
// v8text the texts and stacks of errors; this one the built-ins that goja lacks, mostly by embedded scripts (js/*.js,
// compiled once per process); json, regexp and intl theirs (Intl is large and rare, and comes with its first use);
// bounds, at the end, the limits of them all. Compile is script's, bounded by bounds.
//
// The hooks stand on package gojainternals, the only one that reaches goja's unexported fields; Install fails with the
// name of the field if goja's layout is another one. The alternative, a call inserted into every catch clause, was
// refused: it costs on each catch, it misses errors that cross Go, and it can't see the value that an operation failed
// on (undefined or null).
//
// Typed arrays. Resizable buffers keep their state beside the engine (resizable.go), in a table that holds them weakly.
// Float16Array is a goja typed array whose element type is gojainternals'.
//
// Async generators. goja has none and the bundler lowers them. Package script replaces the bundler's helpers by calls
// of js/async_generator.js, and tells this package whenever a program has made such a function, so that the program
// finds the standard's functions and objects. What it can still see: toString shows the lowered text, an assignment to
// a property of super in such a method is refused, and a minified build, whose helpers have no names to know them by,
// keeps the bundler's.
//
// Goroutines. Everything that touches a runtime runs on the goroutine that owns it. Compiled programs and what is kept
// beside them are immutable after construction and shared by all runtimes of the process.
package ecma

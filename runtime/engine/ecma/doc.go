// Package ecma makes a goja runtime behave like the V8 of the platform (V8 14, workerd of 2026-04).
//
// Nouns. An engine is one goja.Runtime that Install has prepared. A Program is JavaScript that Compile has parsed;
// Compile also keeps a source index beside it (where each call stands, which function covers which range), from which
// error texts and stack frames are drawn. A hook is a Go function that takes the place of a constructor or method
// inside goja.
//
// Life cycle. Install is called once per runtime, before any user code. It first puts hooks under the intrinsic error
// constructors, so that every error, also one that goja itself creates, is born with V8's text and V8's stack: no
// catch clause, promise callback or Go boundary has to rewrite anything afterwards, and code without errors pays
// nothing. Then it runs the embedded scripts (js/*.js, compiled once per process) that define the built-ins goja
// lacks, and the packages json, regexp and intl install theirs; Intl is large and rare, and comes with its first use.
//
// The hooks stand on package gojainternals, the only one that reaches goja's unexported fields; Install fails with the
// name of the field if goja's layout is another one. The alternative, a call inserted into every catch clause, was
// refused: it costs on each catch, it misses errors that cross Go, and it can't see the value that an operation failed
// on (undefined or null).
//
// Typed arrays. Resizable buffers keep their state beside the engine (resizable.go), in a table that holds them weakly.
// Float16Array is a goja typed array whose element type is gojainternals'.
//
// Async generators. goja has none and the bundler lowers them. The compiler replaces the bundler's helpers by calls of
// js/async_generator.js, and is told whenever the program has made such a function (async_code.go), so that
// a program finds the standard's functions and objects. What it can still see: toString shows the lowered text, an
// assignment to a property of super in such a method is refused, and a minified build, whose helpers have no names to
// know them by, keeps the bundler's.
//
// Goroutines. Everything that touches a runtime runs on the goroutine that owns it. Compiled programs, source indexes,
// compiled patterns and locale data are immutable after construction and shared by all runtimes of the process.
package ecma

// Package wasm is the WebAssembly namespace of an isolate, on wazero.
//
// Nouns. A *program* is one .wasm file, decoded, rewritten and compiled; it belongs to the process, so that a reload or
// a second isolate does not compile again, and is forgotten when no isolate has it any more. A *space* is what one
// isolate has: classes, instances, handles of JavaScript values. An *instance* is a running program with its memories,
// tables, globals and functions.
//
// wazero links modules by name and has neither host memories nor host tables. So every program is rewritten before it
// is compiled: its imports get names made of their positions, its exports too, and a global named "stop" is added. Code
// that loops or calls visits Go every few thousand rounds, so that a collection of Go can begin, and then looks at that
// global. Functions that JavaScript gives come from a *shim*, a small module made for the program that passes the
// instance's number and the import's position on to one Go function per signature. What JavaScript makes itself (new
// WebAssembly.Memory) is a small module too.
//
// Threads. All of a space runs on its isolate's loop goroutine; programs are guarded by a mutex of the process. The
// CPU limit comes from the timer's goroutine, which does nothing but set the stop globals.
//
// The command keeps machine code on disk (CacheIn); a Go program that starts sessions does not, unless it calls that.
//
// Life. Nothing of wazero is touched before a module is imported. An instance ends when JavaScript can no longer reach
// it: a cleanup then takes its modules out of wazero's list.
package wasm

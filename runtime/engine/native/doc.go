// Package native runs small WebAssembly functions of our own making over the process's own memory: kernels, which
// package kernel makes of JavaScript.
//
// Nouns. The window is the part of the address space that such a function sees as its linear memory: some gigabytes
// from a little below the place where Go's heap begins. So a buffer is reached where it is, without a copy, and
// nothing has to be freed by hand: Go's collector does not move what it owns, and whoever calls keeps it alive. A
// buffer outside of the window has no offset; the caller must do without.
//
// What keeps a function inside of its buffers is the code itself: each access compares its index with the length
// that the caller gave, and package kernel's tests run generated functions against goja's.
//
// Code is a compiled function with its instances. An instance serves one call at a time; whoever calls takes one
// and gives it back. Code may be used by all goroutines.
//
// Why not part of runtime/engine/wasm: that is what scripts see of WebAssembly, and stands far above the compiler
// of scripts.
package native

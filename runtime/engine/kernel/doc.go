// Package kernel runs functions that touch only numbers, typed arrays and each other without goja's values: hashes,
// ciphers, checksums. Such a function means exactly what JavaScript means by it, and nothing has to be undone, because
// inside of it nothing else can happen: no getter, no allocation, no exception. An element of a typed array is a
// number, a read past its end is NaN, or 0 after | 0, and a write past its end is nothing.
//
// Nouns. A kernel is a function declaration whose statements are all of that kind. Its code is a list of instructions
// over 256 registers, each an int32 where that is provable and a double otherwise. What the arguments are is looked at
// in each call: a kernel has code for each combination of element types that it was called with, and everything that
// does not fit (a plain array, a missing argument, a view that lost its buffer) runs in goja as before. A decl is a
// function declaration that kernels may call; small ones are put in the place of the call.
//
// Which function a name means is decided by the text: the name must be declared once in the whole script, by that
// function, and every other mention of it must be a call or a property. So no scope, parameter or assignment can mean
// something else.
//
// Why not WebAssembly: its linear memory would have to hold the buffers, which belong to Go's collector and to whoever
// has a slice of them; RATIONALE.md has the figures.
//
// Threads. Code is immutable and shared by all runtimes of the process; a call has its own registers. A loop looks for
// interrupts every few thousand rounds, so that the CPU limit holds.
package kernel

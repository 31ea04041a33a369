// Package kernel makes machine code of JavaScript that touches only numbers, typed arrays and what is like them:
// hashes, ciphers, checksums, loops over bytes. Such code means exactly what JavaScript means by it, and nothing
// has to be undone, because inside of it nothing else can happen: no getter, no allocation. An element of a typed
// array is a number, a read past its end is undefined, and a write past its end is nothing.
//
// Nouns. A kernel is a run of statements in a function: all of its body, or the loops in it. Its plan says what
// every name in it means that is not its own: its inputs, which are variables around it, properties of objects, and
// functions and methods, whose bodies are taken in. Some inputs get a new value in the end. What the inputs are is
// looked at each time when a kernel begins; their kinds name a version of the kernel, which has code for just
// these. What
// fits none (an object, a view that lost its buffer, a changed Math) runs in goja as before. The finder looks for
// kernels while a script is compiled, and puts a mark in front of each and behind it, from which goja's compiler
// and package gojainternals find out where the variables are.
//
// How code is made. The lowerer walks over the statements again and again, until what it knows of the variables
// where ways meet (a meeting: the head of a loop, the end of a branch) holds. What is known of a value is a number:
// its range, whether it is an integer for sure, whether it may be undefined. That decides the representation:
// int32, int64 or double. A known range below an array's length saves the check of an index; integers are added as
// integers only where no double could differ. Undefined is kept among integers as a number that none of them is. A
// counter that steps by small constants stays an integer: there is not time enough for it to leave 2^53.
//
// Threads. A plan does not change. Versions are guarded by the kernel's lock, and their code is shared by all
// runtimes of the process. A loop looks for interrupts every few thousand rounds, so that the CPU limit holds.
package kernel

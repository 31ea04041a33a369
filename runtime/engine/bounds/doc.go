// Package bounds keeps a script from taking more memory, stack or time in one step than can be given or taken back.
//
// goja's built-ins and operators take what lengths they are given, and Go ends the process when an allocation fails or
// a stack is full. Install wraps the built-ins that can be asked for too much, and [Program] does the same for the
// calls and operators of a compiled program: V8's RangeErrors come before the allocation and before the recursion. What
// is large but possible is told beforehand, so that a limit of memory can refuse it, and what takes long looks for an
// interrupt.
//
// A [Bounds] belongs to one runtime and its goroutine. It lives as long as the runtime.
package bounds

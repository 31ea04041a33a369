// Package v8text gives the errors of goja the texts and stacks of the platform's V8 (V8 14, workerd of 2026-04).
//
// Nouns. [Texts] words the errors of one runtime. A rule turns one of goja's texts into V8's; it looks at where goja
// stands in the script, at the operands on goja's stack, and at the index that package script has kept of the source. A
// [StackFrame] is one line of a stack. A [Thrown] is what a call into the runtime ended with, in these terms.
//
// Install puts hooks under the intrinsic error constructors, so that every error, also one that goja itself creates, is
// born with V8's text and V8's stack: no catch clause, promise callback or Go boundary has to rewrite anything
// afterwards, and code without errors pays nothing. The frames are taken when an error is born; their text is made when
// it is first read.
//
// Everything here runs on the goroutine that owns the runtime.
package v8text

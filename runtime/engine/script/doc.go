// Package script turns the syntax tree of a script into a program for goja, and keeps of its source what V8's texts are
// drawn from.
//
// Nouns. An [Index] is kept beside each program. A [Site] of it is an operation: where goja reports its failure, where
// V8 does, and the text of its operand. A [Span] is a function: its range and the name that V8 shows for its frames.
//
// Compile walks a tree once. On the way it records sites and spans and changes what goja cannot compile as it stands:
// literals of regular expressions that goja's engine would get wrong, the bundler's helpers of async generators, super
// in their bodies, and arguments in arrow functions.
//
// An index lives as long as a program of its file. It does not change after Compile, and any goroutine may read it.
package script

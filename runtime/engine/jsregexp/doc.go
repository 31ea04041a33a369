// Package jsregexp is a regular expression engine with the meaning of ECMAScript 2025: all flags (d g i m s u v y),
// look-behind, named groups with duplicates, inline modifiers, property escapes, set notation.
//
// goja's own engine translates to two foreign ones and is silently wrong at many edges (captures inside repetitions,
// case folding, \p, look-behind). Here a pattern is parsed to a tree, the tree compiled to a small program, and the
// program run by a backtracking machine with an explicit stack over bytes (ASCII text) or UTF-16 units. What can follow
// each step of a program, its heads, is known: the machine does not begin, branch or go back where the next character
// forbids it.
//
// A Program is immutable and shared by goroutines; a Match call owns its machine, which another call uses again. What
// the standard forbids, and what this package can't do right, is an error with V8's words at compile time, never a
// wrong answer.
package jsregexp

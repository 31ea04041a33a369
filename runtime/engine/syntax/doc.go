// Package syntax reads JavaScript with goja's parser, and mends what that parser refuses although the language has it.
//
// Nouns. A pattern is what takes a value apart, in a declaration (a binding pattern) or in an assignment. goja's parser
// reads both as literals first and turns them into patterns then; on that way it refuses a default value in an array
// that has one itself and stands in an object, as in `const { a: [b = 1] = [] } = c`. What it refused stays in the tree
// as a place. Parse reads the text there anew, alone, with the positions that it has in the whole.
//
// A long script that is one function, as the bundler makes it, is read in parts, on several goroutines: at a line that
// begins with var a statement begins, if what is in front of it is whole statements.
//
// Nothing is kept; any goroutine may call Parse.
package syntax

// Package regexp is RegExp for scripts: the constructor, the prototype's methods, and literals. goja's engines get many
// patterns wrong; those are matched by package jsregexp, and goja keeps the rest.
//
// Nouns. A pattern of our own stands in the source slot of a goja RegExp object and carries its compiled program. A
// template is an empty goja RegExp with the same flags, of which new objects are cheap copies. A pattern fits if goja's
// engine is known to be right for it (fit.go).
//
// Life of a pattern. A literal is checked when the script is compiled, and becomes a construction through [Hidden] if
// it does not fit. A program is compiled once for each process and shared; a match asks now and then whether the script
// was interrupted.
//
// Everything but programs belongs to the goroutine of its runtime.
package regexp

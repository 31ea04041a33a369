// Package regexp is RegExp for scripts: the constructor, the prototype's methods, and literals. goja's engines get many
// patterns wrong; package jsregexp matches them.
//
// Nouns. A pattern of our own stands in the source slot of a goja RegExp object and carries its compiled program. A
// template is an empty goja RegExp with the same flags, of which new objects are cheap copies. goja makes objects with
// its own engine for String.prototype.match and its like where they get a text; those stay with it for short texts
// (long.go). An object is pristine if it has no own properties but lastIndex and its prototype is as it was made: then
// the methods here match by themselves; otherwise goja's do what the standard says, and come back to exec.
//
// Life of a pattern. A literal is checked when the script is compiled, and becomes a construction through [Hidden]. A
// program is compiled once for each process and shared; a match asks now and then whether the script was interrupted.
//
// Everything but programs belongs to the goroutine of its runtime.
package regexp

// Package lazyregexp has regular expressions that are compiled at their first use. A process has some eighty of them in
// variables of packages, of which the start of a session needs a few; to compile them all took a millisecond of each.
//
// Nouns. A Regexp is one expression, a variable of a package. Its methods are those of regexp.Regexp.
//
// Goroutines. Any; the first use compiles, others wait for it. In a test's process all are compiled at once, so that
// one that is wrong is found by any test of its package.
package lazyregexp

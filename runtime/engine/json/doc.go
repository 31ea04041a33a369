// Package json is JSON for scripts as V8 has it: JSON.parse with V8's texts and the source of primitives for a reviver,
// and the text that JSON.stringify throws for a circular structure. goja's own parser goes through Go's, which words
// errors in another way and takes what the standard refuses.
//
// A parser runs over bytes where the text is ASCII and over UTF-16 units elsewhere; it lives for one call.
package json

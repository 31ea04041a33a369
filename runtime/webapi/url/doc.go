// Package url is the URL standard (https://url.spec.whatwg.org/): the parser and serialiser in Go, and the classes URL,
// URLSearchParams and URLPattern on an isolate.
//
// # Nouns
//
//   - A [URL] is the standard's URL record. [Parse] makes one; setters change it by the rules of the JavaScript
//     attributes. It holds valid UTF-8: lone surrogates were replaced where the string left JavaScript.
//   - [Params] is a list of name-value pairs (application/x-www-form-urlencoded).
//   - A pattern is a compiled URLPattern (https://urlpattern.spec.whatwg.org/). Its regular expressions are objects of
//     the isolate's own RegExp.
//
// # Life cycle
//
// A JavaScript URL and its searchParams share one query. Whichever side was changed last holds the truth; the other is
// brought up to date when it is next read, so that a thousand appends cost one serialisation and not a thousand.
//
// URL and Params are plain values without locks; those behind JavaScript objects belong to the loop goroutine.
package url

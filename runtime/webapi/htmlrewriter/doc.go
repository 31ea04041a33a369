// Package htmlrewriter is HTMLRewriter: it rewrites HTML while it streams by, in bounded memory, with handlers written
// in JavaScript.
//
// # Nouns
//
//   - A [Rewriter] is the machine: bytes go in by Write and End, bytes come out by Output, and Next gives the next
//     thing that somebody else has to do, a handler to call or a stream to insert. It knows no JavaScript and no
//     promises: whoever drives it calls Next again when that is done, now or later.
//   - A token is what a handler gets: [Element], [EndTag], [Text], [Comment], [Doctype], [DocumentEnd]. Handlers leave
//     their changes in it; they take effect when all handlers of the token are through.
//   - An open element lies on the machine's stack. Elements are opened and closed by their tags alone, there are
//     no implied tags: an element without end tag lasts until one around it ends.
//   - A selector is a list of complex CSS selectors; it is matched against the stack.
//
// # Passing through
//
// What no handler has changed leaves byte for byte as it came, whatever its encoding. Only an unfinished tag, comment
// or character is held back until more input comes.
//
// A [Rewriter] belongs to whoever drives it; behind JavaScript that is the loop goroutine.
package htmlrewriter

// Package explorer serves the pages with which a person looks into a running session: /cdn-cgi/eddy/ and what is below
// it, beside the control API.
//
// # Nouns
//
//   - A page is a URL: a model (a struct with JSON tags, made from what the control API and the journal say) and a
//     template. The same URL answers scripts with the model as JSON.
//   - An act changes something: a form post that is answered with 303 to the page it came from, or with JSON.
//   - The live stream ([Server.live]) says only that something has changed. The page's script then fetches its own
//     URL again and morphs what differs into the document, so that focus, half-typed text and scroll stay.
//   - The window holds the latest events of the journal while somebody looks.
//   - The OpenAPI document is made from the tables of pages and acts, so it cannot lack one.
//
// # What it stands on
//
// It asks the control API in this process ([control.Client]) and reads the journal's files; it has no way of its own to
// the broker or to objects. KV, D1 and R2 are opened as the commands open them, beside the session.
//
// # Safety
//
// Bodies, keys and names are somebody else's bytes: html/template escapes them, and characters that reorder or hide
// text are written out (report.Escape). The pages load nothing from elsewhere and cannot be framed. A post needs a
// token that only the pages have, or is JSON, which no page of another origin can send. Who may ask at all is package
// front's to decide.
//
// # Threads
//
// Handlers run on net/http's goroutines. A live stream has one more, which looks whether a journal has grown.
// Nothing is parsed, read or started before the first request.
package explorer

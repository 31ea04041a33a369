// Package standin serves the bindings whose service has no local truth (AI, AI Search, Stream, …) by somebody that the
// user names: a Worker of the session, a URL, or a file of answers (BIND-58, BIND-62).
//
// # Nouns
//
// A [Source] is who answers the requests of one binding. Most kinds are thin classes over one fetch() to a made-up host
// (BIND-5), written in JavaScript here: whoever answers those requests serves the binding. The others are stubs, whose
// methods a Worker has. A local implementation in Go is a Source too: an [http.Handler].
//
// # Life cycle and threads
//
// A binding without a Source can be made and looked at; what is refused is its use, with a text that says where a
// stand-in is named. Values belong to the loop of their isolate; handlers run off it.
package standin

// Package vectorize serves vector indexes with an exact search over SQLite (BIND-70 to BIND-75): what the platform's
// client asks of its service over HTTP, [VectorIndex] answers.
//
// # Nouns
//
// A [VectorIndex] is the vectors of one index_name, in a file of eddy's own. Its dimensions are those of the first
// vector, or of a setting; its metric is a setting. A filter is looked at for every vector, whether its fields have an
// index or not.
//
// # Threads
//
// A change is visible when it is answered; the platform takes seconds. An Index may be used from any goroutine. The
// file is opened by the first request and closed with the session.
package vectorize

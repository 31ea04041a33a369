// Package running finds the sessions that run, and carries requests to them. It knows nothing of what they serve, so
// that everybody may stand on it: commands, sessions that join, and the Go work queue.
//
// # Nouns
//
//   - The running file names the process that has a state directory open, so that commands find it ([Find]), with the
//     token that other sessions join it with.
//   - The registry is a directory of the user's with a file for each session that runs ([Sessions]).
//   - A [Caller] carries requests of the control API to a session, or to a handler in this process. What the API
//     refuses is a [Refusal].
//
// Functions and methods may be called from any goroutine.
package running

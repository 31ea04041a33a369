// Package sharing is a session's part in sharing its state directory with others: which session owns the queues, who
// runs which Worker, and what goes from one session to another.
//
// # Nouns
//
//   - A [Sharing] is this session among those of one state directory. Its Queues are those of the owner, which may be
//     this session; package peer has the link between the two.
//   - A Worker's lock says which session runs it: Durable Objects live in one session at a time.
//   - The door is what an owner shows: the control API, and the running file through which commands and other sessions
//     find it. It opens when the session listens, or when a guest becomes the owner.
//   - The registry is the user's list of sessions, wherever their state lies (registered.go). Whoever starts later says
//     which sessions refer to each other and do not share a state directory (apart.go).
//   - A call is fetch() of a service binding or of a stub whose Worker runs in another session (away.go asks, call.go
//     answers).
//   - A wire is a connection over which calls and RPC go between two sessions (wires.go).
//
// # Life cycle
//
// [Open] locks the Workers and opens the log or joins whoever has it. [Sharing.Connected] says that the Workers are
// attached, [Sharing.Listening] that there is an address. [Sharing.Hold] ends successions and takes the
// session out of the registry, [Sharing.Withdraw] closes the door, [Sharing.Close] leaves the other sessions and gives
// the locks back.
//
// # Threads
//
// All methods may be called from any goroutine. The rest of the session is reached through [Local]; its methods are
// called from goroutines that may wait, never with a lock held.
package sharing

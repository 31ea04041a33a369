// Package clock is the one source of time of the whole runtime.
//
// Date.now, timers, alarms, delivery delays, retry back-off, message retention and cron all read the same [Clock].
// There are two: [Real], the machine's clock, and [Virtual], on which a test with an hour of back-off ends in
// milliseconds.
//
// # Nouns
//
//   - A hold says that something is in flight (a request to the outside, a disk write, a message between two loops):
//     virtual time stands still until it is released.
//   - A participant is one serial worker (an isolate's event loop, the broker). It announces work with Ready and does
//     it inside Run. Under Virtual at most one participant runs at a time, and when several are ready the seed decides
//     which: same seed, same order.
//   - A timer's callback must be short and must not block; it normally posts to a participant.
//   - Housekeeping is a timer for which nobody waits: the end of an idle object. It fires in its turn, but whoever asks
//     for the next event ([Virtual.Next]) does not hear of it.
//   - A [Step] is something that may come in any order. With a [Chooser] it is offered ([Offer]) and comes when the
//     Chooser says so; without one whoever would offer it does it at once.
//   - [Deadlines] puts what waits for a time in order, for whoever has one timer for many of them. It is an [Ordered],
//     which the broker uses too, with deadlines of its own kind.
//
// # Virtual time
//
// While anything is held, ready or running, virtual time stands still. As soon as nothing is, it jumps to the next
// deadline and fires the timers of that instant, in the order in which they were set. A Virtual can also be held by
// hand ([Virtual.Pause]) and moved by hand ([Virtual.Advance]).
//
// # Threads
//
// All methods of a Clock may be called from any goroutine, also with locks held. Callbacks run on goroutines of the
// clock, with no lock held, one at a time under Virtual.
package clock

// Package console is the global console, and the inspector that turns any JavaScript value into text the way Node's
// util.inspect does.
//
// # Nouns
//
//   - [Inspect] shows one value under [Options]; [Format] joins arguments by printf rules first. Both run on the loop,
//     because a value's own inspection function may be called; nothing else of the user's code is, not even a getter.
//   - An inspector is one such run: it holds what it is inside of (for circular references), the indentation and the
//     deepest level reached, from which it decides what fits on one line.
//   - A mark is a style in the text while it is being made: it takes no room. At the end marks become ANSI colours,
//     or nothing.
//   - A printer is the console of one isolate: its groups, counters and timers. What it prints leaves as
//     [host.ConsoleLine].
//
// Unlike the reference, table, trace, count, time, assert and dir print something, and groups indent (RT14).
package console

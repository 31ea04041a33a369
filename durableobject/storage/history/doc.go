// Package history keeps what a SQLite database in WAL mode was before: enough to
// make it again as it was at any remembered state (SQL18, point-in-time
// recovery). It knows SQLite's file formats and no SQLite.
//
// # Nouns
//
//   - A log is one life of the database's WAL, from its first frame to the
//     moment when it starts again or is removed. Logs are numbered.
//   - A state is what the database held after one commit. Its [Position] is the
//     log and the frame that ended the commit.
//   - A [Mark] says when a commit was made. States with a mark, and the last one
//     of every archiving, are remembered; those in between are not.
//   - A [Bookmark] is a position as text. Later ones are greater as strings.
//   - An epoch is an unbroken sequence of states. A new one begins when somebody
//     else has written the database; bookmarks of earlier epochs are refused.
//
// # Life
//
// [File.Archive] must run before a checkpoint copies the WAL into the database,
// and [File.Settled] after it. Archive appends the pages that changed since the
// last time, compressed, in one batch; the first batch of an epoch holds all
// pages. When the file has grown past its limits, the oldest batches are
// merged into one that holds all pages.
//
// Whether the database still continues the history is decided by the WAL's
// salts, then by size and time of the database file, and if those say nothing
// (a crash between two steps, a copied directory) by comparing every page.
//
// # Crashes
//
// A batch counts when its end is there: what a crash leaves of one is cut off
// by the next. A crash between Archive and checkpoint leaves the WAL, whose
// salts say what is archived already; one between checkpoint and Settled leads
// to the comparison. Nothing is synced, so a loss of power may end an epoch; the
// database itself never depends on its history.
//
// # Threads
//
// A File holds no open file between calls and is used by one goroutine at a
// time; the WAL may be written meanwhile by others, as long as no checkpoint runs.
package history

// Package workflows keeps the instances of Cloudflare Workflows and decides what becomes of them. It knows no
// JavaScript.
//
// # Nouns
//
//   - A [Workflow] has a name and any number of instances. Its state is one SQLite file.
//   - An instance is one execution of a workflow: its id, its payload, its status, the results of its steps.
//   - A [Life] is one execution of `run` from the top. An instance has one at a time, or none: while it sleeps, is
//     paused
//     or has ended, and before its turn. Steps that have ended answer a later life from the file.
//   - A [Runner] executes lives: a generation of a Worker (workflowjs), a script of a test.
//   - An attempt is one call of a step's callback. A wait is what a life waits for: a sleep, an event, the time of a
//     retry. Its due time is in the file.
//   - History is what happened to an instance, event by event, in the reference's numbers (FLOW-155).
//
// # Life of an instance
//
//	queued → running ⇄ waiting → complete | errored
//	            ↓ pause                         ↑
//	      waitingForPause → paused → (resume) queued        terminate: from anywhere that is not final
//
// The column wake says what the instance needs: a time when it is to be woken, 0 for a life at once, -1 while it has
// one, nothing when it is paused or has ended. An index on it is all that a sleeping instance costs. What had a life
// when the process died gets another one at the next start; the others wait for their times.
//
// In a cluster the file is a [Home]'s: a turn is told when the cluster has it. The node that owns the workflow's shard
// has a Workflow, and no other one; it retires before the shard goes on to another node. Others have a [Distant].
//
// A life that waits is kept for a minute, since most waits are short, and at most 256 of them; then it is let go, and
// the instance costs its rows.
//
// # Threads
//
// One goroutine per workflow owns the file and all state; it is a participant of the clock. Every method may be called
// from anywhere: it posts a command. All commands of a turn are one transaction, with one sync. Callbacks are called
// when that is durable, on the workflow's goroutine, and must not block.
//
// It is a package of its own because nothing of it is about queues or objects: the log of the queues keeps what is soon
// gone, and the objects' files are opened one by one. RATIONALE.md has the comparison.
package workflows

// Package work is what the backends of the work queue share: everything but where jobs are kept.
//
// # Nouns
//
//   - A [Store] is storage and nothing else: it adds jobs, and it carries out exchanges. Each backend is one.
//   - An [Exchange] is one step of a subscription: results of handlers go in, claimed jobs come out, in one
//     transaction. So the end of one job and the start of the next cost one write, and the results of many handlers
//     share one.
//   - A [Settlement] is what became of a delivery: acknowledged, to be retried, dead. [Settle] decides it.
//   - A claim carries the token of its exchange. A settlement is void when the job has another token by now: somebody
//     else has claimed it since.
//   - A lost exchange is one whose answer never came. The store is told its token, and gives back what it claimed; that
//     does not count as a delivery.
//   - A [Base] makes a Store a queue.Service.
//
// # Life cycle of a subscription
//
// The machine in machine.go is pure: it is told what happened and says which exchange to start. It is tested as text.
// The consumer around it owns a goroutine, which carries out one exchange at a time, and starts a goroutine for each
// job.
//
// # Time
//
// A durable store counts from its server's clock, so that the clocks of workers need not agree. In tests it counts from
// the clock that it is given. Times that are relative (visibility, delays, back-off) are kept with the time at which
// they were set. If the clock later shows less than that, it was set back, and they are counted again from now. So no
// job stays hidden because a clock jumped.
package work

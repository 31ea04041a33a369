package queuejs

import "testing"

// C-32: a test makes a batch, hands it to the handler with a context, and reads what became of it as data (C-30), after
// waitUntil; retry() after retryAll() is ignored here.
func TestTestModule(t *testing.T) {
	head := script("testmodule_test_module.js")
	for _, c := range []struct{ js, want string }{
		{`batch.messages[0].ack(); batch.messages[1].retry({ delaySeconds: 7 });`,
			`{"outcome":"ok","ackAll":false,"retryBatch":{"retry":false},"explicitAcks":["a"],` +
				`"retryMessages":[{"msgId":"b","delaySeconds":7}]}`},
		{`batch.ackAll();`, `{"outcome":"ok","ackAll":true,"retryBatch":{"retry":false},"explicitAcks":[],` +
			`"retryMessages":[]}`},
		{`batch.retryAll({ delaySeconds: 1 }); batch.messages[0].retry({ delaySeconds: 3 });`,
			`{"outcome":"ok","ackAll":false,"retryBatch":{"retry":true,"delaySeconds":1},"explicitAcks":[],` +
				`"retryMessages":[]}`},
		{`ctx.waitUntil((async () => { await null; await null; batch.messages[1].ack(); })());`,
			`{"outcome":"ok","ackAll":false,"retryBatch":{"retry":false},"explicitAcks":["b"],"retryMessages":[]}`},
		{`const m = batch.messages[1]; if (batch.queue !== "q" || m.attempts !== 3 || m.body !== "two" || ` +
			`m.timestamp.getTime() !== 1000) throw new Error("not as given");`,
			`{"outcome":"ok","ackAll":false,"retryBatch":{"retry":false},"explicitAcks":[],"retryMessages":[]}`},
	} {
		b := newBench(
			t,
			setup{
				source: head + `export default { async fetch() { return Response.json(await handle(async (batch, env,` +
					` ctx) => { ` + c.js + ` })); } };`,
			},
		)
		if got := b.get("/"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.js, got, c.want)
		}
	}
}

package streams_test

import "testing"

// The platform's tee: the first cancelled branch does not wait for the other; the source hears of the second.
func TestTeeCancel(t *testing.T) {
	runner(t).Expect(`
		const log = [];
		const [a, b] = new ReadableStream({ cancel(r) { log.push('cancelled ' + r); } }).tee();
		await a.cancel('one'); log.push('first'); await b.cancel('two');
		return log.join()`, "first,cancelled two")
}

func TestTeeOfAByteStream(t *testing.T) {
	r := runner(t)
	r.Expect(`
		let k; const [a, b] = new ReadableStream({ type: 'bytes', start(c) { k = c; } }).tee();
		const p = a.getReader({ mode: 'byob' }).read(new Uint8Array(2));
			const q = b.getReader({ mode: 'byob' }).read(new Uint8Array(3));
		k.enqueue(new Uint8Array([1, 2, 3, 4]));
		return [(await p).value, (await q).value].join(' ')`, "1,2 1,2,3")
	// The branches do not share bytes.
	r.Expect(`const [a, b] = new ReadableStream(
			{ type: 'bytes', start(c) { c.enqueue(new Uint8Array([1])); c.close(); } }).tee();
		const x = (await a.getReader().read()).value; x[0] = 9; return (await b.getReader().read()).value[0]`, "1")
}

func TestTeeFailure(t *testing.T) {
	runner(t).Expect(`
		let k; const [a, b] = new ReadableStream({ start(c) { k = c; } }).tee();
		const p = a.getReader().read().catch((e) => e), q = b.getReader().read().catch((e) => e);
		k.error('broken'); return [await p, await q].join()`, "broken,broken")
}

func TestTeeLocksTheStream(t *testing.T) {
	runner(t).Expect(
		`const s = new ReadableStream(); s.tee(); s.tee()`,
		"throws TypeError: This ReadableStream is currently locked to a reader,")
}

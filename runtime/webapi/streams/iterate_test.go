package streams_test

import "testing"

// each calls f with what an async iterator gives: the engine has no for await.
const each = `const each = async (it, f) => { ` +
	`for (;;) { const { done, value } = await it.next(); if (done) return; ` +
	`if (f(value) === false) return it.return('left'); } };`

// https://streams.spec.whatwg.org/#rs-asynciterator
func TestIterationCancelsWhenItIsLeft(t *testing.T) {
	r := runner(t)
	const source = `const log = []; let n = 0; const s = new ReadableStream({ ` +
		`pull(c) { c.enqueue(n++); }, cancel(r) { log.push('cancel ' + r); } }, { highWaterMark: 0 });`
	r.Expect(each+source+
		`await each(s.values(), (v) => { log.push(v); return v < 2; }); log.push(s.locked); return log.join()`,
		"0,1,2,cancel left,false")
	r.Expect(each+source+`await each(s.values({ preventCancel: true }), (v) => { log.push(v); return false; });
		log.push((await s.getReader().read()).value); return log.join()`, "0,1")
}

func TestIteratorQueuesItsCalls(t *testing.T) {
	runner(t).Expect(`
		let n = 0; const it = new ReadableStream({ pull(c) { if (n === 2) c.close(); else c.enqueue(n++); } }).values();
		const all = await Promise.all([it.next(), it.next(), it.next(), it.next()]);
		return all.map((r) => r.value + ' ' + r.done).join()`, "0 false,1 false,undefined true,undefined true")
}

func TestFrom(t *testing.T) {
	r := runner(t)
	r.Expect(collect+`return (await collect(ReadableStream.from([1, Promise.resolve(2)]))).join()`, "1,2")
	r.Expect(collect+`return (await collect(ReadableStream.from('ab'))).join()`, "a,b")
	r.Expect(collect+`let i = 0; const it = { next: async () => ({ done: i === 2, value: i++ }) };
		return (await collect(ReadableStream.from(
			{ [Symbol.asyncIterator ?? Symbol.for('Symbol.asyncIterator')]: () => it }))).join()`, "0,1")
	r.Expect(`ReadableStream.from(5)`,
		"throws TypeError: Failed to execute 'from' on 'ReadableStream': parameter 1 is not of type 'AsyncGenerator'.")
	r.Expect(`let why; await ReadableStream.from({ [Symbol.iterator]: `+
		`() => ({ next: () => ({ value: 1 }), return(r) { why = r; return {}; } }) }).cancel('enough'); return why`,
		"enough")
}

// Patched prototypes do not steer the platform's own reads.
func TestPatchedPrototypesAreNotUsed(t *testing.T) {
	runner(t).Expect(collect+`
		const trapped = [];
		for (const [C, m] of [[ReadableStreamDefaultController, 'enqueue'], [ReadableStreamDefaultController, 'close'],
			[ReadableStream, 'getReader'], [WritableStream, 'getWriter'], [Promise, 'then']]) {
			const original = C.prototype[m];
			C.prototype[m] = function (...args) {
				if (C !== Promise) trapped.push(m); return original.apply(this, args); };
		}
		const log = []; await ReadableStream.from([1, 2]).pipeTo(new WritableStream({ write(c) { log.push(c); } }));
		return [log, trapped].join('|')`, "1,2|")
}

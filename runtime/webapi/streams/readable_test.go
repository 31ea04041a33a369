package streams_test

import (
	"testing"

	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

func runner(t testing.TB) *webapitest.Runner { return webapitest.New(t, streams.Install) }

const collect = `const collect = async (s) => { const r = s.getReader(); const out = [];
for (;;) { const { done, value } = await r.read(); if (done) return out; out.push(value); } };`

func TestReadableGivesChunksInOrder(t *testing.T) {
	runner(t).Expect(collect+`
		let n = 0;
		const s = new ReadableStream({ pull(c) { n++; if (n > 3) c.close(); else c.enqueue(n); } });
		return (await collect(s)).join();`, "1,2,3")
}

func TestWritableWritesOneAtATime(t *testing.T) {
	runner(t).Expect(`
		const log = [];
		const w = new WritableStream({
			async write(c) { log.push('start ' + c); await null; log.push('end ' + c); },
			close() { log.push('close'); } }).getWriter();
		w.write(1); w.write(2); await w.close();
		return log.join();`, "start 1,end 1,start 2,end 2,close")
}

func TestTransformMapsAndFlushes(t *testing.T) {
	runner(t).Expect(collect+`
		const t = new TransformStream({ transform(c, k) { k.enqueue(c * 2); }, flush(k) { k.enqueue('end'); } });
		const s = new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); c.close(); } });
		return (await collect(s.pipeThrough(t))).join();`, "2,4,end")
}

func TestByobReadsIntoTheBufferGiven(t *testing.T) {
	runner(t).Expect(`
		const s = new ReadableStream({ type: 'bytes', pull(c) {
			const v = c.byobRequest.view; v[0] = 7; v[1] = 8; c.byobRequest.respond(2); } });
		const r = s.getReader({ mode: 'byob' });
		const given = new Uint8Array(4);
		const { value } = await r.read(given);
		return [value, value.buffer.byteLength, given.byteLength].join(' ');`, "7,8 4 0")
}

func TestPipeToWaitsForTheSink(t *testing.T) {
	runner(t).Expect(`
		const log = [];
		const s = new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); c.close(); } });
		await s.pipeTo(new WritableStream({ write(c) { log.push(c); }, close() { log.push('closed'); } }));
		return log.join();`, "a,b,closed")
}

func TestIdentityStreamHandsBytesOver(t *testing.T) {
	runner(t).Expect(`
		const { readable, writable } = new IdentityTransformStream();
		const w = writable.getWriter();
		const p = w.write(new Uint8Array([1, 2]));
		const r = readable.getReader();
		const first = await r.read(); await p;
		w.close();
		return first.value + ' ' + (await r.read()).done;`, "1,2 true")
}

func TestTeeGivesBothBranchesEverything(t *testing.T) {
	runner(t).Expect(collect+`
		const s = new ReadableStream({ start(c) { c.enqueue('x'); c.enqueue('y'); c.close(); } });
		const [a, b] = s.tee();
		return (await collect(a)) + ' ' + (await collect(b));`, "x,y x,y")
}

package streams_test

import "testing"

// https://streams.spec.whatwg.org/#rbs-controller-class
func TestByobViewsKeepTheirClassAndWholeElements(t *testing.T) {
	runner(t).Expect(`
		let k; const s = new ReadableStream({ type: 'bytes', start(c) { k = c; } });
		const r = s.getReader({ mode: 'byob' });
		const p = r.read(new Uint16Array(4));
		k.enqueue(new Uint8Array([1, 0, 2, 0, 3]));
		const a = (await p).value;
		const q = r.read(new Uint16Array(4)); k.enqueue(new Uint8Array([0]));
		const b = (await q).value;
		return [a.constructor.name, a, b].join(' ')`, "Uint16Array 1,2 3")
}

func TestByobMinimum(t *testing.T) {
	r := runner(t)
	r.Expect(`let n = 0; const s = new ReadableStream({ type: 'bytes', pull(c) { c.enqueue(new Uint8Array([n++])); } });
		const r = s.getReader({ mode: 'byob' });
		const a = await r.read(new Uint8Array(8), { min: 3 }); const b = await r.readAtLeast(2, new Uint16Array(2));
		return [a.value, b.value, n].join(' ')`, "0,1,2 1027,1541 7")
	// The end of the stream comes with the read after the one it cut short.
	r.Expect(`const s = new ReadableStream({ type: 'bytes', start(c) { c.enqueue(new Uint8Array(2)); c.close(); } });
		const r = s.getReader({ mode: 'byob' });
		const a = await r.read(new Uint8Array(8), { min: 5 }); const b = await r.read(new Uint8Array(8));
		return [a.done, a.value.length, b.done, b.value.length, b.value.buffer.byteLength].join()`, "false,2,true,0,8")
	r.Expect(`await new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' }).read(new Uint8Array(1), `+
		`{ min: 2 })`,
		"throws TypeError: Minimum bytes to read (2) exceeds size of buffer (1).")
	r.Expect(`await new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' }).read(new Uint8Array(1), `+
		`{ min: 0 })`,
		"throws TypeError: Requested invalid minimum number of bytes to read (0).")
}

func TestByteStreamTakesTheBuffersItIsGiven(t *testing.T) {
	r := runner(t)
	r.Expect(`const chunk = new Uint8Array(3); new ReadableStream({ `+
		`type: 'bytes', start(c) { c.enqueue(chunk); } }); return chunk.length`, "0")
	r.Expect(`const buf = new Uint8Array(3); new ReadableStream({ type: 'bytes' }).getReader({ `+
		`mode: 'byob' }).read(buf); return buf.buffer.byteLength`, "0")
	// A detached view is refused without harm.
	r.Expect(`const b = new Uint8Array(3); const r = new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' });
			r.read(b);
		await r.read(b)`,
		`throws TypeError: You must call read() on a "byob" reader with a positive-sized TypedArray object.`)
}

func TestByobRequestChecks(t *testing.T) {
	r := runner(t)
	pull := func(body string) string {
		return `const s = new ReadableStream({ type: 'bytes', pull(c) { const q = c.byobRequest; ` + body + ` } });
			const { value } = await s.getReader({ mode: 'byob' }).read(new Uint8Array(6)); return value.length`
	}
	r.Expect(pull(`q.respond(0)`),
		"throws TypeError: The bytesWritten must be more than zero while the stream is open.")
	r.Expect(pull(`q.respond(7)`), "throws RangeError: Too many bytes [7] in response to a BYOB read request.")
	r.Expect(pull(`q.respondWithNewView(new Uint8Array(5))`),
		"throws RangeError: The underlying ArrayBuffer is not the correct length.")
	r.Expect(pull(`q.respondWithNewView(new Uint8Array(q.view.buffer, 1, 2))`),
		"throws RangeError: The view has an invalid byte offset.")
	r.Expect(pull(`q.respondWithNewView(new Uint8Array(q.view.buffer, 0, 2))`), "2")
	r.Expect(pull(`q.respond(1); globalThis.kept = q`), "1")
	r.Expect(`kept.respond(1)`, "throws TypeError: This ReadableStreamBYOBRequest has been invalidated.")
}

// The reference allocates 4096 bytes for a default read of a byte stream, and a read takes what fits of the queue.
func TestDefaultReadsOfAByteStream(t *testing.T) {
	r := runner(t)
	r.Expect(`let n; const s = new ReadableStream(
			{ type: 'bytes', pull(c) { n = c.byobRequest.view.length; c.byobRequest.respond(1); } });
		await s.getReader().read(); return n`, "4096")
	r.Expect(collect+`const s = new ReadableStream(
			{ type: 'bytes', start(c) { for (let i = 0; i < 3; i++) c.enqueue(new Uint8Array(1500)); c.close(); } });
		return (await collect(s)).map((v) => v.length).join()`, "3000,1500")
	r.Expect(collect+`const s = new ReadableStream(
			{ type: 'bytes', autoAllocateChunkSize: 10, start(c) { c.enqueue(new Uint8Array(50)); c.close(); } });
		return (await collect(s)).map((v) => v.length).join()`, "50")
}

func TestReleaseWithAPendingByobRead(t *testing.T) {
	runner(t).Expect(`
		let k; const s = new ReadableStream({ type: 'bytes', start(c) { k = c; } });
		const r = s.getReader({ mode: 'byob' }); const p = r.read(new Uint8Array(4)).catch((e) => e.message);
		r.releaseLock(); k.byobRequest.view[0] = 9; k.byobRequest.respond(1);
		const { value } = await s.getReader().read();
		return [await p, value].join(' ')`, "This ReadableStream reader has been released. 9")
}

// Shared buffers cannot be taken away from their owner.
func TestSharedBuffersAreRefused(t *testing.T) {
	r := runner(t)
	r.On(func() {
		// What the engine's polyfill makes: an ArrayBuffer with another prototype.
		if _, err := r.Host.Runtime().RunString(
			`globalThis.SharedArrayBuffer = function (n) { return Reflect.construct(ArrayBuffer, [n], new.target); ` +
				`};`); err != nil {
			t.Fatal(err)
		}
	})
	r.Expect(`await new ReadableStream({ type: 'bytes' }).getReader({ `+
		`mode: 'byob' }).read(new Uint8Array(new SharedArrayBuffer(4)))`,
		"throws TypeError: Unable to use non-detachable ArrayBuffer.")
	r.Expect(`let k; new ReadableStream({ type: 'bytes', start(c) { k = c; } }); `+
		`k.enqueue(new Uint8Array(new SharedArrayBuffer(4)))`,
		"throws TypeError: The provided ArrayBuffer must be detachable.")
	r.Expect(`const { readable, writable } = new IdentityTransformStream();
			writable.getWriter().write(new Uint8Array(new SharedArrayBuffer(2)));
		return (await readable.getReader().read()).value.join()`, "0,0")
}

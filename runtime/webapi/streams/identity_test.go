package streams_test

import "testing"

func TestIdentityWriteWaitsUntilItIsRead(t *testing.T) {
	runner(t).Expect(`
		const { readable, writable } = new IdentityTransformStream();
		const log = []; const w = writable.getWriter(); const r = readable.getReader({ mode: 'byob' });
		const p = w.write(new Uint8Array([1, 2, 3])).then(() => log.push('written'));
		log.push((await r.read(new Uint8Array(2))).value); log.push((await r.read(new Uint8Array(2))).value);
		await p; return log.join(' ')`, "1,2 3 written")
}

func TestIdentityTakesBytesAndStrings(t *testing.T) {
	r := runner(t)
	r.Expect(collect+`
		const { readable, writable } = new IdentityTransformStream(); const w = writable.getWriter();
		(async () => { for (const c of [
			'é', new Uint8Array([1]).buffer, new DataView(new ArrayBuffer(4), 1, 2), '',
			new Uint8Array(0)]) await w.write(c); await w.close(); })();
		return (await collect(readable)).join('|')`, "195,169|1|0,0")
	r.Expect(`await new IdentityTransformStream().writable.getWriter().write({})`,
		"throws TypeError: This TransformStream is being used as a byte stream, but received an object of "+
			"non-ArrayBuffer/ArrayBufferView type on its writable side.")
}

// cancelErrorTypePropagation of the reference's tests: reasons come out as errors.
func TestIdentityReasons(t *testing.T) {
	r := runner(t)
	for reason, want := range map[string]string{
		`'test'`: "Error: test", "undefined": "Error: Stream was cancelled.", `new RangeError('r')`: "RangeError: r"} {
		r.Expect(`const { readable, writable } = new IdentityTransformStream(); const w = writable.getWriter();
			w.closed.catch(() => {});
			const p = w.write('x').catch(String); const q = w.close().catch(String); await readable.cancel(`+reason+
			`); return await p + '|' + await q`,
			want+"|"+want)
	}
	r.Expect(`const { readable, writable } = new IdentityTransformStream(); const p = readable.getReader().read(); `+
		`writable.abort('why'); await p`, "throws Error: why")
}

func TestIdentityHighWaterMarkCountsBytes(t *testing.T) {
	runner(t).Expect(`
		const { readable, writable } = new IdentityTransformStream({ highWaterMark: 10 });
			const w = writable.getWriter();
		const sizes = [w.desiredSize]; w.write(new Uint8Array(4)); w.write(new Uint8Array(6));
			sizes.push(w.desiredSize);
		const r = readable.getReader(); await r.read(); sizes.push(w.desiredSize); await r.read();
			sizes.push(w.desiredSize);
		return sizes.join()`, "10,0,4,10")
}

// What a script does to a buffer after its write changes nothing, though the write waits for others (seen in workerd).
func TestIdentityCopiesWhenWritten(t *testing.T) {
	runner(t).Expect(`const { readable, writable } = new IdentityTransformStream(), w = writable.getWriter();
		const b = new Uint8Array(2), got = [];
		for (let i = 1; i < 4; i++) { b.fill(i); w.write(i == 3 ? b.buffer : b); }
		b.fill(9); w.close();
		for (let r = readable.getReader(), c; !(c = await r.read()).done;) got.push(...c.value);
		return got.join()`, "1,1,2,2,3,3")
}

func TestIdentityHasOnePendingRead(t *testing.T) {
	runner(t).Expect(`const r = new IdentityTransformStream().readable.getReader(); r.read(); await r.read()`,
		"throws TypeError: This ReadableStream only supports a single pending read request at a time.")
}

func TestFixedLength(t *testing.T) {
	r := runner(t)
	const open = `const s = new FixedLengthStream(2); const w = s.writable.getWriter(); w.closed.catch(() => {}); ` +
		`const r = s.readable.getReader(); r.closed.catch(() => {}); `
	r.Expect(open+`w.write(new Uint8Array(2)); const { value } = await r.read(); await w.close(); `+
		`return [value.length, (await r.read()).done].join()`, "2,true")
	r.Expect(open+`await w.write(new Uint8Array(3))`,
		"throws TypeError: Attempt to write too many bytes through a FixedLengthStream.")
	r.Expect(open+`await w.close()`,
		"throws TypeError: FixedLengthStream did not see all expected bytes before close().")
	r.Expect(`new FixedLengthStream()`,
		"throws TypeError: Failed to construct 'FixedLengthStream': constructor parameter 1 is not of type 'bigint'.")
	r.Expect(`new FixedLengthStream(-1)`,
		"throws TypeError: The value cannot be converted because it is negative and this API expects a positive "+
			"bigint.")
	r.Expect(`new FixedLengthStream(2 ** 53)`,
		"throws TypeError: FixedLengthStream requires an integer expected length less than 2^53.")
	r.Expect(`return [new FixedLengthStream(0.5), new FixedLengthStream(10n), `+
		`new FixedLengthStream('7')].every((s) => s instanceof IdentityTransformStream)`, "true")
}

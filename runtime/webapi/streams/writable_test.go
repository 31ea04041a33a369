package streams_test

import "testing"

// https://streams.spec.whatwg.org/#writable-stream-abort: what is in flight ends, what waits is rejected.
func TestAbortLetsTheWriteInFlightEnd(t *testing.T) {
	runner(t).Expect(`
		let finish; const log = [];
		const w = new WritableStream({ write() { return new Promise((r) => { finish = r; }); },
			abort(r) { log.push('abort ' + r); } }).getWriter();
		const first = w.write(1).then(() => log.push('first done'));
		const second = w.write(2).catch((e) => log.push('second ' + e));
		const abort = w.abort('why').then(() => log.push('aborted'));
		finish();
		await Promise.all([first, second, abort]);
		return log.join()`, "abort why,first done,second why,aborted")
}

func TestBackpressureOfAWriter(t *testing.T) {
	runner(t).Expect(`
		const release = [];
		const w = new WritableStream({ write() { return new Promise((r) => release.push(r)); } },
			{ highWaterMark: 2 }).getWriter();
		const sizes = [w.desiredSize];
		const a = w.write('a'); sizes.push(w.desiredSize); w.write('b'); sizes.push(w.desiredSize);
		let ready = false; w.ready.then(() => { ready = true; });
		await null; sizes.push(ready); release[0](); await a; await w.ready; sizes.push(ready, w.desiredSize);
		return sizes.join()`, "2,1,0,false,true,1")
}

func TestReleasedWriter(t *testing.T) {
	r := runner(t)
	const released = "throws TypeError: This WritableStream writer has been released."
	for _, use := range []string{
		"await w.write(1)", "await w.close()", "await w.abort()", "await w.closed", "await w.ready", "w.desiredSize"} {
		r.Expect(`const w = new WritableStream().getWriter(); w.releaseLock(); `+use, released)
	}
	// Writes that wait fail at once; the stream makes them all the same.
	r.Expect(`let n = 0; let finish;
		const s = new WritableStream({ write() { n++; return new Promise((r) => { finish = r; }); } });
		const w = s.getWriter(); w.write(1); const second = w.write(2).catch((e) => e.message); w.releaseLock();
		const text = await second; finish(); while (n < 2) await null;
		return text + ' ' + n`, "This WritableStream writer has been released. 2")
}

func TestWritableErrors(t *testing.T) {
	r := runner(t)
	r.Expect(`const s = new WritableStream(); s.getWriter(); s.getWriter()`,
		"throws TypeError: This WritableStream is currently locked to a writer.")
	r.Expect(`const w = new WritableStream().getWriter(); w.close(); await w.write(1)`,
		"throws TypeError: This WritableStream has been closed.")
	r.Expect(`const w = new WritableStream({ write() { throw new RangeError('full'); } }).getWriter();
			w.closed.catch(() => {});
		const e = await w.write(1).catch((e) => e);
			return [e.message, await w.closed.catch((x) => x === e), w.desiredSize].join()`,
		"full,true,")
	r.Expect(`new WritableStream({ write: 1 })`, "throws TypeError: Incorrect type for the 'write' field on "+
		"'UnderlyingSink': the provided value is not of type 'function'.")
	r.Expect(`new WritableStream(5)`, "throws TypeError: Failed to construct 'WritableStream': constructor parameter "+
		"1 is not of type 'UnderlyingSink'.")
	// A second abort gets the answer of the first.
	r.Expect(`const w = new WritableStream({ abort() { throw new Error('boom'); } }).getWriter();
			w.closed.catch(() => {});
		const a = await w.abort(1).catch((e) => e); const b = await w.abort(2).catch((e) => e);
			return [a.message, a === b].join()`,
		"boom,true")
}

func TestControllerErrorFailsTheStream(t *testing.T) {
	runner(t).Expect(`let k; const w = new WritableStream({ start(c) { k = c; } }).getWriter(); `+
		`k.error(new Error('gone')); await w.closed`,
		"throws Error: gone")
}

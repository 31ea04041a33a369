package streams_test

import (
	"testing"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/webapitest"
)

const sink = `const sink = (log, more = {}) =>
			new WritableStream({ write(c) { log.push(c); }, close() { log.push('close'); },
			abort(e) { log.push('abort ' + (e.message ?? e)); }, ...more });
const source = (log, ...chunks) => new ReadableStream(
	{ pull(c) { if (chunks.length) c.enqueue(chunks.shift()); else c.close(); },
	cancel(e) { log.push('cancel ' + (e.message ?? e)); } });`

// https://streams.spec.whatwg.org/#readable-stream-pipe-to: errors and ends travel, unless they are held back.
func TestPipePropagation(t *testing.T) {
	r := runner(t)
	for _, c := range []struct{ name, body, want string }{
		{"end", `await source(log, 1, 2).pipeTo(sink(log))`, "1,2,close"},
		{"end held back",
			`const w = sink(log); await source(log, 1).pipeTo(w, { preventClose: true }); log.push(w.locked)`,
			"1,false"},
		{"source fails", `const s = new ReadableStream({ start(c) { c.error(new Error('bad')); } });
			log.push((await s.pipeTo(sink(log)).catch((e) => e)).message)`, "abort bad,bad"},
		{"source fails, held back", `const s = new ReadableStream({ start(c) { c.error(new Error('bad')); } });
			log.push((await s.pipeTo(sink(log), { preventAbort: true }).catch((e) => e)).message)`, "bad"},
		{"sink fails", `const w = sink(log, { write() { throw new Error('full'); } });
			log.push((await source(log, 1, 2, 3).pipeTo(w).catch((e) => e)).message)`, "cancel full,full"},
		{"sink fails, held back", `const s = source(log, 1, 2, 3);
			const w = sink(log, { write() { throw new Error('full'); } });
			log.push((await s.pipeTo(w, { preventCancel: true }).catch((e) => e)).message, s.locked)`, "full,false"},
		{"sink closed", `const w = sink([]); await w.close(); ` +
			`log.push((await source(log, 1).pipeTo(w).catch((e) => e)).message)`,
			"cancel This destination writable stream is closed.,This destination writable stream is closed."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.T = t
			r.Expect(sink+`const log = []; `+c.body+`; return log.join()`, c.want)
		})
	}
}

func TestPipeArguments(t *testing.T) {
	r := runner(t)
	r.Expect(`await new ReadableStream().pipeTo({})`,
		"throws TypeError: Failed to execute 'pipeTo' on 'ReadableStream': parameter 1 is not of type "+
			"'WritableStream'.")
	r.Expect(`new ReadableStream().pipeThrough({})`, "throws TypeError: Incorrect type for the 'readable' field on "+
		"'Transform': the provided value is not of type 'ReadableStream'.")
	r.Expect(`const s = new ReadableStream(); s.getReader(); await s.pipeTo(new WritableStream())`,
		"throws TypeError: This ReadableStream is currently locked to a reader.")
	r.Expect(`await new ReadableStream().pipeTo(new WritableStream(), { signal: 5 })`,
		"throws TypeError: Incorrect type for the 'signal' field on 'PipeToOptions': the provided value is not of "+
			"type 'AbortSignal'.")
}

func TestPipeSignal(t *testing.T) {
	r := webapitest.New(t, events.Install, timers.Install, streams.Install)
	r.Expect(sink+`const log = []; const ac = new AbortController(); const s = source(log, 1);
		const never = new ReadableStream({ cancel(e) { log.push('cancel ' + e); } });
		setTimeout(() => ac.abort('stop'), 1000);
		log.push(await never.pipeTo(sink(log), { signal: ac.signal }).catch((e) => 'failed ' + e)); return log.join()`,
		"abort stop,cancel stop,failed stop")
	r.Expect(sink+`const log = []; log.push((await source(log, 1).pipeTo(sink(log), `+
		`{ signal: AbortSignal.abort() }).catch((e) => e)).name); return log.at(-1)`,
		"AbortError")
}

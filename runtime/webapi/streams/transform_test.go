package streams_test

import (
	"bytes"
	"errors"
	"testing"

	"eddy/runtime/webapi/streams"
)

// upper is a transform that holds back everything but whole lines.
type upper struct{ rest []byte }

func (u *upper) Transform(chunk []byte) ([]byte, error) {
	if bytes.ContainsRune(chunk, 0) {
		return nil, errors.New("binary")
	}
	u.rest = append(u.rest, chunk...)
	n := bytes.LastIndexByte(u.rest, '\n') + 1
	out := bytes.ToUpper(u.rest[:n])
	u.rest = append([]byte(nil), u.rest[n:]...)
	return out, nil
}

func (u *upper) Flush() ([]byte, error) { return bytes.ToUpper(u.rest), nil }

func TestNewTransform(t *testing.T) {
	r := runner(t)
	give(r, "make", func() any { return func() any { return streams.NewTransform(r.Host, &upper{}) } })
	// Writes do not wait for a reader; what is ready comes in one piece.
	r.Expect(`const t = make(); const w = t.writable.getWriter();
			for (const c of ['a', 'b\n', 'c\n', 'd']) await w.write(c); await w.close();
		const r = t.readable.getReader();
			return [String.fromCharCode(...(await r.read()).value), (await r.read()).done].join()`,
		"AB\nC\nD,true")
	r.Expect(`const t = make(); const r = t.readable.getReader({ mode: 'byob' }); const p = r.read(new Uint8Array(1));
		const w = t.writable.getWriter(); await w.write('xy\n');
			return [(await p).value, (await r.read(new Uint8Array(9))).value].join(' ')`, "88 89,10")
	r.Expect(`const t = make(); const w = t.writable.getWriter(); w.closed.catch(() => {}); `+
		`t.readable.getReader().closed.catch(() => {}); await w.write('\0')`, "throws Error: binary")
	r.Expect(`const t = make(); const w = t.writable.getWriter(); w.closed.catch(() => {}); `+
		`await t.readable.cancel('why'); return await w.write('x').catch((e) => e)`, "why")
}

// https://streams.spec.whatwg.org/#ts-default-controller-class
func TestTransformTermination(t *testing.T) {
	r := runner(t)
	r.Expect(`let k; const t = new TransformStream({ start(c) { k = c; } }); k.terminate();
		const e = await t.writable.getWriter().write(1).catch((e) => e.message);
			return [e, (await t.readable.getReader().read()).done].join()`,
		"The transform stream has been terminated,true")
	r.Expect(`let k; new TransformStream({ start(c) { k = c; } }); k.terminate(); k.enqueue(1)`,
		"throws TypeError: The readable side of this TransformStream is no longer readable.")
	r.Expect(`const log = []; const t = new TransformStream({ cancel(r) { log.push(r); } }); `+
		`await t.readable.cancel('left'); await t.writable.abort('x').catch(() => {}); return log.join()`, "left")
}

func TestTransformHoldsTheWriterBack(t *testing.T) {
	runner(t).Expect(`const t = new TransformStream(); const w = t.writable.getWriter(); const log = [];
		const p = w.write(1).then(() => log.push('written')); for (let i = 0; i < 9; i++) await null;
			log.push('waiting');
		await t.readable.getReader().read(); await p; return log.join()`, "waiting,written")
}

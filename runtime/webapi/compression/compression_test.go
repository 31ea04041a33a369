package compression_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"testing"

	"eddy/runtime/webapi/compression"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

func runner(t testing.TB) *webapitest.Runner {
	return webapitest.New(t, streams.Install, encoding.Install, compression.Install)
}

const lib = `
const enc = new TextEncoder(), dec = new TextDecoder();
const through = async (stream, ...chunks) => {
	const w = stream.writable.getWriter(); w.closed.catch(() => {});
	const written = (async () => { for (const c of chunks) await w.write(c); await w.close(); })();
		written.catch(() => {});
	const out = []; const r = stream.readable.getReader();
	for (;;) { const { done, value } = await r.read(); if (done) break; out.push(...value); }
	await written;
	return new Uint8Array(out);
};
const fromHex = (s) => new Uint8Array(s.match(/../g).map((h) => parseInt(h, 16)));
`

func TestRoundTripInEveryFormat(t *testing.T) {
	r := runner(t)
	for _, format := range []string{"gzip", "deflate", "deflate-raw"} {
		r.Expect(lib+`const packed = await through(new CompressionStream('`+format+
			`'), enc.encode('lease '), enc.encode('lease '.repeat(99)));
			const single = [...packed].map((b) => new Uint8Array([b]));
			const text = dec.decode(await through(new DecompressionStream('`+format+`'), ...single));
			return [packed.length < 60, text === 'lease '.repeat(100)].join()`, "true,true")
	}
}

// Writes do not wait for a reader, and the output comes in one piece: compressionGzip of the reference's tests.
func TestWritesDoNotWaitForAReader(t *testing.T) {
	runner(t).Expect(lib+`const s = new CompressionStream('deflate'); const w = s.writable.getWriter();
		await w.write(enc.encode('hello')); await w.close();
		const { value } = await s.readable.getReader().read();
		return value[0].toString(16) + value[1].toString(16)`, "789c")
}

func TestDecompressionErrors(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = "a name"
	if _, err := w.Write([]byte("body")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	wrongSum := bytes.Clone(good)
	wrongSum[len(good)-6] ^= 1
	r := runner(t)
	for _, c := range []struct {
		name, want string
		in         []byte
	}{
		{"whole", "body", good},
		{"cut", "throws TypeError: Called close() on a decompression stream with incomplete data", good[:len(good)-3]},
		{"trailing", "throws TypeError: Trailing bytes after end of compressed data", append(bytes.Clone(good), 0xff)},
		{"two members", "throws TypeError: Trailing bytes after end of compressed data",
			append(bytes.Clone(good), good...)},
		{"checksum", "throws TypeError: Decompression failed.", wrongSum},
		{"not gzip", "throws TypeError: Decompression failed.", []byte("hello world")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.Expect(lib+`return dec.decode(await through(new DecompressionStream('gzip'), fromHex('`+
				hex.EncodeToString(c.in)+`')))`, c.want)
		})
	}
}

func TestConstructorChecksTheFormat(t *testing.T) {
	r := runner(t)
	r.Expect(`new CompressionStream('br')`,
		"throws TypeError: The compression format must be either 'deflate', 'deflate-raw' or 'gzip'.")
	r.Expect(`new DecompressionStream()`,
		"throws TypeError: Failed to construct 'DecompressionStream': constructor parameter 1 is not of type 'string'.")
	r.Expect(`const s = new CompressionStream('gzip'); return [s instanceof TransformStream, `+
		`Object.prototype.toString.call(s)].join()`,
		"true,[object CompressionStream]")
}

// A cancelled read is rejected with the reason: compressionCancelAbort of the reference's tests.
func TestCancelRejectsThePendingRead(t *testing.T) {
	runner(t).Expect(`const r = new CompressionStream('gzip').readable.getReader();
		const read = r.read(); r.cancel(new Error('enough')); await read`, "throws Error: enough")
}

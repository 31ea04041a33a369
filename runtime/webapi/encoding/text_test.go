package encoding_test

import (
	"testing"

	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

func runner(t testing.TB) *webapitest.Runner {
	return webapitest.New(t, streams.Install, encoding.Install)
}

func TestTextEncoder(t *testing.T) {
	r := runner(t)
	r.Expect(`return new TextEncoder().encode('aé€😀\ud800x').join()`,
		"97,195,169,226,130,172,240,159,152,128,239,191,189,120")
	r.Expect(`const e = new TextEncoder(); return [e.encode().length, e.encode(null).length, e.encoding].join()`,
		"0,4,utf-8")
	// A character that does not fit is not begun (https://encoding.spec.whatwg.org/#dom-textencoder-encodeinto).
	r.Expect(`const e = new TextEncoder(); const b = new Uint8Array(6);
		const { read, written } = e.encodeInto('a😀€', b); return [read, written, b].join(' ')`,
		"3 5 97,240,159,152,128,0")
	r.Expect(`new TextEncoder().encodeInto('', new Int8Array(1))`,
		"throws TypeError: Failed to execute 'encodeInto' on 'TextEncoder': parameter 2 is not of type 'Uint8Array'.")
}

func TestTextDecoderClass(t *testing.T) {
	r := runner(t)
	r.Expect(`const d = new TextDecoder('Latin1', { fatal: true }); return [d.encoding, d.fatal, d.ignoreBOM].join()`,
		"windows-1252,true,false")
	r.Expect(`const d = new TextDecoder(); return d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + '|' + `+
		`d.decode(new Uint8Array([0xac]))`, "|€")
	r.Expect(`return new TextDecoder().decode(new DataView(new Uint8Array([65, 66, 67, 68]).buffer, 1, 2))`, "BC")
	r.Expect(`new TextDecoder('nope')`, `throws RangeError: "nope" is not a valid encoding.`)
	r.Expect(`new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))`,
		"throws TypeError: Failed to decode input.")
	r.Expect(`new TextDecoder().decode('x')`,
		"throws TypeError: Failed to execute 'decode' on 'TextDecoder': parameter 1 is not of type 'Array'.")
	r.Expect(`new TextDecoder('utf-8', 5)`, "throws TypeError: Failed to construct 'TextDecoder': constructor "+
		"parameter 2 is not of type 'ConstructorOptions'.")
}

const piped = `const through = async (stream, ...chunks) => {
	const w = stream.writable.getWriter(); w.closed.catch(() => {});
	const write = (async () => { for (const c of chunks) await w.write(c); await w.close(); })(); write.catch(() => {});
	const out = []; const r = stream.readable.getReader();
	for (;;) { const { done, value } = await r.read(); if (done) return out; out.push(value); }
};`

// https://encoding.spec.whatwg.org/#interface-textencoderstream: a surrogate pair may be cut by a chunk.
func TestTextEncoderStream(t *testing.T) {
	r := runner(t)
	r.Expect(piped+`return (await through(new TextEncoderStream(), 'a\ud83d', '\ude00', '', 'b\ud800', `+
		`'c\ud800')).join('|')`,
		"97|240,159,152,128|98|239,191,189,99|239,191,189")
	r.Expect(piped+`return (await through(new TextEncoderStream(), undefined, 1, true)).map((b) => b.length).join()`,
		"9,1,4")
	r.Expect(`const s = new TextEncoderStream(); return [s.encoding, s instanceof TransformStream, `+
		`Object.prototype.toString.call(s)].join()`,
		"utf-8,true,[object TextEncoderStream]")
}

func TestTextDecoderStream(t *testing.T) {
	r := runner(t)
	r.Expect(piped+`return JSON.stringify(await through(new TextDecoderStream(), `+
		`new Uint8Array([0xef, 0xbb, 0xbf, 65, 0xe2]), new Uint8Array([0x82, 0xac]).buffer, new Uint8Array([0xe2])))`,
		`["A","€","`+"\ufffd"+`"]`)
	r.Expect(piped+`await through(new TextDecoderStream('utf-8', { fatal: true }), new Uint8Array([255]))`,
		"throws TypeError: Failed to decode input.")
	r.Expect(piped+`await through(new TextDecoderStream(), 'text')`,
		"throws TypeError: This TransformStream is being used as a byte stream, but received a value that is not a "+
			"BufferSource.")
	r.Expect(`const s = new TextDecoderStream('utf-16', { ignoreBOM: true }); `+
		`return [s.encoding, s.fatal, s.ignoreBOM].join()`, "utf-16le,false,true")
}

// RT10 and https://infra.spec.whatwg.org/#forgiving-base64-decode.
func TestBase64(t *testing.T) {
	r := runner(t)
	r.Expect(`return [btoa('é'), btoa(''), btoa('\x00\xff'), btoa(null)].join()`, "6Q==,,AP8=,bnVsbA==")
	r.Expect(`btoa('\u0100')`,
		"throws InvalidCharacterError: btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range.")
	r.Expect(`return [atob(' a G k = '), atob('aGk'), atob('6Q=='), atob('YR')].join()`, "hi,hi,é,a")
	for _, bad := range []string{"a", "a*==", "aGk==", "=", "aG=k", "ab-_"} {
		r.Expect(`atob('`+bad+`')`, "throws InvalidCharacterError: atob() called with invalid base64-encoded data. "+
			"(Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data "+
			"length is divisible by 4 are allowed.)")
	}
	r.Expect(`atob()`,
		"throws TypeError: Failed to execute 'atob' on 'ServiceWorkerGlobalScope': parameter 1 is not of type "+
			"'string'.")
}

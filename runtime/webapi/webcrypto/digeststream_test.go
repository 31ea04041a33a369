package webcrypto

import (
	"testing"

	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

func TestDigestStream(t *testing.T) {
	r := webapitest.New(t, streams.Install, Install)
	r.Eval(prelude)
	for _, c := range []caseJS{
		{"digest", `const d = new crypto.DigestStream("md5"), w = d.getWriter(); w.write(bytes("hel")); w.write("lo");
			w.close();
			return hex(await d.digest) + d.bytesWritten + typeof d.bytesWritten`,
			"5d41402abc4b2a76b9719d911017c5925bigint"},
		{"dictionary", `const d = new crypto.DigestStream({name: "SHA-1"}), w = d.getWriter(); await w.close(); ` +
			`return hex(await d.digest)`, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		// The check values of the CRC catalogue.
		{"checksums", `const seen = []; for (const n of ["crc32", "crc32c", "crc64nvme"]) { ` +
			`const d = new crypto.DigestStream(n), w = d.getWriter(); w.write("123456789"); w.close(); ` +
			`seen.push(hex(await d.digest)) } return seen.join()`,
			"cbf43926,e3069283,ae8b14860a799888"},
		{"window", `const d = new crypto.DigestStream("crc32"), w = d.getWriter(); ` +
			`w.write(bytes("x123456789y").subarray(1, 10)); w.close(); return hex(await d.digest)`, "cbf43926"},
		{"pipe", `const d = new crypto.DigestStream("SHA-256"); ` +
			`await new ReadableStream({start(c) { c.enqueue(bytes("abc")); c.close() }}).pipeTo(d); ` +
			`return hex(await d.digest).slice(0, 8)`, "ba7816bf"},
		{"unknown", `return failure(() => new crypto.DigestStream("foo"))`,
			"NotSupportedError: Unrecognized or unimplemented digest algorithm requested."},
		{"wrong chunk", `const d = new crypto.DigestStream("md5"); return failure(() => d.getWriter().write(123))`,
			"TypeError: DigestStream is a byte stream but received an object of " +
				"non-ArrayBuffer/ArrayBufferView/string type on its writable side."},
		{"abort", `const d = new crypto.DigestStream("md5"), w = d.getWriter(); w.closed.catch(() => {}); ` +
			`w.write("x"); w.abort(new Error("boom")); return failure(() => d.digest)`, "Error: boom"},
		{"dispose", `const d = new crypto.DigestStream("md5"); d[Symbol.dispose](); d[Symbol.dispose](); ` +
			`d.digest.catch(() => {}); const w = d.getWriter(); w.closed.catch(() => {}); ` +
			`return failure(() => w.write("x"))`,
			"TypeError: The DigestStream was disposed."},
		{"class", `const d = new crypto.DigestStream("md5"); return [d instanceof WritableStream, ` +
			`Object.prototype.toString.call(d), d.digest === d.digest].join()`, "true,[object DigestStream],true"},
	} {
		if got := r.Eval(c.js); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.name, got, c.want)
		}
	}
}

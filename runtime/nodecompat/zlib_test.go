package nodecompat

import (
	"bytes"
	"context"
	"testing"
)

func TestZlib(t *testing.T) {
	const z = `const z = require("zlib"); const util = require("util");`
	cases{
		{z + `return [["gzip", "gunzip"], ["deflate", "inflate"], ["deflateRaw", "inflateRaw"], ` +
			`["brotliCompress", "brotliDecompress"], ["gzip", "unzip"], ` +
			`["deflate", "unzip"]].every(([c, d]) => ` +
			`z[d + "Sync"](z[c + "Sync"]("text ".repeat(99))).toString() === "text ".repeat(99))`, "true"},
		{z + `return (await util.promisify(z.gunzip)(await util.promisify(z.gzip)("later"))).toString()`, "later"},
		{z + `return require("stream/consumers").text(require("stream").Readable.from([Buffer.from("a"), ` +
			`Buffer.from("b")]).pipe(z.createDeflate()).pipe(z.createInflate()))`, "ab"},
		{z + `try { z.gunzipSync(Buffer.from("no gzip at all")) } catch (e) { return [e.code, e.errno, e.message] }`,
			"Z_DATA_ERROR,-3,incorrect header check"},
		{z + `try { z.gunzipSync(z.gzipSync("hello").subarray(0, 14)) } catch (e) { ` +
			`return [e.code, e.errno, e.message] }`, "Z_BUF_ERROR,-5,unexpected end of file"},
		{z + `return z.inflateSync(z.deflateSync("partial").subarray(0, 12), ` +
			`{ finishFlush: z.constants.Z_SYNC_FLUSH }).toString().slice(0, 3)`, "par"},
		{z + `try { z.inflateSync(z.deflateSync(Buffer.alloc(5000)), { maxOutputLength: 100 }) } catch (e) { ` +
			`return e.code }`, "ERR_BUFFER_TOO_LARGE"},
		{z + `const dictionary = Buffer.from("hello"); ` +
			`return z.inflateSync(z.deflateSync("hello hello", { dictionary }), { dictionary }).toString()`,
			"hello hello"},
		{z + `return z.crc32("hello") + "," + z.crc32("lo", z.crc32("hel"))`, "907060870,907060870"},
		{z + `z.gzipSync(5)`, `throws TypeError: The "buffer" argument must be of type string or an instance of ` +
			`Buffer, TypedArray, DataView, or ArrayBuffer. Received type number (5)`},
		{z + `z.deflateSync("", { level: 12 })`,
			`throws RangeError: The value of "options.level" is out of range. It must be >= -1 and <= 9. Received 12`},
		{z + `const g = z.createGunzip(); g.on("error", () => {}); g.end("junk that is no gzip"); ` +
			`return require("events").once(g, "error").then(([e]) => e.code)`, "Z_DATA_ERROR"},
	}.run(t)
}

// Nothing that arrives makes a decompressor panic or give more than the limit.
func FuzzExpand(f *testing.F) {
	for _, format := range []string{"gzip", "deflate", "deflateRaw", "brotliCompress"} {
		s, err := newSqueezer(format, -1, nil)
		if err != nil {
			f.Fatal(err)
		}
		_, _ = s.w.Write(bytes.Repeat([]byte("seed "), 20))
		if err := s.w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(s.take())
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, format := range []string{"gunzip", "inflate", "inflateRaw", "brotliDecompress", "unzip"} {
			if out, err := expand(context.Background(), format, in, nil, 4096, false); err == nil && len(out) > 4096 {
				t.Errorf("%s: %d bytes past the limit", format, len(out)-4096)
			}
		}
	})
}

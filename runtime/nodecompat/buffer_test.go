package nodecompat

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/dop251/goja"
)

func TestBufferEncodings(t *testing.T) {
	cases{
		{`return Buffer.from("héllo").toString("hex")`, "68c3a96c6c6f"},
		{`return Buffer.from("aGk_-w", "base64").toString("hex")`, "68693ffb"},
		{`return Buffer.from("aG k=\n", "base64").toString()`, "hi"},
		{`return Buffer.from([0xfb, 0xff]).toString("base64url") + Buffer.from([0xfb, 0xff]).toString("base64")`,
			"-_8+/8="},
		{`return Buffer.from("abxy", "hex").length`, "1"},
		{`return Buffer.from("é€", "latin1").toString("hex")`, "e9ac"},
		{`return Buffer.from("a€", "utf16le").toString("ucs2")`, "a€"},
		{`return Buffer.from([0xe9]).toString("latin1") + Buffer.from([0xe9]).toString("ascii")`, "éi"},
		{`return Buffer.from([0xe2, 0x82, 0x41]).toString() `, "�A"},
		{`return Buffer.byteLength("€") + Buffer.byteLength("YWJj", "base64")`, "6"},
		{`return Buffer.from("x").toString("nope")`, "throws TypeError: Unknown encoding: nope"},
		{`return require("buffer").transcode(Buffer.from("é€"), "utf8", "latin1").toString("hex")`, "e93f"},
		{`const { isUtf8, isAscii } = require("buffer"); return [isUtf8(Buffer.of(0xc3)), isUtf8(Buffer.from("é")), ` +
			`isAscii(Buffer.from("é"))]`, "false,true,false"},
	}.run(t)
}

func TestBufferMakingAndComparing(t *testing.T) {
	cases{
		{`return Buffer.alloc(5, "ab").toString() + Buffer.concat([Buffer.from("x"), Buffer.from("yz")], 2)`,
			"ababaxy"},
		{`return Buffer.from(5)`, "throws TypeError: The first argument must be of type string or an instance of " +
			"Buffer, ArrayBuffer, or Array or an Array-like Object. Received type number (5)"},
		{`return Buffer.alloc(-1)`, `throws RangeError: Invalid typed array length: -1`},
		{`const b = Buffer.from("abc"); return b instanceof Uint8Array && Buffer.isBuffer(b) && ` +
			`b.constructor === Buffer && b.map((x) => x) instanceof Buffer`, "true"},
		{`const a = new ArrayBuffer(4), b = Buffer.from(a, 1, 2); b[0] = 7; return new Uint8Array(a).join()`,
			"0,7,0,0"},
		{`const b = Buffer.from("abc"); b.slice(1)[0] = 0x7a; return b.toString()`, "azc"},
		{`return [Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("a").equals(Buffer.from("a")), ` +
			`Buffer.from("xaby").compare(Buffer.from("ab"), 0, 2, 1, 3)]`, "-1,true,0"},
		{`const b = Buffer.from("this is a buffer"); return [b.indexOf("is"), b.indexOf("is", 3), ` +
			`b.lastIndexOf("is"), b.indexOf(97), b.includes("nope"), b.indexOf(Buffer.from("a b"), -10)]`,
			"2,5,5,8,false,8"},
		{`return JSON.stringify(Buffer.from("ab"))`, `{"type":"Buffer","data":[97,98]}`},
		{`return require("util").inspect(Buffer.alloc(52, 1)).slice(-17)`, "... 2 more bytes>"},
		{`const b = Buffer.from([1, 2, 3, 4]); return b.swap16().toString("hex") + b.swap32().toString("hex")`,
			"0201040303040102"},
		{`const b = Buffer.alloc(4); return b.write("a€b") + b.toString("hex")`, "461e282ac"},
		{`const b = Buffer.alloc(3); return b.write("a€b") + b.toString("hex")`, "1610000"},
		{`const a = Buffer.from("abcd"), b = Buffer.alloc(4, "."); return a.copy(b, 1, 1, 3) + b.toString()`, "2.bc."},
	}.run(t)
}

// What a script says of a buffer's length is not believed.
func TestBufferSurvivesLies(t *testing.T) {
	cases{
		{`const b = Buffer.alloc(4); Object.defineProperty(b, "length", { value: 1337 }); b.fill("x", 2); ` +
			`return String.fromCharCode(...new Uint8Array(b.buffer)).slice(2)`, "xx"},
		{`Buffer.alloc(2 ** 40)`, `throws RangeError: The value of "size" is out of range. It must be 0 to ` +
			`2147483647. Received 1_099_511_627_776`},
		{`Buffer.from({ length: 2 ** 40 })`, "throws RangeError: Array buffer allocation failed"},
	}.run(t)
}

func TestBufferNumbers(t *testing.T) {
	cases{
		{`const b = Buffer.alloc(8); b.writeInt32BE(-2, 1); return b.toString("hex") + b.readInt32BE(1) + ` +
			`b.readUInt32BE(1)`, "00fffffffe000000-24294967294"},
		{`const b = Buffer.alloc(8); b.writeDoubleLE(0.1); return b.readDoubleLE() + " " + b.writeFloatBE(1.5) + ` +
			`b.readFloatBE(0)`, "0.1 41.5"},
		{`const b = Buffer.alloc(8); b.writeBigInt64BE(-5n); return b.readBigInt64BE() + "," + b.readBigUInt64BE()`,
			"-5,18446744073709551611"},
		{`const b = Buffer.alloc(8); b.writeIntLE(-3, 0, 6); return b.readIntLE(0, 6) + "," + b.readUintBE(0, 3)`,
			"-3,16646143"},
		{`Buffer.alloc(1).writeUInt8(256)`,
			`throws RangeError: The value of "value" is out of range. It must be >= 0 and <= 255. Received 256`},
		{`Buffer.alloc(4).readUInt32LE(1)`,
			`throws RangeError: The value of "offset" is out of range. It must be >= 0 and <= 0. Received 1`},
		{`Buffer.alloc(2).readUInt32LE()`, "throws RangeError: Attempt to access memory outside buffer bounds"},
		{`Buffer.alloc(9).readUInt8("1")`,
			`throws TypeError: The "offset" argument must be of type number. Received type string ('1')`},
		{`Buffer.alloc(9).writeInt32LE(2 ** 33)`, `throws RangeError: The value of "value" is out of range. It must ` +
			`be >= -2147483648 and <= 2147483647. Received 8_589_934_592`},
		{`Buffer.alloc(9).writeIntBE(2 ** 50, 0, 6)`, `throws RangeError: The value of "value" is out of range. It ` +
			`must be >= -(2 ** 47) and < 2 ** 47. Received 1_125_899_906_842_624`},
	}.run(t)
}

func TestStringDecoderKeepsCharactersWhole(t *testing.T) {
	cases{
		{`const d = new (require("string_decoder").StringDecoder)("utf8"); ` +
			`return [d.write(Buffer.of(0xe2, 0x82)), d.write(Buffer.of(0xac, 0x41)), d.write(Buffer.of(0xc3)), ` +
			`d.end()]`, ",€A,,�"},
		{`const d = new (require("string_decoder").StringDecoder)("base64"); ` +
			`return [d.write(Buffer.of(1)), d.write(Buffer.of(2, 3, 4)), d.end()]`, ",AQID,BA=="},
		{`const d = new (require("string_decoder").StringDecoder)("utf16le"); ` +
			`return [d.write(Buffer.of(0x3d, 0xd8, 0x4d)), d.write(Buffer.of(0xdc)), d.end()]`, ",👍,"},
	}.run(t)
}

// Decoding and encoding again gives the same bytes, and text is always well formed.
func FuzzCharset(f *testing.F) {
	for _, s := range [][]byte{
		nil, []byte("abc"), {0xe2, 0x82}, {0xf0, 0x9f, 0x91, 0x8d}, {0xed, 0xa0, 0x80}, {0xff, 0xfe, 0xc0, 0x80}} {
		f.Add(s)
	}
	rt := goja.New()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range []charset{charsetLatin1, charsetHex, charsetBase64, charsetBase64URL} {
			if got := c.encode(c.decode(rt, b).(goja.String)); !bytes.Equal(got, b) {
				t.Errorf("encoding %d: %x became %x", c, b, got)
			}
		}
		if s := validUTF8(b); !utf8.ValidString(s) {
			t.Errorf("%x decodes to ill-formed %q", b, s)
		}
		if head := wholePrefix(b); len(b)-len(head) > 3 {
			t.Errorf("%x: %d bytes held back", b, len(b)-len(head))
		}
	})
}

func BenchmarkBufferRoundTrip(b *testing.B) {
	r := newRunner(b)
	r.On(func() {
		v, err := r.Loop.Runtime().RunString(
			`(function (n) { for (let i = 0; i < n; i++) Buffer.from("hello world").toString("base64") })`)
		if err != nil {
			b.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		b.ReportAllocs()
		b.ResetTimer()
		if _, err := f(goja.Undefined(), r.Loop.Runtime().ToValue(b.N)); err != nil {
			b.Fatal(err)
		}
	})
}

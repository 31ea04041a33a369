package encoding

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// every canonical name of the standard that a TextDecoder can have.
var every = strings.Fields(`utf-8 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8
	iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874
	windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258
	x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be utf-16le x-user-defined`)

func TestEveryEncodingIsKnownByItsName(t *testing.T) {
	for _, name := range every {
		if got := canonical(name); got != name {
			t.Errorf("%s is %q", name, got)
		}
		if text, err := newDecoder(name, false, false).decode(nil, true); text != "" || err != nil {
			t.Errorf("%s: nothing decodes to %q, %v", name, text, err)
		}
	}
}

func TestLabels(t *testing.T) {
	for label, want := range map[string]string{
		" \t\nUTF8\r\f": "utf-8", "x-unicode20utf8": "utf-8", "latin1": "windows-1252", "ascii": "windows-1252",
		"iso-8859-9": "windows-1254", "tis-620": "windows-874", "gb2312": "gbk", "sjis": "shift_jis",
		"ksc5601": "euc-kr",
		"unicode": "utf-16le", "unicodefffe": "utf-16be", "logical": "iso-8859-8-i", "visual": "iso-8859-8",
		"replacement": "", "iso-2022-kr": "", "hz-gb-2312": "", "utf-7": "", "": "", "\u00a0utf-8": "", "\u212Aoi8": "",
	} {
		if got := canonical(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}

// decodeAll decodes in pieces of the given size; 0 is all at once.
func decodeAll(t testing.TB, name string, in []byte, piece int) string {
	t.Helper()
	d := newDecoder(name, false, true)
	if piece == 0 {
		text, err := d.decode(in, true)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var b strings.Builder
	for len(in) > 0 {
		n := min(piece, len(in))
		text, err := d.decode(in[:n], false)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(text)
		in = in[n:]
	}
	text, err := d.decode(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + text
}

// Vectors from the text of the standard: which bytes belong to an error, and what is read again after it.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		// https://encoding.spec.whatwg.org/#utf-8-decoder
		{"utf-8", "\xe2\x82", "\ufffd"},
		{"utf-8", "\xe2\x82A", "\ufffdA"},
		{"utf-8", "\xe0\x80\x80", "\ufffd\ufffd\ufffd"},
		{"utf-8", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"utf-8", "\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
		{"utf-8", "\xf0\x9f\x98\xe2\x82\xac", "\ufffd€"},
		{"utf-8", "\xff\x80", "\ufffd\ufffd"},
		// #shared-utf-16-decoder
		{"utf-16le", "A\x00\x00\xd8B\x00", "A\ufffdB"},
		{"utf-16le", "\x3d\xd8\x00\xde", "\U0001F600"},
		{"utf-16be", "\xdc\x00\x00A\x00", "\ufffdA\ufffd"},
		// #gb18030-decoder
		{"gb18030", "\x81\x30\x21", "\ufffd0!"},
		{"gb18030", "\x81\x30\x81\x21", "\ufffd0\ufffd!"},
		{"gb18030", "\x81", "\ufffd"},
		{"gb18030", "\x84\x31\xa4\x37", "\ufffd"},
		{"gb18030", "\x81\x35\xf4\x37", "\ue7c7"},
		{"gb18030", "\x90\x30\x81\x30", "\U00010000"},
		{"gb18030", "\x80", "€"},
		{"gbk", "\xa8\xbc", "ḿ"},
		// #big5-decoder
		{"big5", "\x81\x40", "\ufffd@"},
		{"big5", "\x88\x62", "\u00ca\u0304"},
		{"big5", "\xa4\xa4", "中"},
		{"big5", "\xa4", "\ufffd"},
		// #euc-jp-decoder
		{"euc-jp", "\x8e\xb1", "ｱ"},
		{"euc-jp", "\x8f\xb0\xa1", "丂"},
		{"euc-jp", "\xa4\xa2", "あ"},
		{"euc-jp", "\x8e\x41", "\ufffdA"},
		// #shift_jis-decoder
		{"shift_jis", "\x82\xa0\xb1", "あｱ"},
		{"shift_jis", "\xf0\x40", "\ue000"},
		{"shift_jis", "\xfa\x40", "ⅰ"},
		{"shift_jis", "\x81\x20", "\ufffd "},
		// #euc-kr-decoder
		{"euc-kr", "\xb0\xa1", "가"},
		{"euc-kr", "\xb0\x20", "\ufffd "},
		// #iso-2022-jp-decoder
		{"iso-2022-jp", "\x1b$B$\"\x1b(BA", "あA"},
		{"iso-2022-jp", "\x1b(J\\~", "¥‾"},
		{"iso-2022-jp", "\x1b(I1", "ｱ"},
		{"iso-2022-jp", "\x1b(B\x1b(B", "\ufffd"},
		{"iso-2022-jp", "\x1b$", "\ufffd$"},
		{"iso-2022-jp", "\x0e", "\ufffd"},
		// #single-byte-decoder, #x-user-defined-decoder
		{"windows-1252", "\x80\x81\xff", "€\u0081ÿ"},
		{"windows-1253", "\xaa", "\ufffd"},
		{"iso-8859-8-i", "\xe0", "א"},
		{"koi8-u", "\xae", "ў"},
		{"x-user-defined", "\x80\xff", "\uf780\uf7ff"},
	} {
		for piece := range 3 {
			if got := decodeAll(t, c.name, []byte(c.in), piece); got != c.want {
				t.Errorf("%s %q in pieces of %d: %q, want %q", c.name, c.in, piece, got, c.want)
			}
		}
		wrong := strings.Contains(c.want, "\ufffd") && c.in != "\x84\x31\xa4\x37"
		if _, err := newDecoder(c.name, true, false).decode([]byte(c.in), true); (err != nil) != wrong {
			t.Errorf("%s %q, fatal: %v", c.name, c.in, err)
		}
	}
}

// After an error a fatal decoder begins anew.
func TestFatalDecoderRecovers(t *testing.T) {
	d := newDecoder("gb18030", true, false)
	if _, err := d.decode([]byte{0x81, 0x30, 0x21}, false); err == nil {
		t.Fatal("accepted")
	}
	if text, err := d.decode([]byte{0x80}, true); text != "€" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
}

// https://encoding.spec.whatwg.org/#concept-td-serialize
func TestByteOrderMark(t *testing.T) {
	d := newDecoder("utf-8", false, false)
	var parts []string
	for _, in := range []string{"\xef", "\xbb", "\xbf", "\xef\xbb\xbfa"} {
		text, err := d.decode([]byte(in), false)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, text)
	}
	if got := strings.Join(parts, "|"); got != "|||\ufeffa" {
		t.Errorf("%q", got)
	}
	if text, _ := d.decode(nil, true); text != "" {
		t.Errorf("%q at the end", text)
	}
	if text, _ := d.decode([]byte("\xef\xbb\xbfb"), true); text != "b" {
		t.Errorf("the next stream: %q", text)
	}
	if text, _ := newDecoder("utf-16le", false, true).decode([]byte{0xff, 0xfe}, true); text != "\ufeff" {
		t.Errorf("kept: %q", text)
	}
	if text, _ := newDecoder("windows-1252", false, false).decode([]byte("\xef\xbb\xbf"), true); text != "ï»¿" {
		t.Errorf("single byte: %q", text)
	}
}

// Pieces give what the whole gives, all output is well formed, and ASCII is never lost.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\xe2\x82\xac\xf0\x9f"), uint8(0), uint8(1))
	f.Add([]byte("\x1b$B\x1b(J\\"), uint8(33), uint8(2))
	f.Add([]byte("\x81\x30\x81\x30\xa4"), uint8(29), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, which, piece uint8) {
		name := every[int(which)%len(every)]
		whole := decodeAll(t, name, in, 0)
		if got := decodeAll(t, name, in, int(piece)%5+1); got != whole {
			t.Fatalf("%s: whole %q, in pieces %q", name, whole, got)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%s: %q", name, whole)
		}
		if name == "utf-8" && utf8.Valid(in) && whole != string(in) {
			t.Fatalf("%q became %q", in, whole)
		}
		if name != "iso-2022-jp" && !strings.HasPrefix(name, "utf-16") && len(in) > 0 && in[len(in)-1] == '\n' &&
			!strings.HasSuffix(whole, "\n") {
			t.Fatalf("%s: the line end of %q was lost in %q", name, in, whole)
		}
	})
}

func BenchmarkDecodeASCII(b *testing.B) { benchmarkDecode(b, strings.Repeat("plain text ", 6000)) }
func BenchmarkDecodeUTF8(b *testing.B)  { benchmarkDecode(b, strings.Repeat("größer als € ", 4000)) }

func benchmarkDecode(b *testing.B, text string) {
	d := newDecoder("utf-8", false, false)
	in := []byte(text)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if got, err := d.decode(in, true); err != nil || len(got) != len(in) {
			b.Fatal(err)
		}
	}
}

package encoding

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is encoded and decoded is what the standard library makes of it, at every length and with everything between
// that is no digit.
func TestBase64Codec(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		for range 20 {
			b := make([]byte, n)
			for i := range b {
				if b[i] = byte(random.Uint32()); random.IntN(3) == 0 {
					b[i] &= 0x7f
				}
			}
			want := base64.StdEncoding.EncodeToString(b)
			if got := string(encodeBase64(b)); got != want {
				t.Fatalf("%x is %s, want %s", b, got, want)
			}
			if got := string(encodeBase64(string(b))); got != want {
				t.Fatalf("as a text %x is %s, want %s", b, got, want)
			}
			for _, s := range []string{want, strings.TrimRight(want, "=")} {
				got, ascii, ok := decodeBase64(s)
				if !ok || !bytes.Equal(got, b) || ascii != isASCII(b) {
					t.Fatalf("%s is %x, %v and %v", s, got, ascii, ok)
				}
			}
			if n == 0 {
				continue
			}
			broken := []byte(want)
			broken[random.IntN(len(broken))] = byte(random.Uint32())
			s := string(broken)
			if strings.ContainsAny(s, "\r\n") { // which the library skips
				continue
			}
			if len(s)%4 == 0 {
				for i := 0; i < 2 && strings.HasSuffix(s, "="); i++ {
					s = s[:len(s)-1]
				}
			}
			decoded, err := base64.RawStdEncoding.DecodeString(s)
			if got, _, ok := decodeBase64(string(broken)); ok != (err == nil) || ok && !bytes.Equal(got, decoded) {
				t.Fatalf("%q is %x and %v, want %x and %v", broken, got, ok, decoded, err)
			}
		}
	}
}

// A last digit may have bits that count for nothing, and a text of one digit is none.
func TestBase64Ends(t *testing.T) {
	for s, want := range map[string]string{"YR": "a", "YR==": "a", "YWJ": "ab", "YWI=": "ab", "": "", "====": "!",
		"Y": "!", "YWJjZ": "!", "=": "!", "YQ=": "!", "YQ==YQ==": "!", "YW-_": "!", "é": "!", "YWJj=": "!"} {
		got, _, ok := decodeBase64(s)
		if text := string(got); ok && text != want || !ok && want != "!" {
			t.Errorf("%q is %q and %v, want %q", s, text, ok, want)
		}
	}
}

func BenchmarkBase64(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	encoded := string(encodeBase64(text))
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			encodeBase64(text)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			decodeBase64(encoded)
		}
	})
	b.Run("library encode", func(b *testing.B) {
		for b.Loop() {
			_ = base64.StdEncoding.EncodeToString([]byte(text))
		}
	})
	b.Run("library decode", func(b *testing.B) {
		for b.Loop() {
			_, _ = base64.StdEncoding.DecodeString(encoded)
		}
	})
}

package encoding

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/webidl"
)

const (
	atobError = "atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and " +
		"up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"
	btoaError = "btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range."
	scope     = "ServiceWorkerGlobalScope"
)

// defineBase64 makes the functions atob and btoa (RT10).
func defineBase64(r *webidl.Realm) (atob, btoa *goja.Object) {
	required := func(c goja.FunctionCall, name, typ string) goja.Value {
		if len(c.Arguments) == 0 {
			r.ThrowType("Failed to execute '%s' on '%s': parameter 1 is not of type '%s'.", name, scope, typ)
		}
		return c.Arguments[0]
	}
	atob = r.Function("atob", func(c goja.FunctionCall) goja.Value {
		text := webidl.ToString(required(c, "atob", "string"))
		r.Need(3 * len(text))
		b, ok := forgivingDecode(text)
		if !ok {
			r.ThrowDOM("InvalidCharacterError", "%s", atobError)
		}
		if isASCII(b) {
			return r.ASCII(gojainternals.TextOf(b))
		}
		return latin1(b)
	})
	btoa = r.Function("btoa", func(c goja.FunctionCall) goja.Value {
		s := webidl.ToString(required(c, "btoa", "String"))
		r.Need(3 * len(s))
		b := []byte(s)
		if !isASCII(b) {
			b = b[:0]
			for _, u := range s {
				if u > 0xFF {
					r.ThrowDOM("InvalidCharacterError", "%s", btoaError)
				}
				b = append(b, byte(u))
			}
		}
		out := make([]byte, base64.StdEncoding.EncodedLen(len(b)))
		base64.StdEncoding.Encode(out, b)
		return r.ASCII(gojainternals.TextOf(out))
	})
	return atob, btoa
}

const whitespace = "\t\n\f\r "

// forgivingDecode is https://infra.spec.whatwg.org/#forgiving-base64-decode.
func forgivingDecode(s string) ([]byte, bool) {
	for i := range len(whitespace) {
		if strings.IndexByte(s, whitespace[i]) >= 0 { // which looks at many bytes at once
			s = strings.ReplaceAll(s, whitespace[i:i+1], "")
		}
	}
	if len(s)%4 == 0 {
		for i := 0; i < 2 && strings.HasSuffix(s, "="); i++ {
			s = s[:len(s)-1]
		}
	}
	// The library skips line ends, which are gone, and does not ask for zero bits at the end.
	b, err := base64.RawStdEncoding.DecodeString(s)
	return b, err == nil
}

// latin1 is the string whose code units are the bytes.
func latin1(b []byte) goja.Value {
	units := make([]uint16, len(b))
	for i, c := range b {
		units[i] = uint16(c)
	}
	return goja.StringFromUTF16(units)
}

package encoding

import (
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
		b, ascii, ok := forgivingDecode(text)
		if !ok {
			r.ThrowDOM("InvalidCharacterError", "%s", atobError)
		}
		if ascii {
			return r.ASCII(gojainternals.TextOf(b))
		}
		return latin1(b)
	})
	btoa = r.Function("btoa", func(c goja.FunctionCall) goja.Value {
		s := webidl.ToString(required(c, "btoa", "String"))
		r.Need(3 * len(s))
		if isASCII(s) {
			return r.ASCII(gojainternals.TextOf(encodeBase64(s)))
		}
		b := make([]byte, 0, len(s))
		for _, u := range s {
			if u > 0xFF {
				r.ThrowDOM("InvalidCharacterError", "%s", btoaError)
			}
			b = append(b, byte(u))
		}
		return r.ASCII(gojainternals.TextOf(encodeBase64(b)))
	})
	return atob, btoa
}

const whitespace = "\t\n\f\r "

// forgivingDecode is https://infra.spec.whatwg.org/#forgiving-base64-decode.
func forgivingDecode(s string) (b []byte, ascii, ok bool) {
	if b, ascii, ok = decodeBase64(s); ok || !strings.ContainsAny(s, whitespace) {
		return b, ascii, ok
	}
	for i := range len(whitespace) {
		s = strings.ReplaceAll(s, whitespace[i:i+1], "")
	}
	return decodeBase64(s)
}

// latin1 is the string whose code units are the bytes.
func latin1(b []byte) goja.Value {
	units := make([]uint16, len(b))
	for i, c := range b {
		units[i] = uint16(c)
	}
	return goja.StringFromUTF16(units)
}

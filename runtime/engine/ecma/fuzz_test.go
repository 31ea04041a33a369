package ecma

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// JSON.parse takes what encoding/json takes, and everything else is a SyntaxError with a known form of text.
func FuzzJSONParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e3,"x\u00e9\n"],"b":null}`, `[1,`, `{"a" 1}`, "\"\x01\"", `01`, `-`, "é", `"\x"`,
		strings.Repeat("[", 100)} {
		f.Add(s)
	}
	e := newEngine(f)
	parse, _ := goja.AssertFunction(e.object("JSON", "parse"))
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		v, err := parse(goja.Undefined(), e.rt.ToValue(s))
		if valid := json.Valid([]byte(s)); valid != (err == nil) {
			t.Fatalf("%q: encoding/json says %v, JSON.parse %v", s, valid, err)
		}
		if err == nil {
			_ = v
			return
		}
		ex, ok := err.(*goja.Exception)
		if !ok {
			t.Fatalf("%q: %v", s, err)
		}
		text := e.ErrorText(ex.Value())
		if !strings.HasPrefix(text, "SyntaxError: ") || !strings.Contains(text, "JSON") {
			t.Fatalf("%q: %s", s, text)
		}
	})
}

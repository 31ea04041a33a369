package v8text

import (
	"testing"

	"github.com/dop251/goja"
)

func TestTypeOf(t *testing.T) {
	rt := goja.New()
	for _, src := range []string{
		"undefined", "null", "true", "false", "0", "1.5", "-0", "NaN", "2n", "''", "'é'", "'a' + 'b'", "Symbol()",
		"Symbol.iterator", "({})", "[]",
		"/x/", "new Date", "new Number(1)", "new String('a')", "Object(1n)", "() => {}", "class {}", "async () => {}",
		"Math.max", "new Proxy(() => {}, {})",
		"new Proxy({}, {})",
	} {
		v, err := rt.RunString("(" + src + ")")
		if err != nil {
			t.Fatal(src, err)
		}
		want, err := rt.RunString("typeof (" + src + ")")
		if err != nil {
			t.Fatal(src, err)
		}
		if got := TypeOf(v); got != want.String() {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

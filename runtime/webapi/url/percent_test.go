package url

import (
	"testing"

	"github.com/dop251/goja"
)

// https://url.spec.whatwg.org/#component-percent-encode-set says that the result is encodeURIComponent's.
func TestPercentEncodeComponent(t *testing.T) {
	vm := goja.New()
	encode, ok := goja.AssertFunction(vm.Get("encodeURIComponent"))
	if !ok {
		t.Fatal("no encodeURIComponent")
	}
	texts := []string{"", "plain", "a/b c.html", "ü€😀", "100%"}
	for b := range 0x80 {
		texts = append(texts, "x"+string(rune(b))+"y")
	}
	for _, text := range texts {
		want, err := encode(nil, vm.ToValue(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := PercentEncodeComponent(text); got != want.String() {
			t.Errorf("%q: %s, encodeURIComponent gives %s", text, got, want)
		}
		if back := PercentDecode(PercentEncodeComponent(text)); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	}
}

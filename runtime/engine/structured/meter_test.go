package structured

import (
	"testing"

	"github.com/dop251/goja"
)

// What a value takes is told before it is taken, and again and again while there is more; the message may be given up.
func TestNeed(t *testing.T) {
	vm := goja.New()
	c := New(vm, Options{})
	var told, calls int64
	c.Need = func(bytes int64) { told, calls = max(told, bytes), calls+1 }
	for _, js := range []string{
		`Array(16).fill("x".repeat(1 << 20))`, `Array(16).fill("é€".repeat(1 << 19))`, `Array(20000).fill([])`,
		`Array.from({ length: 16 }, () => new Uint8Array(1 << 20))`,
	} {
		v, err := vm.RunString(js)
		if err != nil {
			t.Fatal(err)
		}
		told, calls = 0, 0
		b, err := c.Encode(v, EncodeOptions{})
		if err != nil || calls < 4 || told < int64(len(b.Data)) {
			t.Errorf("%s: %d bytes, told of %d in %d calls, %v", js, len(b.Data), told, calls, err)
		}
	}
	v, _ := vm.RunString(`Array.from({ length: 20000 }, () => [])`)
	b, err := c.Encode(v, EncodeOptions{})
	if calls = 0; err != nil {
		t.Fatal(err)
	}
	if _, err := c.Decode(b.Data, DecodeOptions{}); err != nil || calls < 4 {
		t.Errorf("%d calls, %v", calls, err)
	}
	c.Need = func(int64) { panic("given up") }
	defer func() {
		if recover() != "given up" {
			t.Error("the message was not given up")
		}
	}()
	_, err = c.Encode(v, EncodeOptions{})
	t.Error(err)
}

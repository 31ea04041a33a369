package objectjs

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// Stored values are shown as JSON, with the types that JSON lacks named.
func TestRenderValue(t *testing.T) {
	for source, want := range map[string]string{
		`"text"`:                 `"text"`,
		`({a: [1, null, true]})`: `{"a":[1,null,true]}`,
		`undefined`:              `undefined`,
		`new Map([["a", 1]])`:    `{"Map":[["a",1]]}`,
		`new Set([1, 2])`:        `{"Set":[1,2]}`,
		`12n`:                    `"12n"`,
		`new Date(0)`:            `"1970-01-01T00:00:00.000Z"`,
		`new Uint8Array([1,2])`:  `{"Uint8Array":["1","2"]}`,
	} {
		vm := goja.New()
		v, err := vm.RunString(source)
		if err != nil {
			t.Fatal(err)
		}
		b, err := structured.New(vm, structured.Options{}).Encode(v, structured.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := RenderValue(b.Data); err != nil || got != want {
			t.Errorf("%s is shown as %s, %v; want %s", source, got, err, want)
		}
	}
	if _, err := RenderValue([]byte{1, 2, 3}); err == nil {
		t.Error("bytes that are no value were shown")
	}
}

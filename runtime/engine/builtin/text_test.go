package builtin_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// A long text becomes the same UTF-8 as a short one, also where a part ends between the halves of a pair, and lone
// halves become U+FFFD.
func TestUTF8(t *testing.T) {
	for _, unit := range []string{"x", "é", "𝄞", "x𝄞", "ab𝄞", "\u1234x"} {
		want := strings.Repeat(unit, 300_000/len(unit))
		s := goja.StringFromUTF16(utf16.Encode([]rune(want)))
		if builtin.UTF8(s) != want {
			t.Errorf("%s: another text", unit)
		}
		if string(builtin.UTF8Bytes(s)) != want || builtin.UTF8Length(s) != len(want) {
			t.Errorf("%s: other bytes, or another length", unit)
		}
		if builtin.ASCII(s) != (unit == "x") {
			t.Errorf("%s: ASCII is %v", unit, builtin.ASCII(s))
		}
	}
	lone := make([]uint16, 200_000)
	for i := range lone {
		lone[i] = 0xd834 - 0x400*uint16(i%2) // low halves before high ones
		if i%3 == 0 {
			lone[i] = 'x'
		}
	}
	if s := goja.StringFromUTF16(lone); builtin.UTF8(s) != string(utf16.Decode(lone)) {
		t.Error("lone halves: another text")
	}
	late := goja.StringFromUTF16(append(utf16.Encode([]rune(strings.Repeat("x", 200_000))), 0xe9))
	if builtin.ASCII(late) || !strings.HasSuffix(builtin.UTF8(late), "xé") {
		t.Error("one letter beyond ASCII at the end is not seen")
	}
}

// What is made of a long text takes no more than its own bytes.
func TestUTF8TakesItsLength(t *testing.T) {
	s := goja.StringFromUTF16(utf16.Encode([]rune(strings.Repeat("é𝄞", 1<<18))))
	length := uint64(builtin.UTF8Length(s))
	for name, f := range map[string]func(){
		"UTF8": func() { builtin.UTF8(s) }, "UTF8Bytes": func() { builtin.UTF8Bytes(s) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > length+1<<20 {
			t.Errorf("%s has taken %d bytes for %d", name, took, length)
		}
	}
}

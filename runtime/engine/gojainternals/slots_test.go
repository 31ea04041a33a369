package gojainternals

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A slot that was found has the value of its key and of no other, whatever becomes of the map.
func TestSlots(t *testing.T) {
	rt := goja.New()
	value := func(n int) goja.Value { return rt.ToValue(fmt.Sprint("value", n)) }
	key := func(n int) unistring.String { return unistring.String(fmt.Sprint("key", n)) }
	of, known := map[unistring.String]goja.Value{}, map[int]uint32{}
	for n := range 200 {
		of[key(n)] = value(n)
		if number, ok := slotWith(of, key(n)); ok {
			known[n] = number
		} else if n < 8 {
			t.Fatalf("key %d of %d is in no slot", n, len(of))
		}
		if n%3 == 2 {
			delete(of, key(n/3))
		}
		for k := range n + 3 {
			for _, number := range []uint32{known[k], known[k] + 1, uint32(k), 1 << 20} {
				at, want := slotAt(of, number, key(k)), of[key(k)]
				if at != nil && (want == nil || *at != want) {
					t.Fatalf("slot %d of %d keys has %v for key %d, expected %v", number, len(of), *at, k, want)
				}
			}
		}
		if at := slotAt(of, known[n], key(n)); at != nil {
			*at = value(-n)
			if of[key(n)] != *at {
				t.Fatalf("key %d of %d has another value than its slot", n, len(of))
			}
		}
	}
	if slotAt(nil, 0, "a") != nil || slotAt(map[unistring.String]goja.Value{}, 3, "") != nil {
		t.Fatal("an empty map has a slot")
	}
}

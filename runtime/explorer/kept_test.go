package explorer

import "testing"

// The latest are kept, and no more.
func TestKept(t *testing.T) {
	var k kept[int]
	var keys []string
	for n := range mostKept + 3 {
		keys = append(keys, k.keep(n))
	}
	for n, key := range keys {
		if v, ok := k.get(key); ok != (n >= 3) || ok && v != n {
			t.Errorf("%d: %d, %v", n, v, ok)
		}
	}
	if _, ok := k.get(""); ok || len(k.last) != mostKept {
		t.Errorf("%d are kept", len(k.last))
	}
}

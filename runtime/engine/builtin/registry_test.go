package builtin

import (
	"testing"

	"github.com/dop251/goja"
)

func TestRegistry(t *testing.T) {
	var numbers Registry[int]
	first, second, n := goja.New(), goja.New(), 7
	numbers.Put(first, &n)
	if got := numbers.Of(first); got == nil || *got != 7 {
		t.Errorf("got %v of the runtime that has 7", got)
	}
	if got := numbers.Of(second); got != nil {
		t.Errorf("got %d of a runtime that has nothing", *got)
	}
}

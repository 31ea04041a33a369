package webidl

import (
	"runtime"

	"github.com/dop251/goja"
)

// contain is deferred by every function that scripts can call. An error of ours in such a function, a nil map or an
// assertion, is thrown to the script, so that only the event fails that met it.
func (r *Realm) contain() {
	if r.Panicked == nil {
		return
	}
	x := recover()
	if x == nil {
		return
	}
	if ours(x) {
		panic(r.Panicked(x))
	}
	panic(x)
}

// ours tells a mistake in Go from what the engine throws and must get back.
func ours(x any) bool {
	switch x.(type) {
	case goja.Value, *goja.Exception, *goja.InterruptedError, *goja.StackOverflowError:
		return false
	case runtime.Error, error, string:
		return true
	}
	return false // errors of the engine that it has not made objects of
}

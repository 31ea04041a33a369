package fetch

import "github.com/dop251/goja"

// networkError is what a failed connection or body looks like to scripts (RT10).
func (k *classes) networkError(err error) goja.Value {
	e := k.h.Realm.NewError("Error", "Network connection lost.")
	for _, name := range []string{"retryable", "remote"} {
		_ = e.Set(name, true)
	}
	return e
}

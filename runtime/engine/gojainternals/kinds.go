package gojainternals

import (
	"reflect"

	"github.com/dop251/goja"
)

// These are the types that goja.Object.ExportType returns for objects of these kinds. The question runs no trap and no
// accessor.
var (
	ProxyType       = reflect.TypeFor[goja.Proxy]()
	PromiseType     = reflect.TypeFor[*goja.Promise]()
	ArrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
)

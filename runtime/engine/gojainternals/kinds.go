package gojainternals

import (
	"reflect"

	"github.com/dop251/goja"
)

// goja.Object.ExportType returns these types for objects of these kinds, and runs no trap and no accessor.
var (
	ProxyType       = reflect.TypeFor[goja.Proxy]()
	PromiseType     = reflect.TypeFor[*goja.Promise]()
	ArrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
)

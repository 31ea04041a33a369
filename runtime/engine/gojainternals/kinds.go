package gojainternals

import (
	"reflect"

	"github.com/dop251/goja"
)

// What goja.Object.ExportType gives for objects of these kinds. It runs no trap and no accessor.
var (
	ProxyType       = reflect.TypeFor[goja.Proxy]()
	PromiseType     = reflect.TypeFor[*goja.Promise]()
	ArrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
)

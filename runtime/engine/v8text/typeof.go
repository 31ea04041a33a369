package v8text

import (
	"github.com/dop251/goja"
)

// TypeOf is JavaScript's typeof; nil counts as undefined.
func TypeOf(v goja.Value) string {
	switch x := v.(type) {
	case *goja.Symbol:
		return "symbol"
	case *goja.Object:
		if _, ok := goja.AssertFunction(x); ok {
			return "function"
		}
		return "object"
	}
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "object"
	case goja.IsString(v):
		return "string"
	case goja.IsBigInt(v):
		return "bigint"
	case goja.IsNumber(v):
		return "number"
	}
	return "boolean"
}

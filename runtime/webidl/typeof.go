package webidl

import "github.com/dop251/goja"

// TypeOf is JavaScript's typeof.
func TypeOf(v goja.Value) string {
	switch v := v.(type) {
	case *goja.Symbol:
		return "symbol"
	case *goja.Object:
		if _, ok := goja.AssertFunction(v); ok {
			return "function"
		}
		return "object"
	}
	switch {
	case goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "object"
	case goja.IsString(v):
		return "string"
	case goja.IsNumber(v):
		return "number"
	case goja.IsBigInt(v):
		return "bigint"
	}
	return "boolean"
}

package webidl

import "github.com/dop251/goja"

// Primitive is a primitive value as a value of Go, nil for an object. goja would export an object as a whole: a sparse
// array with all the elements that it says it has.
func Primitive(v goja.Value) any {
	if _, object := v.(*goja.Object); object || v == nil {
		return nil
	}
	return v.Export()
}

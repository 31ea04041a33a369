package webidl

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// What iterators of platform classes give: objects and arrays that are made as those of literals are. Their properties
// are defined, not set: a setter on Object.prototype does not see them.

// stepShape is what results of iterators have in common; nil if they are made one by one.
func stepShape(in *gojainternals.Layout) *gojainternals.Shape {
	return in.NewShape([]gojainternals.Name{"done", "value"})
}

// Step is the result of an iterator's method next.
func (r *Realm) Step(value goja.Value, done bool) *goja.Object {
	if r.steps != nil && r.steps.Pays() {
		return r.in.Shaped(r.rt, r.steps, []goja.Value{r.in.Truth(done), value})
	}
	res := r.rt.NewObject()
	_ = res.DefineDataProperty("done", r.in.Truth(done), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	_ = res.DefineDataProperty("value", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return res
}

// Array makes an array of values.
func (r *Realm) Array(values ...goja.Value) *goja.Object { return r.in.NewArray(r.rt, values) }

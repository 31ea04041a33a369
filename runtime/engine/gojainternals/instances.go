package gojainternals

import "github.com/dop251/goja"

// goja's Function.prototype[Symbol.hasInstance] refuses a Proxy, so `x instanceof new Proxy(C, {})` throws. What a
// proxy answers for that symbol is therefore a function of ours, unless its class has one of its own.

// instanceOfProxy returns the answer of a proxy for Symbol.hasInstance. If ok is set, a trap has answered v. ok of the
// result is false where goja shall look the symbol up by itself.
func instanceOfProxy(rt *goja.Runtime, target *goja.Object, v goja.Value, ok bool) (goja.Value, bool) {
	found := v
	if !ok {
		found = target.GetSymbol(goja.SymHasInstance)
	}
	function := rt.Get("Function").ToObject(rt).Get("prototype").ToObject(rt)
	if found == nil || !function.GetSymbol(goja.SymHasInstance).SameAs(found) {
		return v, ok
	}
	return rt.ToValue(ordinaryHasInstance), true
}

// ordinaryHasInstance is OrdinaryHasInstance of the standard, for what is not a bound function.
func ordinaryHasInstance(fc goja.FunctionCall, rt *goja.Runtime) goja.Value {
	class, isObject := fc.This.(*goja.Object)
	if _, callable := goja.AssertFunction(fc.This); !isObject || !callable {
		return rt.ToValue(false)
	}
	o, isObject := fc.Argument(0).(*goja.Object)
	if !isObject {
		return rt.ToValue(false)
	}
	prototype, isObject := class.Get("prototype").(*goja.Object)
	if !isObject {
		panic(rt.NewTypeError("Function has non-object prototype '%v' in instanceof check", class.Get("prototype")))
	}
	for p := o.Prototype(); p != nil; p = p.Prototype() {
		if p.SameAs(prototype) {
			return rt.ToValue(true)
		}
	}
	return rt.ToValue(false)
}

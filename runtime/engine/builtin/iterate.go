package builtin

import "github.com/dop251/goja"

// ForOf goes over an iterable as for-of does, until step returns false. Unlike goja's it refuses an iterator whose next
// is no function, which goja's calls all the same. What scripts throw it throws.
func (b *Builder) ForOf(iterable goja.Value, step func(v goja.Value) bool) {
	of := iterable.ToObject(b.Runtime)
	begin, ok := goja.AssertFunction(of.GetSymbol(goja.SymIterator))
	if !ok {
		panic(b.Runtime.NewTypeError("object is not iterable"))
	}
	iterator, ok := on(begin, iterable).(*goja.Object)
	if !ok {
		panic(b.Runtime.NewTypeError("Result of the Symbol.iterator method is not an object"))
	}
	next, ok := goja.AssertFunction(iterator.Get("next"))
	if !ok {
		panic(b.Runtime.NewTypeError("iterator.next is missing or not a function"))
	}
	closing := func() {
		if end, ok := goja.AssertFunction(iterator.Get("return")); ok {
			on(end, iterator)
		}
	}
	for {
		result, ok := on(next, iterator).(*goja.Object)
		if !ok {
			panic(b.Runtime.NewTypeError("Iterator result is not an object"))
		}
		if done := result.Get("done"); done != nil && done.ToBoolean() {
			return
		}
		v := result.Get("value")
		if v == nil {
			v = goja.Undefined()
		}
		more := false
		if ex := b.Runtime.Try(func() { more = step(v) }); ex != nil {
			_ = b.Runtime.Try(closing)
			panic(ex)
		}
		if !more {
			closing()
			return
		}
	}
}

// on calls a method and throws what it throws.
func on(method goja.Callable, this goja.Value) goja.Value {
	v, err := method(this)
	if err != nil {
		panic(err)
	}
	return v
}

package ecma

import (
	"slices"

	"github.com/dop251/goja"
)

// installTypedArrayFrom mends %TypedArray%.from for primitives, which goja refuses ("Value is not an object"): a string
// is made an array of its characters first. It is the usual way to turn what atob returns into bytes. Another typed
// array is copied at once where its iterator would do nothing else.
func (e *Engine) installTypedArrayFrom() error {
	typedArray := e.object("Uint8Array").Prototype()
	orig, ok := goja.AssertFunction(typedArray.Get("from"))
	if !ok {
		return nil
	}
	arrayFrom, _ := goja.AssertFunction(e.object("Array").Get("from"))
	iteration, err := e.readIteration(typedArray)
	if err != nil {
		return err
	}
	e.method(typedArray, "from", 1, func(call goja.FunctionCall) goja.Value {
		args := call.Arguments
		if len(args) == 1 && iteration.copies(e, call.This, args[0]) {
			o, err := e.rt.New(call.This, args[0])
			if err != nil {
				panic(err)
			}
			return o
		}
		if len(args) > 0 && goja.IsString(args[0]) {
			chars, err := arrayFrom(goja.Undefined(), args[0])
			if err != nil {
				panic(err)
			}
			args = append([]goja.Value{chars}, args[1:]...)
		} else if len(args) > 0 && !goja.IsUndefined(args[0]) && !goja.IsNull(args[0]) {
			args = append([]goja.Value{args[0].ToObject(e.rt)}, args[1:]...) // a number has no elements
		}
		v, err := orig(call.This, args...)
		if err != nil {
			panic(err)
		}
		return v
	})
	return nil
}

// iteration is what typed arrays are iterated with before any script runs.
type iteration struct {
	shared       *goja.Object // the prototype that all typed arrays have in common
	values       goja.Value   // its iterator method
	iterator     *goja.Object // the prototype of iterators of arrays
	next         goja.Value
	constructors []goja.Value
	prototypes   []*goja.Object
}

func (e *Engine) readIteration(typedArray *goja.Object) (*iteration, error) {
	it := &iteration{shared: typedArray.Get("prototype").(*goja.Object)}
	it.values = it.shared.GetSymbol(goja.SymIterator)
	for name := range elements {
		c := e.object(name)
		it.constructors = append(it.constructors, c)
		it.prototypes = append(it.prototypes, c.Get("prototype").(*goja.Object))
	}
	values, _ := goja.AssertFunction(it.values)
	empty, err := e.rt.New(it.constructors[0])
	if err != nil {
		return nil, err
	}
	v, err := values(empty)
	if err != nil {
		return nil, err
	}
	it.iterator = v.(*goja.Object).Prototype()
	it.next = it.iterator.Get("next")
	return it, nil
}

// copies tells whether a constructor's own way of copying a typed array does what iterating does.
func (it *iteration) copies(e *Engine, constructor, source goja.Value) bool {
	o, ok := source.(*goja.Object)
	if !ok || !slices.Contains(it.constructors, constructor) || !slices.Contains(it.prototypes, o.Prototype()) {
		return false
	}
	if _, _, ok := e.in.TypedMemory(o); !ok {
		return false
	}
	_, next, ok := e.in.Found(it.iterator, "next")
	return ok && next == it.next && it.shared.GetSymbol(goja.SymIterator) == it.values && len(o.Symbols()) == 0 &&
		!slices.Contains(o.Prototype().Symbols(), goja.SymIterator)
}

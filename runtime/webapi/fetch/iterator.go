package fetch

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// walker is the state of an iterator over a list of known or growing length.
type walker struct {
	next int
	// item is element i; ok is false at the end.
	item func(i int) (v goja.Value, ok bool)
}

// iterate makes an iterator over n elements.
func (k *classes) iterate(n int, item func(i int) goja.Value) goja.Value {
	return k.iterator().Wrap(&walker{item: func(i int) (goja.Value, bool) {
		if i >= n {
			return nil, false
		}
		return item(i), true
	}})
}

// iterateLive makes an iterator over a list that may change meanwhile.
func (k *classes) iterateLive(item func(i int) (goja.Value, bool)) goja.Value {
	return k.iterator().Wrap(&walker{item: item})
}

// iterator is the class of all iterators here; it is made when first needed.
func (k *classes) iterator() *webidl.Interface {
	if k.walkers != nil {
		return k.walkers
	}
	k.walkers = k.h.Realm.Define(webidl.Spec{Name: "EntryIterator", Members: []webidl.Member{
		webidl.Method("next", func(w *walker, c *webidl.Call) goja.Value {
			v, ok := w.item(w.next)
			if ok {
				w.next++
			} else {
				v = goja.Undefined()
			}
			return c.Realm().Step(v, !ok)
		}),
	}})
	_ = k.walkers.Prototype.SetPrototype(k.iteratorProto)
	return k.walkers
}

// iteratorPrototype is %IteratorPrototype%.
func iteratorPrototype(rt *goja.Runtime) *goja.Object {
	array := rt.NewArray()
	values, ok := goja.AssertFunction(array.GetSymbol(goja.SymIterator))
	if !ok {
		panic("fetch: arrays have no iterator")
	}
	it, err := values(array)
	if err != nil {
		panic(err)
	}
	return it.ToObject(rt).Prototype().Prototype()
}

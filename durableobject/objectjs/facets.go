package objectjs

import (
	"github.com/dop251/goja"

	"eddy/durableobject/storage"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// facet is a child object of an instance: a class of its own, a database of its own, in the same isolate (CL14).
type facet struct {
	parent *instance
	name   string
	start  goja.Callable // gives {class, id}
	// home serves the facet once start has been asked; waiting is what came before.
	home    *home
	asked   bool
	waiting []func(*home, *rpc.RemoteError)
}

// Limits of CL14: how long a name may be, in bytes, and how deep the tree, the object itself included.
const (
	maxFacetName  = 256
	maxFacetDepth = 4
)

const errFacetDepth = "Facet nesting depth limit exceeded. The maximum depth including the root Durable Object is 4."

// errFacetDeleted is what callers in progress hear when a facet is deleted.
var errFacetDeleted = &rpc.RemoteError{Name: "Error", Message: "Facet was deleted.", Reset: true}

// classStub is the state of an object class in ctx.exports that has no namespace. Facets can be made of it.
type classStub struct{ rpc.Fetcher }

// newFacets is ctx.facets.
func (k *kit) newFacets(i *instance) *goja.Object {
	if k.facets == nil {
		k.facets = k.iso.Realm.Define(webidl.Spec{Name: "DurableObjectFacets", Members: []webidl.Member{
			webidl.Method("get", func(i *instance, c *webidl.Call) goja.Value { return i.facet(c) }),
			webidl.Method("abort", func(i *instance, c *webidl.Call) goja.Value {
				name := facetName(c)
				f := rpc.Fail(errAborted)
				if !c.Missing(1) {
					f = k.rpc.Thrown(c.Arg(1))
				}
				i.dropFacet(name, f.With(func(f *rpc.RemoteError) { f.Reset, f.Remote = true, false }))
				return nil
			}),
			webidl.Method("delete", func(i *instance, c *webidl.Call) goja.Value {
				name := facetName(c)
				i.dropFacet(name, errFacetDeleted)
				if n, ok := i.facetNumbers().Find(i.number, name); ok {
					i.deleteFacets(append(i.facetNumbers().Under(n), n))
				}
				return nil
			}),
			webidl.Method("clone", func(i *instance, c *webidl.Call) goja.Value {
				from, to := facetName(c), facetNameAt(c, 1)
				i.cloneFacet(from, to)
				return nil
			}),
		}})
	}
	return k.facets.Wrap(i)
}

// facetName is the first argument of every method; clone has two.
func facetName(c *webidl.Call) string { return facetNameAt(c, 0) }

func facetNameAt(c *webidl.Call, n int) string {
	name := c.String(n)
	switch {
	case len(name) > maxFacetName:
		c.ThrowType("Facet name is too long (max 256 characters).")
	case name == "":
		c.ThrowType("Facet name cannot be empty.")
	}
	return name
}

// root is the instance of the object itself: the parent of all parents.
func (i *instance) root() *instance {
	for i.h.parent != nil {
		i = i.h.parent
	}
	return i
}

// facetNumbers is the object's list of facets, read when it is first asked for.
func (i *instance) facetNumbers() *storage.Facets {
	root := i.root()
	if root.numbers == nil {
		ns, err := root.h.storage()
		i.fail(err)
		root.numbers, err = ns.Facets(root.storeID)
		i.fail(err)
	}
	return root.numbers
}

// deleteFacets deletes what facets stored.
func (i *instance) deleteFacets(numbers []int) {
	ns, err := i.h.storage()
	i.fail(err)
	i.fail(ns.DeleteFacets(i.root().storeID, numbers, i.facetsKept()))
}

// facetsKept holds back what the instance says until what was done to its facets is kept, in a cluster. Elsewhere
// that is so when it is called.
func (i *instance) facetsKept() func(error) {
	if i.h.ns.objs.opts.Cluster == nil {
		return func(error) {}
	}
	confirm, loop := i.object.Output.Lock(), i.h.iso.Loop
	return func(err error) { loop.Post(func() { i.confirmed(confirm, err) }) }
}

// errFacetReplaced is what callers of a facet hear when another's data take the place of its own.
var errFacetReplaced = &rpc.RemoteError{Name: "Error", Message: "Facet was cloned-over."}

// cloneFacet gives the facet to what the facet from has stored, with all facets below it, in the place of what it had
// itself (BIND-162). What from has not committed is committed first: each facet's turn ends before its parent's goes
// on.
func (i *instance) cloneFacet(from, to string) {
	i.dropFacet(to, errFacetReplaced)
	if from == to {
		return
	}
	if f := i.facets[from]; f != nil {
		f.commit()
	}
	numbers := i.facetNumbers()
	if n, ok := numbers.Find(i.number, to); ok {
		i.deleteFacets(append(numbers.Under(n), n))
	}
	src, ok := numbers.Find(i.number, from)
	if !ok {
		return
	}
	dst, err := numbers.Number(i.number, to)
	i.fail(err)
	ns, err := i.h.storage()
	i.fail(err)
	i.fail(ns.CopyFacet(i.root().storeID, numbers, src, dst, i.facetsKept()))
}

// commit ends the turn of the facet, if it runs, and of those below it.
func (f *facet) commit() {
	if f.home == nil {
		return
	}
	for _, o := range f.home.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok && !inst.gone {
			inst.finishTurn()
			for _, below := range inst.facets {
				below.commit()
			}
		}
	}
}

// deleteAllFacets drops every facet below i, with what it stored. The object's deleteAll calls it.
func (i *instance) deleteAllFacets() {
	for name := range i.facets {
		i.dropFacet(name, errFacetDeleted)
	}
	if numbers := i.facetNumbers().Under(i.number); len(numbers) > 0 {
		i.deleteFacets(numbers)
	}
}

// depth counts the levels above i.
func (i *instance) depth() (n int) {
	for ; i.h.parent != nil; i = i.h.parent {
		n++
	}
	return n
}

func (i *instance) facet(c *webidl.Call) goja.Value {
	name := facetName(c)
	start := c.Function(1)
	if i.depth()+1 >= maxFacetDepth {
		i.h.iso.Realm.ThrowError("Error", errFacetDepth)
	}
	f := i.facets[name]
	if f == nil {
		f = &facet{parent: i, name: name, start: start}
		if i.facets == nil {
			i.facets = map[string]*facet{}
		}
		i.facets[name] = f
	}
	fc := &facetClient{f: f, client: &client{ns: i.h.ns, id: i.object.ID, conn: &connection{}}}
	return i.h.kit.rpc.NewFetcher(&rpc.Fetcher{Client: fc, Fetch: fc.client.through(i.h.kit, fc.carry),
		Class: "DurableObject"})
}

// dropFacet resets a running facet; its start callback is asked again at the next use.
func (i *instance) dropFacet(name string, f *rpc.RemoteError) {
	fa := i.facets[name]
	if fa == nil {
		return
	}
	delete(i.facets, name)
	fa.drop(f)
}

func (f *facet) drop(failure *rpc.RemoteError) {
	if f.home == nil {
		return
	}
	for _, o := range f.home.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok {
			inst.finishTurn()
			if exchanged(failure) {
				inst.discard(failure) // a reload or the end of the session resets every object: no news
				continue
			}
			inst.reset(failure)
		}
	}
	// The sockets of a facet that hibernates are lost.
	for key, s := range f.home.sockets {
		delete(f.home.sockets, key)
		s.lose()
	}
}

// facetClient is what a facet's stub points at. Only its own isolate ever uses it.
type facetClient struct {
	f      *facet
	client *client
}

// post runs fn with the facet's home once that is known.
func (c *facetClient) post(fn func(*home, *rpc.RemoteError)) bool {
	return c.f.parent.h.iso.Loop.Post(func() { c.f.with(fn) })
}

// carry is post for a request.
func (c *facetClient) carry(_ *fetch.OutRequest, fn func(*home, *rpc.RemoteError)) bool {
	return c.post(fn)
}

// Send implements [rpc.Client].
func (c *facetClient) Send(op *rpc.Op) {
	if !c.post(func(h *home, failure *rpc.RemoteError) {
		if failure != nil {
			op.Fail(failure)
			return
		}
		h.call(c.client, op)
	}) {
		op.Fail(rpc.Disconnected())
	}
}

// Dup implements [rpc.Client].
func (c *facetClient) Dup() rpc.Client { return c }

// Release implements [rpc.Client].
func (c *facetClient) Release() {}

// Home implements [rpc.Client].
func (c *facetClient) Home() *eventloop.Loop { return c.f.parent.h.iso.Loop }

// with asks the start callback, once, for the class.
func (f *facet) with(fn func(*home, *rpc.RemoteError)) {
	i := f.parent
	if i.gone {
		fn(nil, errReloaded)
		return
	}
	if f.home != nil {
		fn(f.home, nil)
		return
	}
	f.waiting = append(f.waiting, fn)
	if f.asked {
		return
	}
	f.asked = true
	i.begin()
	done := func(h *home, failure *rpc.RemoteError) {
		f.home, f.asked = h, false
		waiting := f.waiting
		f.waiting = nil
		for _, w := range waiting {
			w(h, failure)
		}
		i.end()
	}
	i.scope.EnterNow(func() {
		realm := i.h.iso.Realm
		fail := func(v goja.Value) { done(nil, i.h.kit.rpc.Thrown(v)) }
		var result goja.Value
		if ex := realm.Try(func() {
			v, err := f.start(goja.Undefined())
			if err != nil {
				panic(realm.ErrorValue(err))
			}
			result = v
		}); ex != nil {
			fail(ex)
			return
		}
		realm.Then(result, func(v goja.Value) {
			var h *home
			if ex := realm.Try(func() { h = f.open(v) }); ex != nil {
				fail(ex)
				return
			}
			done(h, nil)
		}, fail)
	})
}

// open makes the facet's home from what the start callback returned.
func (f *facet) open(v goja.Value) *home {
	i := f.parent
	realm := i.h.iso.Realm
	obj, _ := v.(*goja.Object)
	cls := f.class(webidl.Option(obj, "class"))
	if cls == nil {
		realm.ThrowType("Incorrect type for the 'class' field on 'StartupOptions': the provided value is not of " +
			"type 'DurableObjectClass'.")
	}
	number, err := i.facetNumbers().Number(i.number, f.name)
	i.fail(err)
	h := newHome(i.h.ns, i.h.iso)
	h.parent, h.facet, h.facetClass = i, number, cls
	h.facetID = i.idValue()
	if id := webidl.Option(obj, "id"); id != nil && !goja.IsUndefined(id) {
		if _, ok := webidl.StateOf[*objectID](realm, id); !ok {
			id = realm.Runtime().ToValue(webidl.ToString(id))
		}
		h.facetID = id
	}
	h.store = i.h.store
	return h
}

// class returns the class that the start callback gave: one of ctx.exports, with or without a namespace. It returns nil
// if the callback gave something else.
func (f *facet) class(v goja.Value) *classStub {
	realm := f.parent.h.iso.Realm
	if cls, ok := webidl.StateOf[*classStub](realm, v); ok {
		return cls
	}
	if n, ok := webidl.StateOf[*namespace](realm, v); ok && n.class.Worker == f.parent.h.iso.Name {
		return &classStub{rpc.Fetcher{Token: &rpc.Token{Worker: n.class.Worker, Entrypoint: n.class.Name, Class: true}}}
	}
	return nil
}

// newClassStub makes an object class of ctx.exports: callable with props.
func (k *kit) newClassStub(t rpc.Token) *goja.Object {
	t.Class = true
	s := &classStub{rpc.Fetcher{Token: &t, Class: "DurableObjectClass",
		Client: rpc.Broken{Failure: rpc.FailType("A Durable Object class has no methods of its own.")}}}
	fn := k.iso.Realm.Function(t.Entrypoint, func(fc goja.FunctionCall) goja.Value {
		with := t
		if o, ok := fc.Argument(0).(*goja.Object); ok {
			with.Props = k.rpc.EncodeProps(webidl.Option(o, "props"))
		}
		return k.newClassStub(with)
	})
	k.iso.Realm.SetState(fn, s)
	return fn
}

// exportClasses adds the object classes without a namespace to ctx.exports, and lets stored ones come back.
func (k *kit) exportClasses() {
	k.rpc.AddDirectory(func(t *rpc.Token) (*goja.Object, bool) {
		if !t.Class || t.Worker != k.iso.Name {
			return nil, false
		}
		return k.newClassStub(*t), true
	})
	k.iso.AddCtxExports(func(iso *worker.Isolate, into *goja.Object) {
		for _, name := range iso.ExportNames() {
			v, ok := iso.Export(name).(*goja.Object)
			if !ok || into.Get(name) != nil {
				continue
			}
			if _, isFn := goja.AssertFunction(v); isFn && iso.Extends(v, iso.DurableObjectClass()) {
				t := rpc.Token{Worker: iso.Name, Entrypoint: name, Lasting: iso.Flags.Enabled(rpc.StoreFlag)}
				_ = into.DefineDataProperty(name, k.newClassStub(t),
					goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
	})
}

package objectjs

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/dop251/goja"

	"eddy/runtime/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webidl"
	"eddy/runtime/worker"
)

// facet is a child object of an instance: a class of its own, a database of its own, in the same isolate (CL14).
type facet struct {
	parent *instance
	name   string
	start  goja.Callable // gives {class, id}
	// host serves the facet once start has been asked; waiting is what came before.
	host    *host
	asked   bool
	waiting []func(*host, *rpc.Failure)
}

// classStub is the state of an object class in ctx.exports that has no namespace: it can be made a facet of.
type classStub struct{ rpc.Fetcher }

const maxFacetName = 256

// newFacets is ctx.facets.
func (k *kit) newFacets(i *instance) *goja.Object {
	if k.facets == nil {
		k.facets = k.iso.Realm.Define(webidl.Spec{Name: "DurableObjectFacets", Members: []webidl.Member{
			webidl.Method("get", func(i *instance, c *webidl.Call) goja.Value { return i.facet(c) }),
			webidl.Method("abort", func(i *instance, c *webidl.Call) goja.Value {
				text := errAborted
				if !c.Missing(1) {
					text = webidl.ToString(c.Arg(1))
				}
				i.dropFacet(c.String(0), rpc.Fail(text).With(func(f *rpc.Failure) { f.Reset = true }))
				return nil
			}),
			webidl.Method("delete", func(i *instance, c *webidl.Call) goja.Value {
				name := c.String(0)
				i.dropFacet(name, rpc.Fail("The facet was deleted.").With(func(f *rpc.Failure) { f.Reset = true }))
				ns, err := i.h.storage()
				i.fail(err)
				s := ns.Store(facetID(i, name))
				i.fail(s.DeleteAll(false))
				i.fail(s.Commit())
				return nil
			}),
		}})
	}
	return k.facets.Wrap(i)
}

// facetID names the facet's file: the parent's, and what stands for the facet's name.
func facetID(i *instance, name string) string {
	sum := sha256.Sum256([]byte(name))
	return i.storeID + "." + hex.EncodeToString(sum[:6])
}

func (i *instance) facet(c *webidl.Call) goja.Value {
	name := c.String(0)
	start := c.Function(1)
	if len(name) > maxFacetName {
		c.ThrowType("Facet name is too long (max 256 characters).")
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
	return i.h.kit.rpc.NewFetcher(&rpc.Fetcher{Client: fc, Fetch: fc.client.through(i.h.kit, fc.post), Class: "DurableObject"})
}

// dropFacet resets a running facet; its start callback is asked again at the next use.
func (i *instance) dropFacet(name string, f *rpc.Failure) {
	fa := i.facets[name]
	if fa == nil {
		return
	}
	delete(i.facets, name)
	fa.drop(f)
}

func (f *facet) drop(failure *rpc.Failure) {
	if f.host == nil {
		return
	}
	for _, o := range f.host.live.Objects() {
		if inst, ok := o.Actor.(*instance); ok {
			inst.finishTurn()
			inst.reset(failure)
		}
	}
}

// facetClient is what a facet's stub points at. Only its own isolate ever uses it.
type facetClient struct {
	f      *facet
	client *client
}

// post runs fn with the facet's host once that is known.
func (c *facetClient) post(fn func(*host, *rpc.Failure)) bool {
	return c.f.parent.h.iso.Loop.Post(func() { c.f.with(fn) })
}

// Send implements [rpc.Client].
func (c *facetClient) Send(op *rpc.Op) {
	if !c.post(func(h *host, failure *rpc.Failure) {
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
func (f *facet) with(fn func(*host, *rpc.Failure)) {
	i := f.parent
	if i.gone {
		fn(nil, errReloaded)
		return
	}
	if f.host != nil {
		fn(f.host, nil)
		return
	}
	f.waiting = append(f.waiting, fn)
	if f.asked {
		return
	}
	f.asked = true
	i.begin()
	done := func(h *host, failure *rpc.Failure) {
		f.host, f.asked = h, false
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
			var h *host
			if ex := realm.Try(func() { h = f.open(v) }); ex != nil {
				fail(ex)
				return
			}
			done(h, nil)
		}, fail)
	})
}

// open makes the facet's host of what the start callback gave.
func (f *facet) open(v goja.Value) *host {
	i := f.parent
	realm := i.h.iso.Realm
	obj, _ := v.(*goja.Object)
	cls, ok := webidl.StateOf[*classStub](realm, webidl.Option(obj, "class"))
	if !ok {
		realm.ThrowType("Incorrect type for the 'class' field on 'StartupOptions': the provided value is not of type 'DurableObjectClass'.")
	}
	h := newHost(i.h.ns, i.h.iso)
	h.parent, h.facet, h.facetClass = i, facetID(i, f.name), cls
	h.store = i.h.store
	return h
}

// newClassStub makes an object class of ctx.exports: callable with props.
func (k *kit) newClassStub(t rpc.Token) *goja.Object {
	t.Class = true
	s := &classStub{rpc.Fetcher{Token: &t, Class: "DurableObjectClass", Client: rpc.Broken{Failure: rpc.FailType("A Durable Object class has no methods of its own.")}}}
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
				_ = into.DefineDataProperty(name, k.newClassStub(rpc.Token{Worker: iso.Name, Entrypoint: name}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
	})
}

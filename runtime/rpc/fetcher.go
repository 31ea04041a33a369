package rpc

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
)

// ExtraFlag lets a caller send kinds of events over a service binding or stub that are otherwise the platform's own:
// env.SVC.queue(name, messages) (C-31).
const ExtraFlag = "service_binding_extra_handlers"

// Fetcher is the state of a service stub: what service bindings, ctx.exports entries and Durable Object stubs have in
// common.
type Fetcher struct {
	Client Client
	// Fetch sends the requests of fetch().
	Fetch fetch.Transport
	// Connect is the way of connect(); nil means that it is refused.
	Connect func(sockets.Destination) sockets.Way
	// Token is the form in which the stub is stored or sent; nil means that it cannot be.
	Token *Token
	// MakeToken makes the Token when it is first needed, if Token is nil.
	MakeToken func() *Token
	// Class is the name in refusals, "Fetcher" if empty.
	Class string
}

// fetcherState is implemented by the states of all classes with fetch and wildcard members.
type fetcherState interface {
	caller
	Base() *Fetcher
}

// Base lets a class that embeds a Fetcher be one.
func (f *Fetcher) Base() *Fetcher { return f }

func (f *Fetcher) member(k *Kit, name string) (Client, []string) {
	if !k.h.Enabled("rpc") {
		if (name == "queue" || name == "scheduled") && k.h.Enabled(ExtraFlag) {
			return f.Client, []string{name}
		}
		k.h.Realm.Try(func() { k.warnNoRPC(name) })
		return nil, nil
	}
	return f.Client, []string{name}
}

// defineFetcher makes the class that service stubs are instances of, and others extend.
func (k *Kit) defineFetcher() {
	k.fetcher = k.h.Realm.Define(webidl.Spec{
		Name: "Fetcher",
		Members: []webidl.Member{
			webidl.Async("fetch", func(f fetcherState, c *webidl.Call) goja.Value {
				if len(c.Args) == 0 {
					c.ThrowType("Failed to execute 'fetch' on 'Fetcher': parameter 1 is not of type 'Request or " +
						"string'.")
				}
				return fetch.Do(k.h, c.Arg(0), c.Arg(1), f.Base().Fetch)
			}),
			webidl.Method("connect", func(f fetcherState, c *webidl.Call) goja.Value {
				return sockets.Connect(k.h, c.Require(0, "SocketAddress or string"), c.Arg(1), f.Base().Connect)
			}),
		},
	})
	_ = k.fetcher.Prototype.SetPrototype(k.tail)
	k.loopback = k.h.Realm.Define(webidl.Spec{Name: "LoopbackServiceStub", Parent: k.fetcher})
	if k.h.Flag != nil && !k.h.Enabled("fetcher_no_get_put_delete") {
		k.defineLegacy()
	}
}

// FetcherClass is the class for others to extend.
func (k *Kit) FetcherClass() *webidl.Interface { return k.fetcher }

// NewFetcher makes a service stub.
func (k *Kit) NewFetcher(f *Fetcher) *goja.Object { return k.fetcher.Wrap(f) }

// NewLoopback makes a service stub of ctx.exports (CL12): it is also a function, which makes a stub with props. It
// does not cross itself: f should have no Token.
func (k *Kit) NewLoopback(f *Fetcher, call func(props []byte) *goja.Object) *goja.Object {
	f.Class = k.loopback.Name
	return k.callable(
		k.loopback.Prototype, f, func(args []goja.Value) goja.Value { return call(k.PropsOf(k.loopback, args)) })
}

// PropsOf reads the argument of a call of something in ctx.exports and returns the encoded props. class is named in
// errors.
func (k *Kit) PropsOf(class *webidl.Interface, args []goja.Value) []byte {
	if len(args) > 0 {
		if o, ok := args[0].(*goja.Object); ok {
			return k.EncodeProps(webidl.Option(o, "props"))
		}
	}
	k.h.Realm.ThrowType(
		"Failed to execute '(called as function)' on '%s': parameter 1 is not of type 'Options'.", class.Name)
	return nil
}

// FetcherOf is the state behind a service or object stub.
func (k *Kit) FetcherOf(v goja.Value) (*Fetcher, bool) {
	s, ok := k.h.Realm.State(v).(fetcherState)
	if !ok {
		return nil, false
	}
	return s.Base(), true
}

// AddDirectory tells the Kit how to make stubs of tokens that were received or stored. f returns ok false for a token
// that is not of its directory.
func (k *Kit) AddDirectory(f func(t *Token) (stub *goja.Object, ok bool)) {
	k.directories = append(k.directories, f)
}

// StubOf makes the stub that a token names, nil if no directory of the isolate knows it.
func (k *Kit) StubOf(t *Token) *Fetcher {
	if obj := k.stubOf(t); obj != nil {
		stub, _ := k.FetcherOf(obj)
		return stub
	}
	return nil
}

func (k *Kit) stubOf(t *Token) *goja.Object {
	if t.Origin != nil {
		if t.RPCStub {
			return nil
		}
		return k.remake(t)
	}
	for _, f := range k.directories {
		if obj, ok := f(t); ok {
			return obj
		}
	}
	return nil
}

// warnNoRPC writes the warning of RPC22.
func (k *Kit) warnNoRPC(name string) {
	console, ok := k.h.Runtime().Get("console").(*goja.Object)
	if !ok {
		return
	}
	if warn, ok := goja.AssertFunction(console.Get("warn")); ok {
		_, err := warn(console,
			k.h.Runtime().ToValue(
				"WARNING: Tried to access method or property '"+name+
					"' on a Service Binding or Durable Object stub. Are you trying to use RPC? If so, please enable "+
					"the 'rpc' compat flag or update your compat date to 2024-04-03 or later (see "+
					"https://developers.cloudflare.com/workers/configuration/compatibility-dates/ ). If you are not "+
					"trying to use RPC, please note that in the future, this property (and all other property names) "+
					"will appear to be present as an RPC method."))
		if err != nil {
			panic(err)
		}
	}
}

func (k *Kit) describeFetcher(f fetcherState, s *sending, context any) (structured.HostObject, bool) {
	b := f.Base()
	if b.Token == nil && b.MakeToken != nil {
		b.Token = b.MakeToken()
	}
	if _, ok := b.Client.(resident); ok {
		return structured.HostObject{Refusal: "ServiceStub cannot be serialized in this context."}, true
	}
	if b.Token == nil {
		class := b.Class
		if class == "" {
			class = "Fetcher"
		}
		return structured.HostObject{Class: class}, true
	}
	stub := "ServiceStub"
	if b.Token.Class {
		stub = "DurableObjectClass"
	}
	switch {
	case s != nil, context == propsContext{}:
	case context != any(Stored{}), !k.h.Enabled(StoreFlag):
		return structured.HostObject{Refusal: stub + " cannot be serialized in this context."}, true
	case !b.Token.Lasting:
		return structured.HostObject{Refusal: errNotStorable}, true
	}
	tag := structured.TagServiceStub
	if b.Token.Class {
		tag = structured.TagActorClass
	}
	return structured.HostObject{Tag: tag, Write: b.Token.write}, true
}

// errElsewhere is the text of a stub whose target the isolate does not know.
const errElsewhere = "The service this stub points at is not available here."

func (k *Kit) readFetcher(d *structured.Decoder) *goja.Object {
	t := readToken(d, 0)
	if t.Stored && !k.h.Enabled(StoreFlag) {
		d.Refuse("ServiceStub cannot be deserialized in this context.")
	}
	if obj := k.stubOf(t); obj != nil {
		return obj
	}
	d.Refuse(errElsewhere)
	return nil
}

// EncodeProps writes the props of a stub: structured clone, in which service stubs may appear.
func (k *Kit) EncodeProps(v goja.Value) []byte {
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	out, err := clone.Codec(k.h).Encode(v, structured.EncodeOptions{Context: propsContext{}})
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return out.Data
}

// DecodeProps reads what EncodeProps wrote; nil gives an empty object.
func (k *Kit) DecodeProps(data []byte) goja.Value {
	if data == nil {
		return k.h.Runtime().NewObject()
	}
	v, err := clone.Codec(k.h).Decode(data, structured.DecodeOptions{})
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return v
}

package rpc

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

// Token names a service or object class independently of any isolate, so that stubs can be stored and sent.
type Token struct {
	// Worker is the Worker's name, Entrypoint the export ("" the default one).
	Worker, Entrypoint string
	// Class says that it names a Durable Object class, not a service.
	Class bool
	// Object is the id of a Durable Object of that class, "" if it names none. Name is the object's, if Named.
	Object, Name string
	Named        bool
	// Props is the encoded ctx.props, nil for none.
	Props []byte
	// Lasting says that the stub may be stored: ctx.exports or ctx.restore() of a Worker with [StoreFlag] made it.
	Lasting bool
	// Stored says that the token comes from storage, so that its target must still have the flag.
	Stored bool
	// Origin names what made the stub by ctx.restore(), and makes it again of Params; nil for any other stub. All other
	// fields but Lasting and Stored are empty then. RPCStub says that an RpcStub was made, not a service stub.
	Origin  *Token
	Params  []byte
	RPCStub bool
}

// StoreFlag lets a Worker store stubs, and have stubs of it stored (BIND-161).
const StoreFlag = "allow_irrevocable_stub_storage"

// Texts of what cannot be stored.
const (
	errNotStorable = "Cannot store this stub because the target worker does not have the " + StoreFlag +
		" compatibility flag enabled."
	errNotLasting = "RpcStub cannot be serialized in this context because it is not a persistent stub."
	errLapsed     = "Invoked a Worker from a stored stub, but the target worker no longer has the " + StoreFlag +
		" compatibility flag enabled."
)

// Lapsed is the failure of a use of a stored stub whose target is no longer willing.
func Lapsed() *RemoteError { return Fail(errLapsed) }

// Stored is the context of an encoding or a decoding for the storage of Durable Objects.
type Stored struct{}

// propsContext is the context of encoding ctx.props, or the parameters of ctx.restore().
type propsContext struct{}

// keeps tells whether a context is one in which stubs may be without RPC.
func keeps(context any) bool { return context == any(propsContext{}) || context == any(Stored{}) }

// What a token names, on the wire. lastingToken is added to it.
const (
	tokenService uint32 = iota
	tokenClass
	tokenObject
	tokenRestored
	tokenRestoredStub
	lastingToken uint32 = 16
)

func (t *Token) write(e *structured.Encoder) {
	e.WriteString(t.Worker)
	e.WriteString(t.Entrypoint)
	what := tokenService
	switch {
	case t.Origin != nil && t.RPCStub:
		what = tokenRestoredStub
	case t.Origin != nil:
		what = tokenRestored
	case t.Object != "":
		what = tokenObject
	case t.Class:
		what = tokenClass
	}
	if t.Lasting {
		what |= lastingToken
	}
	e.WriteUint32(what)
	switch what &^ lastingToken {
	case tokenRestored, tokenRestoredStub:
		t.Origin.write(e)
		e.WriteLengthDelimited(t.Params)
		return
	case tokenObject:
		e.WriteString(t.Object)
		e.WriteString(t.Name)
		if t.Named {
			e.WriteUint32(1)
		} else {
			e.WriteUint32(0)
		}
	}
	e.WriteLengthDelimited(t.Props)
}

// maxChain is how many stubs that make each other again a token may name.
const maxChain = 64

func readToken(d *structured.Decoder, depth int) *Token {
	if depth > maxChain {
		d.Refuse("The chain of stubs is too long.")
	}
	t := &Token{Worker: d.ReadString(), Entrypoint: d.ReadString(), Stored: d.Context() == any(Stored{})}
	what := d.ReadUint32()
	t.Lasting = what&lastingToken != 0 || t.Stored
	switch what &^ lastingToken {
	case tokenRestored, tokenRestoredStub:
		t.RPCStub = what&^lastingToken == tokenRestoredStub
		t.Origin = readToken(d, depth+1)
		t.Params = append([]byte{}, d.ReadLengthDelimited()...)
		return t
	case tokenClass:
		t.Class = true
	case tokenObject:
		t.Object, t.Name, t.Named = d.ReadString(), d.ReadString(), d.ReadUint32() == 1
	}
	if b := d.ReadLengthDelimited(); len(b) > 0 {
		t.Props = append([]byte(nil), b...)
	}
	return t
}

// describeStored is how an RpcStub goes to where stubs stay without a connection: as a token.
func (k *Kit) describeStored(t *Token, context any) structured.HostObject {
	switch {
	case !keeps(context), context == any(Stored{}) && !k.h.Enabled(StoreFlag):
		return structured.HostObject{Refusal: "RpcStub cannot be serialized in this context."}
	case t == nil:
		return structured.HostObject{Refusal: errNotLasting}
	case context == any(Stored{}) && !t.Lasting:
		return structured.HostObject{Refusal: errNotStorable}
	}
	return structured.HostObject{Tag: structured.TagRPCStub, Write: t.write}
}

// writeHandle writes an RpcStub for RPC: the number of its handle, and its token, if it has one.
func writeHandle(e *structured.Encoder, n uint32, t *Token) {
	e.WriteUint32(n)
	if t == nil {
		e.WriteUint32(0)
		return
	}
	e.WriteUint32(1)
	t.write(e)
}

func (k *Kit) readStub(d *structured.Decoder, r *receiving) *goja.Object {
	if r == nil {
		return k.readStored(d)
	}
	c := goodOf(k.taken(d, r)).Client
	if c == nil {
		d.Refuse("RpcStub cannot be deserialized in this context.")
	}
	s := k.newStub(c)
	r.group.stubs = append(r.group.stubs, s)
	if d.ReadUint32() == 1 {
		s.token = readToken(d, 0)
	}
	return s.object
}

// readStored makes an RpcStub that was stored. What makes it again is asked at once (BIND-161).
func (k *Kit) readStored(d *structured.Decoder) *goja.Object {
	if !k.h.Enabled(StoreFlag) {
		d.Refuse("RpcStub cannot be deserialized in this context.")
	}
	t := readToken(d, 0)
	if t.Origin == nil || !t.RPCStub {
		d.Refuse("RpcStub cannot be deserialized in this context.")
	}
	s := k.newStub(k.again(t))
	s.token = t
	return s.object
}

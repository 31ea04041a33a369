package websocket

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// pair is the state of a WebSocketPair.
type pair struct{ sockets [2]*socket }

// definePair makes the class: its instances have the own properties "0" and "1" and can be iterated (WS1).
func (k *kit) definePair() {
	rt := k.h.Runtime()
	k.pair = k.h.Realm.Define(webidl.Spec{
		Name: "WebSocketPair",
		Make: func(_ *webidl.Call, proto *goja.Object) *goja.Object {
			a, b := NewPipe()
			p := &pair{}
			for i, e := range []*End{a, b} {
				e.HalfOpen = k.halfOpenByDefault()
				p.sockets[i] = k.wrap(e, waiting)
			}
			p.sockets[0].other, p.sockets[1].other = p.sockets[1], p.sockets[0]
			obj := rt.CreateObject(proto)
			for i, name := range []string{"0", "1"} {
				if err := obj.DefineDataProperty(
					name, p.sockets[i].object, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
					panic(err)
				}
			}
			k.h.Realm.SetState(obj, p)
			return obj
		},
		Members: []webidl.Member{
			webidl.SymbolMethod(goja.SymIterator, "entries", func(p *pair, _ *webidl.Call) goja.Value {
				list := rt.NewArray(p.sockets[0].object, p.sockets[1].object)
				values, _ := goja.AssertFunction(list.GetSymbol(goja.SymIterator))
				it, err := values(list)
				if err != nil {
					panic(err)
				}
				return it
			}),
		},
	}).Install()
}

// AutoResponse is the state of a WebSocketRequestResponsePair.
type AutoResponse struct{ Request, Response string }

// AutoResponseOf is the state behind a WebSocketRequestResponsePair object.
func AutoResponseOf(h *host.Host, v goja.Value) (*AutoResponse, bool) {
	return webidl.StateOf[*AutoResponse](h.Realm, v)
}

// WrapAutoResponse makes the object around a.
func WrapAutoResponse(h *host.Host, a *AutoResponse) *goja.Object { return of(h).auto.Wrap(a) }

func (k *kit) defineAutoResponse() {
	k.auto = k.h.Realm.Define(webidl.Spec{
		Name: "WebSocketRequestResponsePair",
		New: func(c *webidl.Call) any {
			return &AutoResponse{Request: c.String(0), Response: c.String(1)}
		},
		Members: []webidl.Member{
			webidl.Getter("request", func(a *AutoResponse, c *webidl.Call) goja.Value { return c.Value(a.Request) }),
			webidl.Getter("response", func(a *AutoResponse, c *webidl.Call) goja.Value { return c.Value(a.Response) }),
		},
	}).Install()
}

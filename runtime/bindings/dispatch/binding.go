// Package dispatch serves dispatch namespaces (BIND-120, BIND-121): the members of each are the Workers of a folder, or
// all Workers of the session, by name. What get() returns is a service stub of the default entrypoint. Values belong to
// the loop of their isolate.
package dispatch

import (
	"github.com/dop251/goja"

	"eddy/runtime/bindings/service"
	"eddy/runtime/bindings/standin"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Binding is a dispatch namespace: env[Key].
type Binding struct {
	Key       string
	Directory service.Directory
	// Member tells whether a Worker is in the namespace; nil if all are.
	Member func(name string) bool
	// Outbound is the Worker that requests of members go to, "" for the network. Parameters are the names of what get()
	// may give to its env.
	Outbound   string
	Parameters []string
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

type namespace struct {
	Binding
	iso *worker.Isolate
}

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "DispatchNamespace", Members: []webidl.Member{
			webidl.Method("get", (*namespace).get),
		}})
		iso.SetValue(key{}, class)
	}
	return class.Wrap(&namespace{b, iso}), nil
}

// get never throws: a Worker that is not there fails the first call of its stub.
func (n *namespace) get(c *webidl.Call) goja.Value {
	name := webidl.ToString(c.Arg(0))
	options, _ := c.Arg(2).(*goja.Object)
	var member worker.Binding = service.Binding{Key: n.Key, Service: name, Directory: n.Directory,
		Outbound: n.outbound(options)}
	if options != nil && webidl.Option(options, "limits") != nil {
		n.iso.WarnOnce("limits of get() of the dispatch namespace " + n.Key + " changes nothing here")
	}
	outside := n.Member != nil && !n.Member(name)
	if _, ok := n.Directory.Lookup(name); !ok && n.Directory.Elsewhere(name) == nil || outside {
		member = standin.Binding{Key: n.Key, Source: standin.Source{Missing: "Worker not found."}}
	}
	stub, err := member.Install(n.iso)
	if err != nil {
		panic(n.iso.Realm.ErrorValue(err))
	}
	return stub
}

// outbound is where requests of a member go, with the parameters among the options of get().
func (n *namespace) outbound(options *goja.Object) *service.Outbound {
	var given *goja.Object
	if options != nil {
		given, _ = webidl.Option(options, "outbound").(*goja.Object)
	}
	if n.Outbound == "" {
		if given != nil {
			n.iso.WarnOnce("outbound of get() of the dispatch namespace " + n.Key + " changes nothing: its " +
				"configuration names no outbound Worker")
		}
		return nil
	}
	out := &service.Outbound{Service: n.Outbound}
	if given == nil {
		return out
	}
	env := n.iso.Runtime().NewObject()
	for _, name := range n.Parameters {
		if v := webidl.Option(given, name); v != nil {
			_ = env.Set(name, v)
		}
	}
	out.Env = rpc.Of(n.iso.Host).EncodeProps(env)
	return out
}

package loader

import (
	"github.com/dop251/goja"

	"eddy/runtime/bindings/service"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Binding is a Worker Loader: env[Key].
type Binding struct {
	Key string
	// Starter makes the Starter for an isolate. Loop goroutine.
	Starter func(iso *worker.Isolate) Starter
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// classes are the binding's classes in an isolate; neither is a global.
type classes struct{ loader, stub *webidl.Interface }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	c, ok := iso.Value(key{}).(*classes)
	if !ok {
		c = &classes{
			loader: iso.Realm.Define(webidl.Spec{Name: "WorkerLoader", Members: []webidl.Member{
				webidl.Method("get", (*loader).get),
				webidl.Method("load", (*loader).load),
			}}),
			stub: iso.Realm.Define(webidl.Spec{Name: "WorkerStub", Members: []webidl.Member{
				webidl.Method("getEntrypoint", (*stub).entrypoint),
				webidl.Method("getDurableObjectClass", (*stub).objectClass),
			}}),
		}
		iso.SetValue(key{}, c)
	}
	l := &loader{classes: c, iso: iso, binding: b}
	return c.loader.Wrap(l), nil
}

// loader is the state of a WorkerLoader. Loop goroutine only.
type loader struct {
	*classes
	iso     *worker.Isolate
	binding Binding
	kept    kept
	workers *workers // made by the first use
}

// get is get(id, getCode): the Worker of that id, which getCode describes if there is none yet.
func (l *loader) get(c *webidl.Call) goja.Value {
	getCode, ok := goja.AssertFunction(c.Arg(1))
	if !ok {
		c.ThrowType("Failed to execute 'get' on 'WorkerLoader': parameter 2 is not of type 'function'.")
	}
	id, named := "", false
	if v := c.Arg(0); !goja.IsNull(v) && !goja.IsUndefined(v) {
		id, named = c.String(0), true
		if late := l.kept.get(id); late != nil {
			return l.wrap(late)
		}
	}
	late := service.NewLate(l.iso)
	if named {
		l.kept.put(id, late)
	}
	// The code comes later even if getCode has it at once, as on the platform.
	code := l.iso.Realm.Promised(func() goja.Value {
		v, err := getCode(goja.Undefined())
		if err != nil {
			panic(l.iso.Realm.ErrorValue(err))
		}
		return v
	})
	l.iso.Realm.Then(code, func(v goja.Value) { l.begin(v, late) }, func(reason goja.Value) {
		late.Failed(l.failure(reason))
	})
	return l.wrap(late)
}

// load is load(code): a Worker without an id.
func (l *loader) load(c *webidl.Call) goja.Value {
	if _, ok := c.Arg(0).(*goja.Object); !ok {
		c.ThrowType("Failed to execute 'load' on 'WorkerLoader': parameter 1 is not of type 'WorkerCode'.")
	}
	late := service.NewLate(l.iso)
	l.begin(c.Arg(0), late)
	return l.wrap(late)
}

// begin reads the code and starts the Worker.
func (l *loader) begin(v goja.Value, late *service.Late) {
	var code *Code
	if thrown := l.iso.Realm.Try(func() { code = read(l.iso, v) }); thrown != nil {
		late.Failed(l.failure(thrown))
		return
	}
	if l.workers == nil {
		ws := &workers{starter: l.binding.Starter(l.iso), running: map[*worker.Worker]bool{}}
		l.workers = ws
		stopped := l.iso.Loop.Stopped()
		go func() {
			<-stopped
			ws.close()
		}()
	}
	// The clock stands while the Worker starts.
	l.workers.start(code, late, l.iso.Loop.Clock().Hold("the start of a Worker of env."+l.binding.Key))
}

// failure is what calls fail with after something has thrown in this isolate.
func (l *loader) failure(thrown goja.Value) *rpc.RemoteError {
	return rpc.Of(l.iso.Host).Thrown(thrown).With(func(f *rpc.RemoteError) { f.Remote = false })
}

func (l *loader) wrap(late *service.Late) goja.Value { return l.stub.Wrap(&stub{l.iso, late}) }

// stub is the state of a WorkerStub. Loop goroutine only.
type stub struct {
	iso  *worker.Isolate
	late *service.Late
}

// entrypoint is getEntrypoint(name, {props, limits}).
func (s *stub) entrypoint(c *webidl.Call) goja.Value {
	name := ""
	if v := c.Arg(0); !goja.IsUndefined(v) && !goja.IsNull(v) {
		if name = c.String(0); name == "default" {
			name = ""
		}
	}
	var props []byte
	if o, ok := c.Arg(1).(*goja.Object); ok {
		props = rpc.Of(s.iso.Host).EncodeProps(webidl.Option(o, "props"))
	}
	return s.late.Stub(name, props)
}

// objectClass is getDurableObjectClass(name, {props}), which needs objects whose code lives in another isolate than
// their storage.
func (s *stub) objectClass(c *webidl.Call) goja.Value {
	c.Realm().ThrowError("Error", "getDurableObjectClass() of a Worker Loader is not served by eddy.")
	return nil
}

package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/loader"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// loaderBindings are a Worker's Worker Loaders.
func (s *Session) loaderBindings(svc *service, cfg *wrangler.Config) []worker.Binding {
	var list []worker.Binding
	for _, b := range cfg.WorkerLoaders {
		list = append(list, loader.Binding{Key: b.Binding, Starter: func(*worker.Isolate) loader.Starter {
			return &dynamicWorkers{session: s, parent: svc.name, tails: s.tracer(cfg)}
		}})
	}
	return list
}

// dynamicWorkers starts the Workers that one isolate of a service makes from code. Any goroutine.
type dynamicWorkers struct {
	session *Session
	parent  string
	tails   func(*worker.Trace)
	number  atomic.Int64
}

// Start implements [loader.Starter].
func (d *dynamicWorkers) Start(c *loader.Code) (*worker.Worker, []string, *rpc.RemoteError) {
	s := d.session
	flags, mistakes := worker.ResolveFlags(c.Date, c.Flags)
	if len(mistakes) > 0 {
		return nil, nil, rpc.Fail(mistakes[0].Error())
	}
	modules := s.isolateModules(flags)
	build := bundle.Given(c.Modules, c.Main)
	for name := range modules {
		build.Virtual = append(build.Virtual, bundle.VirtualModule{Name: name})
	}
	for _, name := range worker.BuiltinModules() {
		build.Virtual = append(build.Virtual, bundle.VirtualModule{Name: name})
	}
	build.NodeCompat, build.CheckRegExp = flags.Enabled("nodejs_compat"), regexp.Check
	made, err := bundle.Build(build)
	if err != nil {
		return nil, nil, rpc.Fail("Failed to start Worker:\nUncaught " + buildText(err))
	}
	to := s.lines
	to.dir, to.several = bundle.GivenRoot, true // its lines name it, and its modules as the code does
	o := s.isolateOptions(fmt.Sprintf("%s/dynamic-%d", d.parent, d.number.Add(1)), to)
	o.Dynamic = true
	o.Script, o.Flags, o.Modules = &worker.Script{Bundle: made}, flags, modules
	if c.CPULimit > 0 {
		o.CPULimit = min(o.CPULimit, c.CPULimit)
	}
	if s.opts.Outbound != nil {
		o.Outbound = s.opts.Outbound(d.parent)
	}
	s.installs(&o)
	o.Install = append(o.Install, func(iso *worker.Isolate) error { return wayOut(iso, c) })
	o.Env = func(iso *worker.Isolate) (*goja.Object, error) { return envOf(iso, c.Env) }
	var tails []rpc.Client
	o.Install = append(o.Install, func(iso *worker.Isolate) error {
		tails = tailStubs(iso, c.Tails)
		return nil
	})
	if d.tails != nil || len(c.Tails) > 0 {
		o.Trace = func(t *worker.Trace) {
			for _, tail := range tails {
				servicebinding.SendTail(tail, t)
			}
			if d.tails != nil {
				d.tails(t)
			}
		}
	}
	lost := make(chan struct{})
	o.Lost = func(why error) {
		var kept *eventloop.KeptError
		if errors.As(why, &kept) { // no event has failed with it
			to.outgrown(o.Name, kept)
		}
		close(lost)
	}
	w, err := worker.Start(s.stopping, o)
	if err != nil {
		return nil, nil, startFailure(err)
	}
	var entries []string
	if err := w.Look(context.Background(), func() {
		for _, name := range w.ExportNames() {
			if w.IsEntrypoint(name) {
				entries = append(entries, name)
			}
		}
	}); err != nil {
		return nil, nil, rpc.Disconnected()
	}
	s.dynamic.Store(w, d.parent)
	s.tasks.Go(func() {
		defer s.dynamic.Delete(w)
		select {
		case <-w.Loop.Stopped():
		case <-lost: // nothing is made in its place: the next get() asks for the code again
			d.Retire(w)
		}
	})
	return w, entries, nil
}

// startFailure is what calls of a Worker fail with whose top level has thrown.
func startFailure(err error) *rpc.RemoteError {
	var ex *worker.Exception
	if errors.As(err, &ex) {
		text := "Failed to start Worker:\nUncaught " + ex.Error()
		if len(ex.Frames) > 0 {
			f := ex.Frames[0]
			text += fmt.Sprintf("\n  at %s:%d:%d", givenName(f.File), f.Line, f.Column)
		}
		return rpc.Fail(text)
	}
	return rpc.Fail("Failed to start Worker:\nUncaught Error: " + err.Error())
}

// buildText is the first mistake of a build, with its place.
func buildText(err error) string {
	var b *bundle.BuildError
	if !errors.As(err, &b) || len(b.Messages) == 0 {
		return err.Error()
	}
	m := b.Messages[0]
	switch {
	case strings.HasPrefix(m.Text, "No such module"):
		return "Error: " + m.Text
	case m.Line == 0:
		return "SyntaxError: " + m.Text
	}
	return fmt.Sprintf("SyntaxError: %s\n  at %s:%d:%d", m.Text, givenName(m.File), m.Line, m.Column)
}

// givenName is what the code calls a module that seems to lie in a file.
func givenName(file string) string {
	file = strings.TrimPrefix(strings.TrimPrefix(file, "file://"), bundle.GivenRoot)
	return strings.TrimPrefix(filepath.ToSlash(file), "/")
}

// Retire implements [loader.Starter].
func (d *dynamicWorkers) Retire(w *worker.Worker) { d.session.retireIsolate(w, func() {}) }

// noWayOut is the platform's text (BIND-113).
const noWayOut = "This worker is not permitted to access the internet via global functions like fetch(). It must use " +
	"capabilities (such as bindings in 'env') to talk to the outside world."

// wayOut gives an isolate the way out that its code says.
func wayOut(iso *worker.Isolate, c *loader.Code) error {
	if c.Alone {
		fetch.SetNetwork(iso.Host, fetch.Network{Closed: noWayOut})
		return nil
	}
	if c.Outbound == nil {
		return nil
	}
	f := rpc.Of(iso.Host).StubOf(c.Outbound)
	if f == nil {
		return errNotRunning
	}
	fetch.SetNetwork(iso.Host, fetch.Network{Send: f.Fetch})
	sockets.SetRoute(iso.Host, f.Connect)
	return nil
}

func tailStubs(iso *worker.Isolate, list []*rpc.Token) (tails []rpc.Client) {
	for _, t := range list {
		if f := rpc.Of(iso.Host).StubOf(t); f != nil {
			tails = append(tails, f.Client)
		}
	}
	return tails
}

// envOf decodes an env.
func envOf(iso *worker.Isolate, data []byte) (env *goja.Object, err error) {
	if ex := iso.Realm.Try(func() {
		v := rpc.Of(iso.Host).DecodeProps(data)
		o, ok := v.(*goja.Object)
		if !ok {
			o = iso.Runtime().NewObject()
		}
		env = o
	}); ex != nil {
		return nil, iso.Exception(ex)
	}
	return env, nil
}

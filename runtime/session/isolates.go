package session

import (
	"time"

	"github.com/dop251/goja"

	"eddy/queues/queuejs"
	"eddy/runtime/bindings/images"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/wasm"
	"eddy/runtime/nodecompat"
	"eddy/runtime/report"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// defaultCPULimit bounds an invocation whose configuration has no limits.cpu_ms (D-15).
const defaultCPULimit = 30 * time.Second

// defaultMemoryLimit is what an isolate may keep from event to event, and what one turn of an event may add to the
// process's live memory: four times the platform's 128 MB, for objects take about as many times more here.
const defaultMemoryLimit = 512 << 20

// isolateOptions are the options that all isolates of the session have in common, that of a Worker called name. What it
// says goes to to.
func (s *Session) isolateOptions(name string, to lines) worker.Options {
	o := worker.Options{
		Name: name, Clock: s.opts.Clock, Random: s.opts.Random,
		CPULimit: defaultCPULimit, MemoryLimit: s.opts.MemoryLimit,
		InternalError: func(err *eventloop.InternalError) {
			to.Line(report.Error, "internal", "An error of eddy itself; please report it.\n"+err.Report(),
				report.F("worker", name), report.F("reference", err.Reference))
		},
		Log: func(e host.ConsoleLine) {
			if s.opts.Console != nil {
				s.opts.Console(name, e)
				return
			}
			to.console(name, e)
		},
		Uncaught: func(scope *eventloop.Scope, ex *worker.Exception) { to.uncaught(name, ex) },
		Rejected: func(ex *worker.Exception) {
			if s.opts.Rejected != nil {
				s.opts.Rejected(name, ex)
				return
			}
			to.rejected(name, ex)
		},
		Notice:   func(text string) { to.notice(name, text) },
		Waits:    func(w worker.Waits) { to.waits(name, w) },
		Computes: func(c worker.Computes) { to.computes(name, c) },
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = defaultMemoryLimit
	}
	boundOf(s.opts.Bounds, name).apply(&o)
	return o
}

// installs adds to an isolate what lies above web APIs.
func (s *Session) installs(o *worker.Options) {
	o.Wasm = func(iso *worker.Isolate, file string, code []byte) (goja.Value, error) {
		return wasm.Module(iso.Host, file, code), nil
	}
	o.Install = append(o.Install, func(iso *worker.Isolate) error {
		wasm.Install(iso.Host)
		caches.SetStore(iso.Host, s.stores.cacheStore())
		fetch.SetImageResizer(iso.Host, images.Resize)
		nodecompat.InstallGlobals(iso.Host, iso.Flags.Enabled, func() goja.Value { return iso.Env() })
		return nil
	}, s.objects.Install, servicebinding.Install(directory{s}), queuejs.Install)
}

// isolateModules are the virtual modules of every Worker.
func (s *Session) isolateModules(flags worker.Flags) map[string]worker.Module {
	mods := map[string]worker.Module{queuejs.DOQueueModule: s.lanes.Module, queuejs.TestModuleName: queuejs.TestModule}
	for _, name := range nodecompat.Names(flags.Enabled) {
		mods[name] = func(iso *worker.Isolate) (*goja.Object, error) { return nodecompat.Namespace(iso.Host, name) }
	}
	return mods
}

package inspector

import (
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/worker"
)

// realm is one isolate, see the package documentation.
type realm struct {
	target *target
	number int // of the execution context
	iso    *worker.Isolate
	rt     *goja.Runtime
	layout *gojainternals.Layout
	stops  *bundle.Stops
	// first is the number of its first script; the script of file i is first + i.
	first int
	// armed are the breakpoints of each stop, nil while there are none.
	armed atomic.Pointer[[][]*breakpoint]

	// The loop's goroutine has these.
	records []record
	step    step
	seen    goja.Value // the last error that was told of
	looking bool       // a client looks at something
	objects objects

	mu     sync.Mutex
	paused *paused  // guarded by mu
	asked  []func() // guarded by mu

	cut     atomic.Bool
	stopped chan struct{} // is closed when the loop is cut or has stopped
	once    sync.Once
}

// hostFunctions are what an instrumented script calls, see [bundle.Stops].
func (r *realm) hostFunctions() map[string]func(goja.FunctionCall) goja.Value {
	return map[string]func(goja.FunctionCall) goja.Value{
		"__eddy_enter": r.enter, "__eddy_at": r.at, "__eddy_back": r.back, "__eddy_leave": r.leave,
		"__eddy_threw": r.threw, "__eddy_caught": r.caught,
	}
}

// install gives an isolate the functions of the host and shows it to clients. Loop goroutine.
func (r *realm) install(iso *worker.Isolate) error {
	r.iso, r.rt = iso, iso.Runtime()
	var err error
	if r.layout, err = gojainternals.Read(); err != nil {
		return err
	}
	global := r.rt.GlobalObject()
	for name, f := range r.hostFunctions() {
		if err := global.DefineDataProperty(name, r.rt.ToValue(f), goja.FLAG_FALSE, goja.FLAG_FALSE,
			goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	if r.objects.pristine, err = newPristine(r.rt); err != nil {
		return err
	}
	iso.Loop.OnOverrun(func(over bool) {
		if over {
			r.end()
		}
	})
	r.target.join(r)
	go func() {
		<-iso.Loop.Stopped()
		r.end()
		r.target.part(r)
	}()
	r.target.server.await(r)
	return nil
}

// end ends a pause for good: the loop is about to stop.
func (r *realm) end() {
	r.cut.Store(true)
	r.once.Do(func() { close(r.stopped) })
}

// Attach lets debuggers into an isolate that is about to start with these options. What passes while it is paused
// counts
// for none of its limits.
func (s *Inspector) Attach(o *worker.Options) {
	if o.Script == nil || o.Script.Bundle == nil || o.Script.Bundle.Stops == nil {
		return
	}
	r := &realm{target: s.target(o.Name), stops: o.Script.Bundle.Stops, stopped: make(chan struct{})}
	r.objects.realm = r
	o.CPULimit, o.Computes, o.Waits = slowness*o.CPULimit, nil, nil
	o.Install = append([]func(*worker.Isolate) error{r.install}, o.Install...)
	r.hear(o)
}

// slowness is how many times as long as usual a script may compute: telling of each statement takes time.
const slowness = 10

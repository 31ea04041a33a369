package session

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/statedir"
	"eddy/runtime/worker"
	"eddy/workflows"
	"eddy/workflows/workflowjs"
	"eddy/wrangler"
)

// flows are the workflows of the session, by name: all Workers and generations share one of each. Any goroutine.
type flows struct {
	state   statedir.Dir
	clock   clock.Clock
	relaxed bool
	warn    func(text string)
	observe func(workflows.InstanceEvent)
	// away is the way to a workflow of a Worker in another session, nil if none runs the Worker.
	away func(script, name string) *workflows.Distant
	// placed are those of a cluster, nil outside of one.
	placed *placedFlows

	mu     sync.Mutex
	byName map[string]*workflows.Workflow // guarded by mu; those whose class a Worker of the session has, if not placed
}

// place lets a cluster keep the workflows.
func (f *flows) place(kept *objects.Shipped, way func(objectstore.Name) objectstore.Way) {
	f.placed = &placedFlows{state: f.state, clock: f.clock, warn: f.warn, observe: f.observe, kept: kept, way: way}
}

// defines tells whether a binding's class is in the Worker that has the binding.
func defines(cfg *wrangler.Config, b wrangler.Workflow) bool {
	return b.ScriptName == "" || b.ScriptName == cfg.Name
}

// local gives a workflow of this machine, nil if no Worker of the session defines it, or in a cluster.
func (f *flows) local(name string) *workflows.Workflow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byName[name]
}

// find gives the way to a workflow, nil if no Worker of the session defines it.
func (f *flows) find(name string) workflows.Commands {
	if f.placed != nil {
		return f.placed.find(name)
	}
	if w := f.local(name); w != nil {
		return w
	}
	return nil
}

// bindings are a Worker's workflows.
func (f *flows) bindings(cfg *wrangler.Config) (list []worker.Binding) {
	for _, b := range cfg.Workflows {
		if b.Binding != "" {
			list = append(list, f.binding(cfg, b))
		}
	}
	return list
}

func (f *flows) binding(cfg *wrangler.Config, b wrangler.Workflow) workflowjs.Binding {
	return workflowjs.Binding{Key: b.Binding, Workflow: b.Name, Script: b.ScriptName,
		Find: func() workflows.Commands {
			if w := f.find(b.Name); w != nil {
				return w
			}
			if !defines(cfg, b) {
				if w := f.away(b.ScriptName, b.Name); w != nil {
					return w
				}
			}
			return nil
		}}
}

// exported are the workflows that a configuration exports, under the names of their classes.
func (f *flows) exported(cfg *wrangler.Config) (list []workflowjs.Binding) {
	for _, b := range cfg.Workflows {
		if b.Exported {
			e := f.binding(cfg, b)
			e.Key = b.ClassName
			list = append(list, e)
		}
	}
	return list
}

// attach lets a generation execute the workflows whose classes it has.
func (f *flows) attach(g *generation, add func(what string, detach func())) {
	for _, b := range g.config.Workflows {
		if !defines(g.config, b) {
			continue
		}
		runner := &workflowjs.Runner{Isolate: g.Isolate, Class: b.ClassName, Workflow: b.Name, Steps: b.Steps}
		if f.placed != nil {
			add("workflow "+b.Name, f.placed.of(b.Name).attach(b, runner))
			continue
		}
		w := f.open(b)
		w.Limit(b.Concurrency)
		add("workflow "+b.Name, w.Attach(runner))
	}
}

// open is the workflow that a configuration defines.
func (f *flows) open(b wrangler.Workflow) *workflows.Workflow {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.byName[b.Name]
	if w == nil {
		w = workflows.Open(workflows.Options{Name: b.Name, Path: f.state.Workflow(b.Name), Clock: f.clock,
			Relaxed: f.relaxed, Observe: f.observe,
			Failed:    func(err error) { f.warn(err.Error()) },
			Retention: workflows.Retention{Success: b.SuccessRetention, Error: b.ErrorRetention}})
		if f.byName == nil {
			f.byName = map[string]*workflows.Workflow{}
		}
		f.byName[b.Name] = w
	}
	return w
}

// close ends the workflows; their instances go on in the next session.
func (f *flows) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, w := range f.byName {
		errs = append(errs, w.Close())
	}
	if f.placed != nil {
		errs = append(errs, f.placed.Close())
	}
	return errors.Join(errs...)
}

// start makes the instance of a schedule's time (FLOW-180). An instance that is there already was made for the same
// time.
func (f *flows) start(name, cron string, at time.Time) {
	w := f.find(name)
	if w == nil {
		return // the Worker that has its class could not be connected
	}
	create := func(done func([]error, error)) {
		w.Create([]workflows.New{{ID: fmt.Sprintf("%s-%d", cron, at.UnixMilli()), Trigger: workflows.ByCron,
			Shown: "{}",
			Cron:  cron, Scheduled: at.UnixMilli()}}, done)
	}
	_, err := workflows.Call(w, create)
	if errors.Is(err, workflows.ErrDisconnected) { // with the same id it makes nothing twice
		_, err = workflows.Call(w, create)
	}
	if err != nil && !errors.Is(err, workflows.ErrClosed) {
		f.warn(fmt.Sprintf("the schedule %q of workflow %q could not start an instance: %v", cron, name, err))
	}
}

package session

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sharing"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
	"eddy/workflows"
	"eddy/wrangler"
)

// placedFlows are the workflows of a cluster, by name. Any goroutine.
type placedFlows struct {
	state   statedir.Dir
	clock   clock.Clock
	warn    func(text string)
	observe func(workflows.InstanceEvent)
	// kept has what the cluster keeps, and way is the way to a store of it.
	kept *objects.Shipped
	way  func(objectstore.Name) objectstore.Way

	mu     sync.Mutex
	byName map[string]*placedFlow // guarded by mu
}

// placedFlow is a workflow of a cluster as this node serves it. It is open while its shard is here: then this node, and
// no other one, has its timers and its lives. Any goroutine.
type placedFlow struct {
	f             *placedFlows
	name, key, id string
	way           *workflows.Distant // wherever it is

	defined atomic.Bool // a Worker of the session has its class

	mu     sync.Mutex // guards the rest
	w      *workflows.Workflow
	config wrangler.Workflow
	runner workflows.Runner
	ended  bool
}

const (
	// gentleFlow is how long attempts of a workflow that goes to another node may take to end.
	gentleFlow = 250 * time.Millisecond
	// reopenFlow is the time between a failure of a workflow that is still here and its next begin.
	reopenFlow = time.Second
)

// of is the workflow of a name.
func (f *placedFlows) of(name string) *placedFlow {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.byName[name]
	if p == nil {
		at := objectstore.Name{Kind: objectstore.Workflows, ID: name}
		p = &placedFlow{f: f, name: name, way: sharing.FlowOver(f.way(at))}
		p.key, p.id = at.Object()
		if f.byName == nil {
			f.byName = map[string]*placedFlow{}
		}
		f.byName[name] = p
	}
	return p
}

// find gives the way to a workflow whose class a Worker of the session has, nil if none has it.
func (f *placedFlows) find(name string) workflows.Commands {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.byName[name]; p != nil && p.defined.Load() {
		return p.way
	}
	return nil
}

// Close ends the workflows that are here.
func (f *placedFlows) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.byName {
		p.end()
	}
	return nil
}

// came hears of a store of the bindings whose shard is here now. What instances of a workflow wait for is due here.
func (f *placedFlows) came(key, _, name string) {
	if kind, _, _ := strings.Cut(key, "/"); kind == objectstore.Workflows {
		f.of(name).goOn()
	}
}

// release gives up the workflows for which match is true, because another node has them or will.
func (f *placedFlows) release(match func(key, id string) bool, gently bool) {
	f.mu.Lock()
	var all sync.WaitGroup
	for _, p := range f.byName {
		if match(p.key, p.id) {
			all.Go(func() { p.leave(gently) })
		}
	}
	f.mu.Unlock()
	all.Wait()
}

// attach lets a generation execute the workflow's instances while it is here.
func (p *placedFlow) attach(b wrangler.Workflow, r workflows.Runner) (detach func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.config, p.runner = b, r
	p.defined.Store(true)
	if p.w != nil {
		p.w.Limit(b.Concurrency)
		p.w.Attach(r)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.runner != r {
			return
		}
		p.runner = nil
		if p.w != nil {
			p.w.Detach(r)
		}
	}
}

// open is the workflow if it is here, [objectstore.ErrElsewhere] if not.
func (p *placedFlow) open() (*workflows.Workflow, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.w.Err() == nil {
		return p.w, nil
	}
	if p.ended || !p.f.kept.Here(p.key, p.id) {
		return nil, objectstore.ErrElsewhere
	}
	p.closeLocked()
	path := p.f.state.Workflow(p.name)
	home := flowHome{objectstore.NewResidence(p.f.kept.Store(p.key, p.id, p.name), path)}
	p.w = workflows.Open(workflows.Options{Name: p.name, Path: path, Home: home, Clock: p.f.clock, Observe: p.f.observe,
		Failed:    p.failed,
		Retention: workflows.Retention{Success: p.config.SuccessRetention, Error: p.config.ErrorRetention}})
	p.w.Limit(p.config.Concurrency)
	if p.runner != nil {
		p.w.Attach(p.runner)
	}
	return p.w, nil
}

func (p *placedFlow) closeLocked() {
	if p.w == nil {
		return
	}
	if err := p.w.Close(); err != nil {
		p.f.warn(fmt.Sprintf("workflow %q: %v", p.name, err))
	}
	p.w = nil
}

// failed is called on the workflow's goroutine, when it can do nothing any more. If it is still here it begins anew,
// with what is kept.
func (p *placedFlow) failed(err error) {
	if !errors.Is(err, objectstore.ErrElsewhere) && !errors.Is(err, objectstore.ErrDisconnected) {
		p.f.warn(err.Error())
	}
	p.f.clock.AfterFunc(reopenFlow, func() { go p.goOn() })
}

// goOn opens the workflow if it is here.
func (p *placedFlow) goOn() {
	_, _ = p.open() // where it is it goes on
}

// leave gives the workflow up. If gently is true, attempts that run may end first, for a short time.
func (p *placedFlow) leave(gently bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	if gently {
		quiet := make(chan struct{})
		p.w.Retire(func() { close(quiet) })
		select {
		case <-quiet:
		case <-time.After(gentleFlow):
		}
	}
	p.closeLocked()
	if err := sqlite.Remove(p.f.state.Workflow(p.name)); err != nil {
		p.f.warn(fmt.Sprintf("workflow %q: %v", p.name, err))
	}
}

// Serve implements [objectstore.Service].
func (p *placedFlow) Serve(_ []byte, body io.Reader) (objectstore.Told, error) {
	command, err := sharing.ReadFlowCommand(body)
	if err != nil {
		return objectstore.Told{}, err
	}
	w, err := p.open()
	if err != nil {
		return objectstore.Told{}, err
	}
	return sharing.ServeFlow(w, command)
}

// Leave implements [objectstore.Service].
func (p *placedFlow) Leave() error {
	p.leave(false)
	return nil
}

// Close implements [objectstore.Service].
func (p *placedFlow) Close() error {
	p.end()
	return nil
}

func (p *placedFlow) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.closeLocked()
}

// flowHome is the file of a workflow as the cluster keeps it.
type flowHome struct{ *objectstore.Residence }

// Keep implements [workflows.Home].
func (h flowHome) Keep(db *sqlite.DB) (wait func() error) { return h.Settle(db, nil, nil) }

// Leave implements [workflows.Home].
func (h flowHome) Leave(db *sqlite.DB) error { return h.Residence.Leave(db, false) }

package objectjs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/containers"
	"eddy/runtime/engine/webidl"
)

// container is the state of ctx.container (BIND-150): what an object has of its container, in whichever of its
// instances. Loop goroutine only.
type container struct {
	h   *home
	id  string
	app *containers.App
	// run is the one that was started last, nil before the first.
	run *containerRun
	// linger is armed by setInactivityTimeout: the container outlives its object until then. alone says that the object
	// is not in memory.
	linger clock.Timer
	alone  bool
}

// containerRun is one life of a container.
type containerRun struct {
	stop context.CancelFunc
	// running and waiters belong to the loop. over is set with running false; code and err are how it ended.
	running bool
	code    int
	err     error
	waiters []func()
	// reason is what destroy() was called with, nil for nothing.
	reason goja.Value
	// started is closed when the container runs or never will; live is nil then.
	started chan struct{}
	live    *containers.Container

	mu    sync.Mutex
	ports map[int]*http.Transport // guarded by mu, as is halted: it releases the clock when the container has ended
	// by halt.
	halted func()
}

// containerOf is ctx.container: undefined but for a class that the configuration gives a container.
func (k *kit) containerOf(i *instance) goja.Value {
	n := i.h.ns
	n.mu.Lock()
	app := n.class.Container
	n.mu.Unlock()
	if app == nil || i.h.facetClass != nil {
		return goja.Undefined()
	}
	if k.container == nil {
		k.container = k.iso.Realm.Define(webidl.Spec{Name: "Container", Members: containerMembers})
	}
	id := i.object.ID.String()
	c := i.h.containers[id]
	if c == nil {
		c = &container{h: i.h, id: id, app: app}
		if i.h.containers == nil {
			i.h.containers = map[string]*container{}
		}
		i.h.containers[id] = c
	}
	c.alone = false
	return k.container.Wrap(c)
}

var containerMembers = []webidl.Member{
	webidl.Getter("running", func(c *container, call *webidl.Call) goja.Value { return call.Value(c.running()) }),
	webidl.Method("start", func(c *container, call *webidl.Call) goja.Value { c.start(call); return nil }),
	webidl.Async("monitor", func(c *container, _ *webidl.Call) goja.Value { return c.monitor() }),
	webidl.Async("destroy", func(c *container, call *webidl.Call) goja.Value { return c.destroy(call) }),
	webidl.Method("signal", func(c *container, call *webidl.Call) goja.Value { c.signal(call); return nil }),
	webidl.Method("getTcpPort", func(c *container, call *webidl.Call) goja.Value { return c.port(call) }),
	webidl.Async("setInactivityTimeout", func(c *container, call *webidl.Call) goja.Value {
		c.setInactivity(call)
		return nil
	}),
	webidl.Async("exec", func(c *container, call *webidl.Call) goja.Value { return c.exec(call) }),
	notCarried("interceptOutboundHttp"), notCarried("interceptAllOutboundHttp"), notCarried("interceptOutboundHttps"),
	notCarried("snapshotDirectory"), notCarried("snapshotContainer"),
}

// notCarried is a method that is refused by name.
func notCarried(name string) webidl.Member {
	return webidl.Async(name, func(c *container, call *webidl.Call) goja.Value {
		c.throw("%s() is not served by eddy: see docs/gaps.md.", name)
		return nil
	})
}

func (c *container) throw(format string, args ...any) {
	c.h.iso.Realm.ThrowError("Error", format, args...)
}

func (c *container) running() bool { return c.run != nil && c.run.running }

// need throws if no engine answers.
func (c *container) need() {
	if _, err := c.app.Engine(context.Background()); err != nil {
		c.throw("The container of the class %s cannot be used: %s", c.app.Class, err)
	}
}

// start starts the container. It returns at once: what fails later fails monitor().
func (c *container) start(call *webidl.Call) {
	c.need()
	if c.running() {
		c.throw("start() cannot be called on a container that is already running.")
	}
	spec, image := c.spec(call.Object(0, "StartupOptions"))
	ctx, stop := context.WithCancel(context.Background())
	r := &containerRun{stop: stop, running: true, started: make(chan struct{}), ports: map[int]*http.Transport{}}
	c.run = r
	loop := c.h.iso.Loop
	release := sync.OnceFunc(loop.Clock().Hold("a container starts"))
	begun := sync.OnceFunc(func() { close(r.started) })
	go func() {
		code, err := c.app.Run(ctx, c.id, image, spec, func(live *containers.Container) {
			r.live = live
			begun()
			release()
			if live.Open {
				text := "The container of " + c.app.Class + " reaches the internet although enableInternet is not " +
					"set: its engine has no network that keeps it from that and is reached from here."
				loop.Post(func() { c.h.iso.WarnOnce(text) })
			}
		})
		begun()
		r.closePorts()
		told := make(chan struct{})
		if loop.Post(func() { defer close(told); c.ended(r, code, err) }) {
			select {
			case <-told:
			case <-loop.Stopped():
			}
		}
		r.release()
		release()
	}()
}

// halt ends the container, and holds the clock until it has ended.
func (c *container) halt() {
	r := c.run
	r.mu.Lock()
	if r.halted == nil {
		r.halted = c.h.iso.Loop.Clock().Hold("a container ends")
	}
	r.mu.Unlock()
	r.stop()
}

// release undoes the hold of halt. Any goroutine.
func (r *containerRun) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.halted != nil {
		r.halted()
		r.halted = func() {}
	}
}

// ended notes that a life is over, and tells those who wait for it.
func (c *container) ended(r *containerRun, code int, err error) {
	r.running, r.code, r.err = false, code, err
	if err != nil && r.live == nil && !errors.Is(err, context.Canceled) {
		c.h.iso.Warn("The container of " + c.app.Class + " did not start: " + err.Error())
	}
	waiters := r.waiters
	r.waiters = nil
	for _, f := range waiters {
		f()
	}
	if c.alone {
		c.forget()
	}
}

// whenOver calls f on the loop when the life is over.
func (r *containerRun) whenOver(f func()) {
	if !r.running {
		f()
		return
	}
	r.waiters = append(r.waiters, f)
}

// killed is the exit code of a container that was ended with SIGKILL.
const killed = 137

// monitor is settled when the container has ended: rejected with the reason of destroy(), or if the exit code is not 0.
func (c *container) monitor() goja.Value {
	c.need()
	r := c.run
	if r == nil {
		c.throw("monitor() cannot be called on a container that is not running.")
	}
	p, settle := c.h.iso.Host.Scope().Awaited()
	r.whenOver(func() {
		settle(func() (value, failure goja.Value) {
			if reason := r.reason; reason != nil {
				r.reason = nil // the first to hear it is the only one
				return nil, reason
			}
			return nil, c.failure(r)
		})
	})
	return p
}

// failure is what monitor() is rejected with, nil for nothing.
func (c *container) failure(r *containerRun) goja.Value {
	code := r.code
	switch {
	case r.err == nil && code == 0:
		return nil
	case errors.Is(r.err, context.Canceled) && r.live != nil:
		code = killed
	case r.err != nil && r.live == nil:
		e := c.h.iso.Realm.NewError("Error", "Container failed to start")
		_ = e.Set("cause", c.h.iso.Realm.NewError("Error", r.err.Error()))
		return e
	case r.err != nil:
		return c.h.iso.Realm.NewError("Error", "Monitoring container failed with: "+r.err.Error())
	}
	e := c.h.iso.Realm.NewError("Error", fmt.Sprintf("Container exited with unexpected exit code: %d", code))
	_ = e.Set("exitCode", code)
	return e
}

func (c *container) destroy(call *webidl.Call) goja.Value {
	c.need()
	r := c.run
	if !c.running() {
		return nil
	}
	if r.reason == nil && !call.Missing(0) {
		r.reason = call.Arg(0)
	}
	p, settle := c.h.iso.Host.Scope().Awaited()
	r.whenOver(func() { settle(func() (value, failure goja.Value) { return nil, nil }) })
	c.halt()
	return p
}

// maxSignal is the highest number of a signal.
const maxSignal = 64

func (c *container) signal(call *webidl.Call) {
	c.need()
	number := call.Require(0, "number").ToInteger()
	if number <= 0 || number > maxSignal {
		c.h.iso.Realm.ThrowError("RangeError", "Invalid signal number.")
	}
	if !c.running() {
		c.throw("signal() cannot be called on a container that is not running.")
	}
	r := c.run
	release := c.h.iso.Loop.Clock().Hold("a container gets a signal")
	go func() {
		defer release()
		<-r.started
		if r.live == nil {
			return
		}
		if err := r.live.Signal(context.Background(), int(number)); err != nil {
			c.h.warn("The container of " + c.app.Class + " did not get a signal: " + err.Error())
		}
	}()
}

func (c *container) setInactivity(call *webidl.Call) {
	c.need()
	ms := call.Require(0, "number").ToInteger()
	if ms <= 0 {
		c.h.iso.Realm.ThrowType("setInactivityTimeout() cannot be called with a durationMs <= 0")
	}
	if c.linger != nil {
		c.linger.Stop()
	}
	loop := c.h.iso.Loop
	c.linger = clock.Housekeeping(loop.Clock(), time.Duration(ms)*time.Millisecond, func() {
		loop.Post(func() {
			c.linger = nil
			if c.alone {
				c.end()
			}
		})
	})
}

// leave is called when the object leaves memory: its container ends, at once or when the inactivity timeout is over.
func (c *container) leave() {
	c.alone = true
	if c.linger == nil || c.h.closed {
		c.end()
	}
}

// end ends the container.
func (c *container) end() {
	if c.running() {
		c.halt()
		return
	}
	c.forget()
}

func (c *container) forget() {
	if c.h.containers[c.id] == c {
		delete(c.h.containers, c.id)
	}
}

package objectjs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/containers"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
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
	ports map[int]http.RoundTripper // guarded by mu, as is halted: it releases the clock when the container has ended
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

// Limits of labels: how many there may be, and how long a name and a value, in bytes.
const (
	maxLabels     = 10
	maxLabelName  = 16
	maxLabelValue = 64
)

// start starts the container. It returns at once: what fails later fails monitor().
func (c *container) start(call *webidl.Call) {
	c.need()
	if c.running() {
		c.throw("start() cannot be called on a container that is already running.")
	}
	spec, image := c.spec(call.Object(0, "StartupOptions"))
	ctx, stop := context.WithCancel(context.Background())
	r := &containerRun{stop: stop, running: true, started: make(chan struct{}), ports: map[int]http.RoundTripper{}}
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

// spec reads the options of start().
func (c *container) spec(o *goja.Object) (s containers.Launch, image string) {
	if o == nil {
		return s, ""
	}
	if v := webidl.Option(o, "entrypoint"); v != nil {
		s.Entrypoint = c.list(v, "entrypoint")
	}
	if v := webidl.Option(o, "enableInternet"); v != nil {
		s.Internet = v.ToBoolean()
	}
	s.Env = c.environment(webidl.Option(o, "env"))
	if v, ok := webidl.Option(o, "labels").(*goja.Object); ok {
		s.Labels = c.labels(v)
	}
	if v := webidl.Option(o, "image"); v != nil {
		image = webidl.ToString(v)
	}
	for _, name := range []string{"directorySnapshots", "containerSnapshot"} {
		if webidl.Option(o, name) != nil {
			c.throw("%s of start() is not served by eddy: see docs/gaps.md.", name)
		}
	}
	return s, image
}

// list reads an array of strings.
func (c *container) list(v goja.Value, name string) []string {
	var list []string
	if c.h.iso.Runtime().ExportTo(v, &list) != nil {
		c.h.iso.Realm.ThrowType("Incorrect type for the '%s' field on 'StartupOptions': the provided value is not of "+
			"type 'Array'.", name)
	}
	return list
}

// environment reads variables and gives them as NAME=VALUE.
func (c *container) environment(v goja.Value) (list []string) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	for _, name := range o.Keys() {
		value := webidl.ToString(o.Get(name))
		switch {
		case strings.Contains(name, "="):
			c.throw("Environment variable names cannot contain '=': %s", name)
		case strings.Contains(name, "\x00"):
			c.throw(`Environment variable names cannot contain '\0': %s`, name)
		case strings.Contains(value, "\x00"):
			c.throw(`Environment variable values cannot contain '\0': %s`, name)
		}
		list = append(list, name+"="+value)
	}
	return list
}

func (c *container) labels(o *goja.Object) map[string]string {
	labels := map[string]string{}
	names := o.Keys()
	if len(names) > maxLabels {
		c.throw("Cannot specify more than %d container labels", maxLabels)
	}
	for i, name := range names {
		value := webidl.ToString(o.Get(name))
		switch {
		case name == "":
			c.throw("Label names cannot be empty")
		case len(name) > maxLabelName:
			c.throw("Label names cannot exceed %d bytes (index %d)", maxLabelName, i)
		case len(value) > maxLabelValue:
			c.throw("Label values cannot exceed %d bytes (index %d)", maxLabelValue, i)
		case strings.ContainsFunc(name, control):
			c.throw("Label names cannot contain control characters (index %d)", i)
		case strings.ContainsFunc(value, control):
			c.throw("Label values cannot contain control characters (index %d)", i)
		}
		labels[name] = value
	}
	return labels
}

func control(r rune) bool { return r < ' ' }

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

// maxPort is the highest number of a TCP port.
const maxPort = 65535

// port is a stub whose fetch() and connect() go to a TCP port of the container.
func (c *container) port(call *webidl.Call) goja.Value {
	c.need()
	port := call.Require(0, "number").ToInteger()
	if port <= 0 || port > maxPort {
		c.h.iso.Realm.ThrowType("Invalid port number: %d", port)
	}
	return c.h.kit.rpc.NewFetcher(&rpc.Fetcher{
		Client: portClient{}, Fetch: c.sender(int(port)),
		Connect: func(to sockets.Destination) sockets.Way {
			r := c.run
			return sockets.Way{Dial: func(ctx context.Context) (net.Conn, error) {
				if to.Secure {
					return nil, &fetch.Refusal{Text: noTLS}
				}
				return c.dial(ctx, r, int(port))
			}}
		},
	})
}

const noTLS = "Connecting to a container using TLS is not currently supported. It is unnecessary anyway, as the " +
	"connection is already secure by default."

// sender sends requests to a port.
func (c *container) sender(port int) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		if strings.HasPrefix(q.URL, "https:") {
			answer(fetch.TransportAnswer{Failure: c.h.iso.Realm.NewError("Error", "Connecting to a container using "+
				"HTTPS is not currently supported; use HTTP instead. TLS is unnecessary anyway, as the connection is "+
				"already secure by default.")})
			return nil
		}
		rt := c.transport(c.run, port)
		if q.Upgrade {
			return websocket.Through(c.h.iso.Host, rt)(scope, q, answer)
		}
		return fetch.Over(c.h.iso.Host, rt)(scope, q, answer)
	}
}

// transport is the way to a port of a life of the container.
func (c *container) transport(r *containerRun, port int) http.RoundTripper {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx, r, port) }
	t := &http.Transport{DisableCompression: true, DialContext: dial}
	if r == nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if have := r.ports[port]; have != nil {
		return have
	}
	r.ports[port] = t
	return t
}

// closePorts ends the connections that wait for requests.
func (r *containerRun) closePorts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.ports {
		t.(*http.Transport).CloseIdleConnections()
	}
}

// dial connects to a port of a life of the container, when it has started. Any goroutine.
func (c *container) dial(ctx context.Context, r *containerRun, port int) (net.Conn, error) {
	if r == nil {
		return nil, &fetch.Refusal{Text: "The container is not running, consider calling start()"}
	}
	select {
	case <-r.started:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.live == nil {
		return nil, &fetch.Refusal{Text: "The container is not running, consider calling start()"}
	}
	conn, err := r.live.Dial(ctx, port)
	var unreached *containers.UnreachedError
	switch {
	case errors.As(err, &unreached):
		return nil, &fetch.Refusal{Text: unreached.Error()}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH):
		return nil, &fetch.Refusal{Text: "Container is not listening to port " + strconv.Itoa(port)}
	}
	return conn, err
}

// portClient refuses the methods of a port: it is no Worker.
type portClient struct{}

// Send implements [rpc.Client].
func (portClient) Send(op *rpc.Op) {
	op.Fail(rpc.Fail("A container port has fetch() and connect() only."))
}

// Dup implements [rpc.Client].
func (p portClient) Dup() rpc.Client { return p }

// Release implements [rpc.Client].
func (portClient) Release() {}

// Home implements [rpc.Client].
func (portClient) Home() *eventloop.Loop { return nil }

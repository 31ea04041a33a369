package objectjs

import (
	"context"
	_ "embed"
	"io"

	"github.com/dop251/goja"

	"eddy/runtime/containers"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/streams"
)

//go:embed exec.js
var execSource string

// execOptions are those of exec(), read.
type execOptions struct {
	containers.Exec
	stdout, stderr string // "pipe", "ignore" or "combined"
	stdin, signal  goja.Value
}

// exec starts a process in the container.
func (c *container) exec(call *webidl.Call) goja.Value {
	c.need()
	if !c.running() {
		c.throw("exec() cannot be called on a container that is not running.")
	}
	o := c.execOptions(call)
	var stdout, stderr io.ReadCloser
	stdout, o.Stdout = piped(o.stdout == "pipe")
	stderr, o.Stderr = piped(o.stderr == "pipe")
	r, scope := c.run, c.h.iso.Host.Scope()
	return scope.Promise(func() func() (value, failure goja.Value) {
		ctx := scope.Context()
		fail := func(text string) func() (value, failure goja.Value) {
			return func() (value, failure goja.Value) { return nil, c.h.iso.Realm.NewError("Error", text) }
		}
		select {
		case <-r.started:
		case <-ctx.Done():
			return fail(ctx.Err().Error())
		}
		if r.live == nil {
			return fail("exec() requires a running container.")
		}
		p, err := r.live.Start(ctx, o.Exec)
		if err != nil {
			return fail(err.Error())
		}
		context.AfterFunc(ctx, func() { _ = p.CloseInput() })
		return func() (value, failure goja.Value) { return c.process(p, o, stdout, stderr), nil }
	})
}

// piped is a pipe for output of a process, or what throws it away.
func piped(wanted bool) (io.ReadCloser, io.WriteCloser) {
	if !wanted {
		return nil, discard{}
	}
	p := newOutputPipe()
	return p, outputEnd{p}
}

type discard struct{}

// Write implements [io.Writer].
func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Close implements [io.Closer].
func (discard) Close() error { return nil }

// execOptions reads the arguments of exec().
func (c *container) execOptions(call *webidl.Call) (o execOptions) {
	realm := c.h.iso.Realm
	o.Cmd = c.list(call.Require(0, "Array"), "cmd")
	if len(o.Cmd) == 0 {
		realm.ThrowType("exec() requires a non-empty command array.")
	}
	obj := call.Object(1, "ContainerExecOptions")
	option := func(name string) goja.Value {
		if obj == nil {
			return nil
		}
		return webidl.Option(obj, name)
	}
	text := func(name, otherwise string) string {
		if v := option(name); v != nil {
			return webidl.ToString(v)
		}
		return otherwise
	}
	if size, ok := option("pty").(*goja.Object); ok {
		o.TTY = true
		for name, to := range map[string]*int{"cols": &o.Columns, "rows": &o.Rows} {
			if v := webidl.Option(size, name); v != nil {
				*to = int(v.ToInteger())
			}
		}
	} else if v := option("pty"); v != nil {
		o.TTY = v.ToBoolean()
	}
	o.stdin, o.signal = option("stdin"), option("signal")
	pipe := "pipe"
	if o.TTY {
		pipe = "combined"
		if o.stdin == nil {
			o.stdin = realm.Runtime().ToValue("pipe")
		}
	}
	o.stdout, o.stderr = text("stdout", "pipe"), text("stderr", pipe)
	o.Combined = o.stderr == "combined"
	switch {
	case o.stdout != "pipe" && o.stdout != "ignore":
		realm.ThrowType("Invalid stdout option: %s", o.stdout)
	case o.TTY && !o.Combined:
		realm.ThrowType(`stderr must be "combined" when PTY is enabled.`)
	case o.stderr != "pipe" && o.stderr != "ignore" && !o.Combined:
		realm.ThrowType("Invalid stderr option: %s", o.stderr)
	case o.Combined && o.stdout != "pipe":
		realm.ThrowType(`stderr: "combined" requires stdout to be "pipe".`)
	}
	o.Dir, o.User, o.Env = text("cwd", ""), text("user", ""), c.environment(option("env"))
	if _, stream := o.stdin.(*goja.Object); o.stdin != nil && !stream && webidl.ToString(o.stdin) != "pipe" {
		realm.ThrowType(`stdin must be a ReadableStream or the string "pipe".`)
	}
	return o
}

// process makes the ExecProcess of a process that runs.
func (c *container) process(p *containers.Process, o execOptions, stdout, stderr io.ReadCloser) goja.Value {
	iso := c.h.iso
	rt, h := iso.Runtime(), iso.Host
	raw := rt.NewObject()
	set := func(name string, v any) { _ = raw.Set(name, v) }
	set("pid", p.PID)
	set("isPty", o.TTY)
	for name, r := range map[string]io.ReadCloser{"stdout": stdout, "stderr": stderr} {
		if r != nil {
			set(name, streams.FromReader(h, r, streams.ReaderOptions{Length: -1, Waiting: true}))
		}
	}
	var from goja.Value = goja.Undefined()
	switch stream, ok := o.stdin.(*goja.Object); {
	case ok:
		from = stream
		set("input", streams.NewWritable(h, processInput{p}, streams.WritableOptions{}))
	case o.stdin != nil:
		set("stdin", streams.NewWritable(h, processInput{p}, streams.WritableOptions{}))
	default:
		go func() { _ = p.CloseInput() }() // a process that has ended needs none
	}
	scope := h.Scope()
	set("wait", func(goja.FunctionCall) goja.Value {
		promise, settle := scope.Awaited()
		go func() {
			code, err := p.Wait(scope.Context())
			settle(func() (value, failure goja.Value) {
				if err != nil {
					return nil, iso.Realm.NewError("Error", err.Error())
				}
				return rt.ToValue(code), nil
			})
		}()
		return promise
	})
	c.command(raw, "kill", func(ctx context.Context, n []int) error { return p.Kill(ctx, n[0]) })
	c.command(raw, "resize", func(ctx context.Context, n []int) error { return p.Resize(ctx, n[0], n[1]) })
	kit, err := iso.Internal("cloudflare-internal:container-exec", execSource)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	make, _ := goja.AssertFunction(kit.ToObject(rt).Get("make"))
	if o.signal == nil {
		o.signal = goja.Undefined()
	}
	v, err := make(kit, raw, o.signal, from)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

// command is a method that sends something to the engine and does not wait; a failure is told to a person.
func (c *container) command(on *goja.Object, name string, do func(context.Context, []int) error) {
	_ = on.Set(name, func(fc goja.FunctionCall) goja.Value {
		numbers := make([]int, len(fc.Arguments))
		for i, v := range fc.Arguments {
			numbers[i] = int(v.ToInteger())
		}
		release := c.h.iso.Loop.Clock().Hold("a container's process: " + name)
		go func() {
			defer release()
			if err := do(context.Background(), numbers); err != nil {
				c.h.warn("The container of " + c.app.Class + ": " + name + ": " + err.Error())
			}
		}()
		return goja.Undefined()
	})
}

// processInput is the standard input of a process, as a stream's sink.
type processInput struct{ p *containers.Process }

// Write implements [streams.Sink].
func (i processInput) Write(b []byte) error { _, err := i.p.Write(b); return err }

// Close implements [streams.Sink].
func (i processInput) Close() error { return i.p.CloseInput() }

// Abort implements [streams.Sink].
func (i processInput) Abort(error) { _ = i.p.CloseInput() }

// Waiting implements [streams.Patient].
func (i processInput) Waiting() bool { return true }

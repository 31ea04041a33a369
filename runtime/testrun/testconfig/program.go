package testconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/engine/wasm"
	"eddy/runtime/nodecompat"
	"eddy/runtime/worker"
)

// Options say where and how configurations are evaluated. All fields are required but Console.
type Options struct {
	// Root is the working directory, absolute.
	Root string
	// Environ is the environment of the process, as NAME=VALUE.
	Environ []string
	// Modules makes the module that keeps the modules of a program whose entry has an id, see bundle.ModulesName.
	Modules func(entry string) worker.Module
	// Build does what `wrangler build` with arguments does in a directory, and gives what it prints.
	Build func(ctx context.Context, dir string, args []string) (string, error)
	// Console takes what the programs write to the console.
	Console func(e host.ConsoleLine)
}

// program is an isolate in which files of the user run as Node would run them.
type program struct {
	iso    *worker.Worker
	folder string
	files  []string // that it was made of
}

// day decides the compatibility flags of programs: everything that came before it is on.
const day = "2026-08-01"

// entrySource answers calls of functions of the configuration.
const entrySource = "import { call } from \"" + readerName + "\";\n" +
	"export default { fetch: (request, env, ctx) => call(ctx.props.id, request) };\n"

// start makes a program of files, which do not run yet.
func start(ctx context.Context, o Options, dir string, files []string) (_ *program, err error) {
	p := &program{}
	if p.folder, err = os.MkdirTemp("", "eddy-testconfig-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	entry := filepath.Join(p.folder, "entry.mjs")
	if err := os.WriteFile(entry, []byte(entrySource), 0o666); err != nil {
		return nil, err
	}
	foreign := foreignPlugins(files)
	modules := standIns(o, dir, foreign)
	for _, name := range nodecompat.Names(func(string) bool { return true }) {
		if modules[name] == nil {
			modules[name] = func(iso *worker.Isolate) (*goja.Object, error) {
				return nodecompat.Namespace(iso.Host, name)
			}
		}
	}
	var virtual []bundle.VirtualModule
	for name := range modules {
		virtual = append(virtual, bundle.VirtualModule{Name: name})
	}
	slices.SortFunc(virtual, func(a, b bundle.VirtualModule) int { return strings.Compare(a.Name, b.Name) })
	m, err := bundle.NewModules(bundle.Options{
		Dir: dir, Entry: entry, Virtual: virtual, NodeCompat: true, NodeEnv: "test", CheckRegExp: regexp.Check,
		Define: map[string]string{"__dirname": "import.meta.dirname", "__filename": "import.meta.filename"},
	}, files)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	b, err := m.Build()
	if err != nil {
		return nil, outside(err)
	}
	for _, file := range b.Inputs {
		if file != entry {
			p.files = append(p.files, file)
		}
	}
	modules[bundle.ModulesName] = o.Modules(bundle.ModuleID(entry))
	flags, errs := worker.ResolveFlags(day, []string{"nodejs_compat"})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	wo := worker.Options{
		Name: "vitest configuration", Script: &worker.Script{Bundle: b}, Flags: flags, Modules: modules,
		Log: o.Console,
		Wasm: func(iso *worker.Isolate, file string, code []byte) (goja.Value, error) {
			return wasm.Module(iso.Host, file, code), nil
		},
		Install: []func(*worker.Isolate) error{func(iso *worker.Isolate) error {
			wasm.Install(iso.Host)
			nodecompat.InstallGlobals(iso.Host, iso.Flags.Enabled, func() goja.Value { return iso.Env() })
			return nil
		}},
	}
	for _, pair := range o.Environ {
		name, value, _ := strings.Cut(pair, "=")
		wo.Bindings = append(wo.Bindings, variable{name, value})
	}
	if p.iso, err = worker.Start(ctx, wo); err != nil {
		return nil, err
	}
	_, err = p.do(ctx, func(iso *worker.Isolate) goja.Value {
		ns, err := iso.Namespace(bundle.ModulesName)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		var v goja.Value
		for _, name := range []string{"begin", "loadEntry"} {
			fn, _ := goja.AssertFunction(ns.Get(name))
			if v, err = fn(ns); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
		}
		return v
	})
	return p, err
}

// variable is one of the process's environment.
type variable struct{ name, value string }

// Name implements [worker.Binding].
func (v variable) Name() string { return v.name }

// Install implements [worker.Binding].
func (v variable) Install(iso *worker.Isolate) (goja.Value, error) {
	return iso.Runtime().ToValue(v.value), nil
}

// outside adds to an error of the build what a configuration can use.
func outside(err error) error {
	var failure *bundle.BuildError
	if errors.As(err, &failure) {
		return fmt.Errorf("the configuration of the tests cannot be read:\n%w", err)
	}
	return err
}

func (p *program) close() {
	if p.iso != nil {
		p.iso.Close()
	}
	_ = os.RemoveAll(p.folder) // the system's own folder for what is temporary
}

// do runs f on the loop as an event, waits for the promise that it gives, and gives its value as text.
func (p *program) do(ctx context.Context, f func(iso *worker.Isolate) goja.Value) (string, error) {
	t := &task{run: f, done: make(chan struct{})}
	if !p.iso.Dispatch(ctx, t, worker.DispatchOptions{Unlimited: true}) {
		return "", errors.New("the configuration's isolate was stopped")
	}
	select {
	case <-t.done:
		return t.text, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// task is an event that runs a function of the host. Its fields belong to the loop until done is closed.
type task struct {
	run  func(iso *worker.Isolate) goja.Value
	text string
	err  error
	done chan struct{}
}

// Kind implements [worker.Event].
func (t *task) Kind() string { return "configuration" }

// Run implements [worker.Event].
func (t *task) Run(inv *worker.Invocation) goja.Value { return t.run(inv.Isolate) }

// Settle implements [worker.Event].
func (t *task) Settle(inv *worker.Invocation, value, failure goja.Value) {
	if failure != nil {
		t.err = inv.Isolate.Exception(failure)
		return
	}
	if text, ok := value.(goja.String); ok {
		t.text = text.String()
	}
}

// Done implements [worker.Event].
func (t *task) Done(_ *worker.Invocation, err error) {
	t.err = errors.Join(t.err, err)
	close(t.done)
}

// ask calls a function of the script read.js.
func (p *program) ask(ctx context.Context, name string, args ...any) (string, error) {
	return p.do(ctx, func(iso *worker.Isolate) goja.Value {
		v, err := iso.Namespace(readerName)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		fn, _ := goja.AssertFunction(v.Get(name))
		values := make([]goja.Value, len(args))
		for i, a := range args {
			values[i] = iso.Runtime().ToValue(a)
		}
		out, err := fn(v, values...)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return out
	})
}

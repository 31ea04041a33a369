package bundle

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

//go:embed testdata/scripts
var scripts embed.FS

// script is a Worker, or a part of one, of testdata/scripts.
func script(name string) string {
	text, err := scripts.ReadFile("testdata/scripts/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// project writes files into a fresh folder and returns it. Names use slashes.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// build bundles index.ts or index.js of a project made of files.
func build(t testing.TB, files map[string]string, options ...func(*Options)) *Bundle {
	t.Helper()
	b, err := tryBuild(t, files, options...)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return b
}

func tryBuild(t testing.TB, files map[string]string, options ...func(*Options)) (*Bundle, error) {
	t.Helper()
	dir := project(t, files)
	o := Options{Dir: dir, Entry: "index.js"}
	for _, name := range []string{"index.ts", "index.tsx"} {
		if _, ok := files[name]; ok {
			o.Entry = name
		}
	}
	for _, f := range options {
		f(&o)
	}
	return Build(o)
}

// host is the least that fulfils the calling contract.
type host struct {
	rt      *goja.Runtime
	modules map[string]map[string]any // virtual modules
	exports *goja.Object              // getters
	stars   []*goja.Object
	regexps []string // literals that came through __eddy_regexp
	dynamic []string // import() calls: referrer and specifier
	logged  []string
}

// start runs a bundle in a new runtime. setup, if not nil, sees the host before the script.
func start(t testing.TB, b *Bundle, setup func(*host)) (*host, error) {
	t.Helper()
	h := &host{rt: goja.New(), modules: map[string]map[string]any{}}
	for _, a := range b.Assets {
		var value any = string(a.Bytes)
		switch a.Kind {
		case RuleData:
			value = h.rt.NewArrayBuffer(a.Bytes)
		case RuleCompiledWasm:
			value = "wasm:" + string(a.Bytes)
		}
		h.modules[a.Name] = map[string]any{"default": value}
	}
	h.set("log", func(c goja.FunctionCall) goja.Value {
		parts := make([]string, len(c.Arguments))
		for i, v := range c.Arguments {
			parts[i] = v.String()
		}
		h.logged = append(h.logged, strings.Join(parts, " "))
		return goja.Undefined()
	})
	if setup != nil {
		setup(h)
	}
	program, err := goja.CompileAST(b.TakeProgram(), false)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	value, err := h.rt.RunProgram(program)
	if err != nil {
		return nil, err
	}
	main, ok := goja.AssertFunction(value)
	if !ok {
		return nil, errors.New("the script is no function")
	}
	args := []goja.Value{h.value(h.importModule), h.value(h.importDynamic), h.value(h.export),
		h.rt.ToValue(map[string]any{"url": "file:///index.js"}), h.value(h.regexp)}
	if b.Packages != nil {
		args = append(args, h.packages(b.Packages, args))
	}
	result, err := main(goja.Undefined(), args...)
	if err != nil {
		return nil, err
	}
	promise := result.Export().(*goja.Promise)
	switch promise.State() {
	case goja.PromiseStateRejected:
		return h, fmt.Errorf("rejected: %s", promise.Result())
	case goja.PromiseStatePending:
		return h, errors.New("still pending")
	}
	return h, nil
}

// packages makes the function that runs units.
func (h *host) packages(p *Packages, args []goja.Value) goja.Value {
	must := func(v goja.Value, err error) goja.Value {
		if err != nil {
			panic(err)
		}
		return v
	}
	fn, _ := goja.AssertFunction(must(h.rt.RunScript(ScriptName, p.Source)))
	args = slices.Clone(args)
	args[2] = h.value(func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	generator := must(fn(goja.Undefined(), args...)).ToObject(h.rt)
	next, _ := goja.AssertFunction(generator.Get("next"))
	var units []goja.Value
	return h.value(func(c goja.FunctionCall) goja.Value {
		for len(units) <= int(c.Argument(0).ToInteger()) {
			units = append(units, must(next(generator)).ToObject(h.rt).Get("value"))
		}
		return units[c.Argument(0).ToInteger()]
	})
}

func (h *host) set(name string, f func(goja.FunctionCall) goja.Value) {
	if err := h.rt.Set(name, f); err != nil {
		panic(err)
	}
}

func (h *host) value(f func(goja.FunctionCall) goja.Value) goja.Value { return h.rt.ToValue(f) }

func (h *host) importModule(c goja.FunctionCall) goja.Value {
	specifier := c.Argument(0).String()
	module, ok := h.modules[specifier]
	if !ok {
		panic(h.rt.NewGoError(errors.New(NoSuchModule(specifier))))
	}
	var names []string
	if err := h.rt.ExportTo(c.Argument(1), &names); err != nil {
		panic(err)
	}
	for _, name := range names {
		if _, ok := module[name]; !ok {
			panic(h.rt.NewGoError(errors.New(MissingExport(specifier, name))))
		}
	}
	return h.rt.ToValue(module)
}

func (h *host) importDynamic(c goja.FunctionCall) goja.Value {
	h.dynamic = append(h.dynamic, c.Argument(0).String()+" "+c.Argument(1).String())
	promise, resolve, reject := h.rt.NewPromise()
	module, ok := h.modules[c.Argument(1).String()]
	var err error
	if ok {
		err = resolve(h.rt.ToValue(module))
	} else {
		err = reject(h.rt.NewGoError(errors.New(NoSuchModule(c.Argument(1).String()))))
	}
	if err != nil {
		panic(err)
	}
	return h.rt.ToValue(promise)
}

func (h *host) export(c goja.FunctionCall) goja.Value {
	h.exports = c.Argument(0).ToObject(h.rt)
	if err := h.rt.ExportTo(c.Argument(1), &h.stars); err != nil {
		panic(err)
	}
	return goja.Undefined()
}

func (h *host) regexp(c goja.FunctionCall) goja.Value {
	h.regexps = append(h.regexps, c.Argument(0).String()+" "+c.Argument(1).String())
	value, err := h.rt.New(h.rt.Get("RegExp"), c.Arguments...)
	if err != nil {
		panic(err)
	}
	return value
}

// get reads an export.
func (h *host) get(t testing.TB, name string) goja.Value {
	t.Helper()
	f, ok := goja.AssertFunction(h.exports.Get(name))
	if !ok {
		t.Fatalf("no export %q", name)
	}
	v, err := f(goja.Undefined())
	if err != nil {
		t.Fatalf("export %q: %v", name, err)
	}
	return v
}

// run builds and starts a project and returns its default export as text, awaited if it is a promise.
func run(t testing.TB, files map[string]string, options ...func(*Options)) string {
	t.Helper()
	b := build(t, files, options...)
	h, err := start(t, b, nil)
	if err != nil {
		t.Fatalf("run: %v\n%s", err, b.Source)
	}
	return settle(h.get(t, "default"))
}

func settle(v goja.Value) string {
	if p, ok := v.Export().(*goja.Promise); ok {
		if p.State() != goja.PromiseStateFulfilled {
			return fmt.Sprintf("promise in state %d: %v", p.State(), p.Result())
		}
		v = p.Result()
	}
	return v.String()
}

// call calls a function without arguments and returns its result as text.
func call(t testing.TB, h *host, f goja.Value) string {
	t.Helper()
	fn, ok := goja.AssertFunction(f)
	if !ok {
		t.Fatalf("%v is no function", f)
	}
	v, err := fn(goja.Undefined())
	if err != nil {
		t.Fatal(err)
	}
	return settle(v)
}

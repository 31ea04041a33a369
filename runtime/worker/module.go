package worker

import (
	"fmt"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// Module makes the namespace object of a virtual module, once per isolate, on first import.
type Module func(iso *Isolate) (*goja.Object, error)

// Namespace is the namespace object of a virtual module, nil if there is none of that name.
func (iso *Isolate) Namespace(specifier string) (*goja.Object, error) {
	if ns, ok := iso.modules[specifier]; ok {
		return ns, nil
	}
	make, ok := iso.opts.Modules[specifier]
	if !ok {
		make, ok = builtinModules[specifier]
	}
	if !ok {
		return nil, nil
	}
	ns, err := make(iso)
	if err != nil {
		return nil, err
	}
	iso.modules[specifier] = ns
	return ns, nil
}

// internalPrograms are the scripts of [Isolate.Internal], compiled, by their names: every isolate runs the same ones.
var internalPrograms sync.Map // string → func() (*goja.Program, error), one of sync.OnceValues

// Internal runs a script of the platform's own, whose value is a function, and calls it with args. The name appears in
// stacks and must belong to one source.
func (iso *Isolate) Internal(name, source string, args ...goja.Value) (goja.Value, error) {
	program, err := internalProgram(name, source)
	if err != nil {
		return nil, err
	}
	v, err := iso.Runtime().RunProgram(program)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("%s is not a function", name)
	}
	return f(goja.Undefined(), args...)
}

// internalProgram compiles a script of the platform's own, once for the process.
func internalProgram(name, source string) (*goja.Program, error) {
	once, _ := internalPrograms.LoadOrStore(name, sync.OnceValues(func() (*goja.Program, error) {
		return ecma.Compile(name, source, true)
	}))
	return once.(func() (*goja.Program, error))()
}

// builtinModules are the modules that this package itself provides.
var builtinModules = map[string]Module{
	"cloudflare:workers":   workersModule,
	"cloudflare:sockets":   socketsModule,
	"cloudflare:node":      nodeModule,
	"cloudflare:email":     platformModule("email"),
	"cloudflare:pipelines": platformModule("pipelines"),
	"cloudflare:workflows": platformModule("workflows"),
}

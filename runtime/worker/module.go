package worker

import (
	"github.com/dop251/goja"
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

// builtinModules are the modules that this package itself provides.
var builtinModules = map[string]Module{
	"cloudflare:workers":   workersModule,
	"cloudflare:sockets":   socketsModule,
	"cloudflare:node":      nodeModule,
	"cloudflare:email":     platformModule("email"),
	"cloudflare:workflows": platformModule("workflows"),
}

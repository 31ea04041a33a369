package inspector

import (
	_ "embed"
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

//go:embed pristine.js
var pristineSource string

// pristine are functions of the engine that look at values, taken before a script can put others in their place.
type pristine struct {
	kind, className, own, entries, json                         goja.Callable
	ownKeys, prototype, descriptor                              goja.Callable
	functionText, dateText, regexpText, byteLength, typedLength goja.Callable

	size map[string]goja.Callable
}

func newPristine(rt *goja.Runtime) (*pristine, error) {
	program, err := ecma.Compile("eddy:inspector", pristineSource, true)
	if err != nil {
		return nil, err
	}
	v, err := rt.RunProgram(program)
	if err != nil {
		return nil, err
	}
	p := &pristine{size: map[string]goja.Callable{}}
	var mapSize, setSize goja.Callable
	for name, to := range map[string]*goja.Callable{
		"kind": &p.kind, "className": &p.className, "own": &p.own, "entries": &p.entries, "json": &p.json,
		"ownKeys": &p.ownKeys, "getPrototypeOf": &p.prototype, "getOwnPropertyDescriptor": &p.descriptor,
		"functionText": &p.functionText, "dateText": &p.dateText, "regexpText": &p.regexpText,
		"byteLength": &p.byteLength, "typedLength": &p.typedLength, "mapSize": &mapSize, "setSize": &setSize,
	} {
		f, ok := goja.AssertFunction(v.ToObject(rt).Get(name))
		if !ok {
			return nil, fmt.Errorf("inspector: the engine has no %s", name)
		}
		*to = f
	}
	p.size["map"], p.size["set"] = mapSize, setSize
	return p, nil
}

package worker

import (
	"fmt"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/ecma"
)

// packages are those of a script in which they are one of their own, as an isolate runs them. Loop goroutine.
type packages struct {
	iso     *Isolate
	next    goja.Callable // of the generator
	object  *goja.Object  // the generator
	results []goja.Value  // of the units that have run
	took    time.Duration // by the machine's clock
}

// packagesProgram compiles the script of packages once, for all generations that run it.
func packagesProgram(p *bundle.Packages) (*goja.Program, error) {
	made, err := p.Once(func(tree *ast.Program) (any, error) {
		if tree == nil {
			return ecma.Compile(bundle.ScriptName, p.Source, true)
		}
		return ecma.CompileTree(p.Source, tree, true)
	})
	if err != nil {
		return nil, err
	}
	return made.(*goja.Program), nil
}

// CompilePackages compiles the packages of a bundle, so that isolates that run it need not; those that come meanwhile
// wait. Any goroutine.
func CompilePackages(b *bundle.Bundle) {
	if b == nil || b.Packages == nil {
		return
	}
	defer func() { _ = recover() }()   // an isolate that runs it panics with the same, where that has an owner
	_, _ = packagesProgram(b.Packages) // it gets the error, too
}

// startPackages makes the generator of a script of packages, once; nothing of theirs runs yet.
func (iso *Isolate) startPackages(p *bundle.Packages) error {
	if iso.packages != nil {
		return nil
	}
	prg, err := packagesProgram(p)
	if err != nil {
		return err
	}
	v, err := iso.Runtime().RunProgram(prg)
	if err != nil {
		return err
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		return fmt.Errorf("worker: the script of packages is no function but %s", v)
	}
	args := iso.LoaderArguments()
	args[2] = iso.Realm.Function("export", func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	generator, err := fn(goja.Undefined(), args...)
	if err != nil {
		return err
	}
	out := &packages{iso: iso, object: generator.ToObject(iso.Runtime())}
	if out.next, ok = goja.AssertFunction(out.object.Get("next")); !ok {
		return fmt.Errorf("worker: the script of packages makes no generator")
	}
	iso.packages = out
	return nil
}

// unit runs all units up to one and returns what that one imports.
func (p *packages) unit(n int) (goja.Value, error) {
	defer func(began time.Time) { p.took += time.Since(began) }(time.Now())
	for len(p.results) <= n {
		step, err := p.next(p.object)
		if err != nil {
			return nil, err
		}
		p.results = append(p.results, step.ToObject(p.iso.Runtime()).Get("value"))
	}
	return p.results[n], nil
}

// PackagesTook is how long the packages of a Worker that has started have run at their top level; 0 if they are part of
// its script.
func (w *Worker) PackagesTook() time.Duration {
	if w.packages == nil {
		return 0
	}
	return w.packages.took
}

// function is what the user's script calls for a unit.
func (p *packages) function() goja.Value {
	return p.iso.Realm.Function("packages", func(fc goja.FunctionCall) goja.Value {
		v, err := p.unit(int(fc.Argument(0).ToInteger()))
		if err != nil {
			panic(p.iso.Realm.ErrorValue(err))
		}
		return v
	})
}

package ecma

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
)

// Options configures Install. The zero value works: nothing is mapped, nothing is posted.
type Options struct {
	// MapPosition turns a position of generated code (line and column from 1, columns in UTF-16 units) into the user's
	// own file and position; ok false keeps the generated one. It is called when a stack is first read, on the
	// runtime's goroutine.
	MapPosition func(file string, line, col int) (mappedFile string, mappedLine, mappedCol int, name string, ok bool)

	// HideFile tells of a script that is the platform's own, whose frames no stack shows. Scripts of this package are
	// hidden without it.
	HideFile func(file string) bool

	// Post runs f later on the runtime's goroutine, as a task of its own. FinalizationRegistry callbacks come this way,
	// from any goroutine; without it they never run.
	Post func(f func())

	// AllowEval keeps eval and new Function working; off, they throw the platform's EvalError (RT5).
	AllowEval bool
}

// Engine is a goja runtime that Install has prepared. Its methods must be called on the runtime's goroutine.
type Engine struct {
	rt   *goja.Runtime
	opts Options
	in   *layout

	errorCtor     *goja.Object
	errorProtos   map[string]*goja.Object // intrinsic prototypes by error name
	errorCtors    map[string]*goja.Object
	construct     map[string]func([]goja.Value, *goja.Object) *goja.Object // goja's own constructors, by error name
	stackGet      goja.Value
	stackSet      goja.Value
	objectToStr   goja.Callable
	getDescriptor goja.Callable
	callSiteProto *goja.Object

	views      *viewLayout
	buffers    bufferTable
	regexp     regexpState
	core       goja.Value // what js/core.js exports to the other scripts
	markNative goja.Value
	async      *asyncParts // nil until a program has an async generator
	intlState  *intlParts
	collators  map[string]*collate.Collator
}

//go:embed js/*.js
var scripts embed.FS

type compiledScript struct {
	once sync.Once
	prg  *goja.Program
	err  error
}

var scriptCache sync.Map // name → *compiledScript

func script(name string) (*goja.Program, error) {
	v, _ := scriptCache.LoadOrStore(name, &compiledScript{})
	c := v.(*compiledScript)
	c.once.Do(func() {
		text, err := scripts.ReadFile("js/" + name)
		if err != nil {
			c.err = fmt.Errorf("ecma: embedded script %s: %w", name, err)
			return
		}
		c.prg, c.err = goja.Compile(internalPrefix+name, string(text), true)
	})
	return c.prg, c.err
}

// maxCalls bounds the depth of calls, near V8's own bound for small frames. goja has none of its own and would take all
// memory.
const maxCalls = 10000

// internalPrefix begins the file name of every script of this package.
const internalPrefix = "ecma:"

func (e *Engine) hidden(file string) bool {
	return strings.HasPrefix(file, internalPrefix) || e.opts.HideFile != nil && e.opts.HideFile(file)
}

// Install prepares rt, which must be new: no user code has run in it. It takes about a millisecond.
// The error tells of a goja whose insides are not the ones known here; it is a defect of the build, not of user code.
func Install(rt *goja.Runtime, opts Options) (*Engine, error) {
	in, err := internals()
	if err != nil {
		return nil, err
	}
	views, err := viewInternals()
	if err != nil {
		return nil, err
	}
	e := &Engine{rt: rt, opts: opts, in: in, views: views}
	steps := []func() error{e.installErrors, e.installJSON, e.installBuiltins, e.installFloat16Array, e.installTypedArrayFrom, e.installRegExp, e.installProxy, e.installAsync, e.installIntl, e.installDate}
	rt.SetMaxCallStackSize(maxCalls)
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return e, rt.GlobalObject().Delete("GoError") // the engine's own class, which no other engine has
}

// run evaluates an embedded script, which is one function expression, and calls it with args.
func (e *Engine) run(name string, args ...goja.Value) (goja.Value, error) {
	prg, err := script(name)
	if err != nil {
		return nil, err
	}
	v, err := e.rt.RunProgram(prg)
	if err != nil {
		return nil, fmt.Errorf("ecma: %s: %w", name, err)
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("ecma: %s is not a function", name)
	}
	v, err = f(goja.Undefined(), args...)
	if err != nil {
		return nil, fmt.Errorf("ecma: %s: %w", name, err)
	}
	return v, nil
}

// function makes a built-in: right name and length, not enumerable by itself.
func (e *Engine) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := e.rt.ToValue(f).(*goja.Object)
	must(o.DefineDataProperty("name", e.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	must(o.DefineDataProperty("length", e.rt.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return o
}

// method puts a built-in on o as the standard has them: writable, configurable, not enumerable.
func (e *Engine) method(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	e.value(o, name, e.function(name, length, f))
}

func (e *Engine) value(o *goja.Object, name string, v goja.Value) {
	must(o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

func (e *Engine) object(path ...string) *goja.Object {
	o := e.rt.GlobalObject()
	for _, p := range path {
		next, ok := o.Get(p).(*goja.Object)
		if !ok {
			panic("ecma: goja has no " + strings.Join(path, "."))
		}
		o = next
	}
	return o
}

// must states that an operation on an object this package made can't fail. What a script's accessor on a prototype threw
// meanwhile is the script's own.
func must(err error) {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		panic(ex.Value())
	}
	if err != nil {
		panic(fmt.Sprintf("ecma: %v", err))
	}
}

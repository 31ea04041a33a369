package ecma

import (
	"embed"

	"github.com/dop251/goja"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/intl"
	"eddy/runtime/engine/json"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/engine/v8text"
)

// Options configures Install. The zero value works: nothing is mapped, nothing is posted.
type Options struct {
	// Texts configures how errors and stacks read.
	Texts v8text.Options

	// Post runs f later on the runtime's goroutine, as a task of its own. FinalizationRegistry callbacks come this way,
	// from any goroutine; without it they never run.
	Post func(f func())

	// Reserve is told before a built-in takes that many bytes at once. It calls Runtime.Interrupt if they are too many.
	Reserve func(bytes uint64)

	// AllowEval lets eval and new Function work. Without it they throw the platform's EvalError (RT5).
	AllowEval bool
	// AllowFunctions lets new Function work, and not eval.
	AllowFunctions bool
}

// Engine is a goja runtime that Install has prepared. Its methods must be called on the runtime's goroutine.
type Engine struct {
	*v8text.Texts
	rt   *goja.Runtime
	opts Options
	in   *gojainternals.Layout
	b    *builtin.Builder

	buffers bufferTable
	async   *asyncParts // nil until a program has an async generator
	nature  *nature     // nil until a program has a kernel
	later   laterParts
}

//go:embed js/*.js
var scripts embed.FS

var embedded = builtin.NewScripts(scripts)

// Prepare does what every Install needs and a process does once. It takes some milliseconds, and may be called
// on another goroutine before the first Install, which then waits only for what is not done yet.
func Prepare() {
	if _, err := gojainternals.Read(); err == nil { // else Install reports it
		embedded.Prepare(compileEmbedded, "core.js")
		bounds.Prepare(compileEmbedded)
	}
}

// Install prepares rt, which must be new: no user code has run in it. It takes about a millisecond. It fails if goja's
// insides are not the ones known here, a defect of the build and not of user code.
func Install(rt *goja.Runtime, opts Options) (*Engine, error) {
	in, err := gojainternals.Read()
	if err != nil {
		return nil, err
	}
	e := &Engine{rt: rt, opts: opts, in: in}
	e.b = &builtin.Builder{Runtime: rt, In: in, Compile: compileEmbedded}
	in.QuickThen(rt)
	e.Texts = v8text.Install(e.b, opts.Texts)
	steps := []func() error{
		e.installBuiltins, e.installFloat16Array, e.installTypedArrayFrom, e.installParts,
		e.installProxy, e.installAsync, e.installDate,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	bounds.Install(e.b, opts.Reserve)
	in.Twins(rt)
	in.QuickAlls(rt)
	return e, rt.GlobalObject().Delete("GoError") // the engine's own class, which no other engine has
}

// installParts installs the parts that have packages of their own.
func (e *Engine) installParts() error {
	json.Install(e.b)
	intl.Install(e.b)
	ctor, err := regexp.Install(e.b)
	if err != nil {
		return err
	}
	return e.bindHidden(regexp.Hidden, ctor)
}

// compileEmbedded compiles a script of the engine's own. goja itself matches its regular expressions.
func compileEmbedded(name, text string) (*goja.Program, error) {
	prg, err := goja.Compile(name, text, true)
	if err == nil {
		err = bounds.Program(prg, false)
	}
	return prg, err
}

// run evaluates an embedded script and calls its function with args.
func (e *Engine) run(name string, args ...goja.Value) (goja.Value, error) {
	return embedded.Run(e.b, name, args...)
}

func (e *Engine) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	return e.b.Function(name, length, f)
}

func (e *Engine) method(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
	e.b.Method(o, name, length, f)
}

func (e *Engine) value(o *goja.Object, name string, v goja.Value) { e.b.Value(o, name, v) }
func (e *Engine) object(path ...string) *goja.Object              { return e.b.Object(path...) }
func (e *Engine) toString(v goja.Value) goja.String               { return e.b.ToString(v) }

package bounds

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// maxCalls bounds the depth of calls.
const maxCalls = builtin.MaxCalls

// maxNativeCalls bounds how deep calls nest that pass through a native function: callbacks of built-ins, accessors,
// traps, async functions. Each takes a kilobyte or two of Go's stack, and an interrupt that meets them deep down takes
// time that grows with the square of their number. V8 allows 2,000 to 10,000, by the kind of call.
const maxNativeCalls = 5000

// spareCalls is how many more calls goja's own bound allows. It must be out of reach, because nothing catches the error
// that goja raises there, and a call that a native function makes is not counted before its function begins.
const spareCalls = 2000

var depths = &gojainternals.Depths{
	Calls:    maxCalls,
	Native:   maxNativeCalls,
	Exceeded: overflowIn,
}

func overflowIn(rt *goja.Runtime) {
	if x := known.Of(rt); x != nil {
		x.overflow()
	}
}

// overflow throws what V8 throws when calls nest too deep.
func (x *Bounds) overflow() { x.b.Throw("RangeError", builtin.Overflow) }

// Program makes a freshly compiled program throw in time: where it calls, and where it makes long values. awaits is
// for a Worker's: they await objects as V8 does.
func Program(p *goja.Program, awaits bool) error {
	in, err := gojainternals.Read()
	if err == nil {
		in.Prepare(p, gojainternals.Preparation{Depths: depths, Watched: watched, Quick: true, Awaits: awaits})
	}
	return err
}

// MustCompile compiles a strict script of the platform's own and makes a Program of it: it runs as fast as a Worker's,
// and calls in it count as a Worker's do. It panics if the text is no script.
func MustCompile(name, text string) *goja.Program {
	p := goja.MustCompile(name, text, true)
	if err := Program(p, false); err != nil {
		panic(err)
	}
	return p
}

package bounds

import (
	"sync"

	"eddy/runtime/engine/builtin"

	"github.com/dop251/goja"
)

// resumption is how many generators that resume each other an interrupt or an error passes in one go. goja raises a
// panic again in each generator, and Go walks over all of these panics each time.
const resumption = 32

var aGenerator = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("bounds:generator", "(function* () {})", true)
})

// boundGenerators bounds how deep generators resume each other: no function begins there, so that Depths do not see it.
func (x *Bounds) boundGenerators() {
	f, err := x.rt.RunProgram(aGenerator())
	builtin.Must(err)
	proto := f.(*goja.Object).Prototype().Get("prototype").(*goja.Object)
	for _, name := range []string{"next", "return", "throw"} {
		x.wrap(proto, name, func(call goja.FunctionCall, next func(goja.FunctionCall) goja.Value) goja.Value {
			if x.resumed++; x.resumed > maxNativeCalls {
				x.resumed--
				x.overflow()
			}
			defer func() { x.resumed-- }()
			if x.resumed%resumption != 0 {
				return next(call)
			}
			v, x := caught(next, call)
			if x != nil {
				panic(x)
			}
			return v
		})
	}
}

// caught calls next. If that panics, x is the panic's value.
func caught(next func(goja.FunctionCall) goja.Value, call goja.FunctionCall) (v goja.Value, x any) {
	defer func() { x = recover() }()
	return next(call), nil
}

package gojainternals

import (
	"unsafe"

	"github.com/dop251/goja"
)

// unreached stands where goja's compiler has left nothing: a continue whose finally always breaks out of a labelled
// statement has no place to go to, and never gets to go.
type unreached struct{}

func (unreached) exec(unsafe.Pointer) { panic("gojainternals: code that nothing leads to is run") }

// Complete fills what goja's compiler has left open in a program. It comes before all else that is done to a program.
func (l *Layout) Complete(p *goja.Program) {
	code := l.code(p)
	for i := range code {
		if code[i] == nil {
			code[i] = unreached{}
			continue
		}
		for _, nested := range l.programsOf(unwrapped(code[i])) {
			l.Complete(nested)
		}
	}
}

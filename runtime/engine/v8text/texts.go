package v8text

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/gojainternals"
)

// Options configures Install. The zero value works: nothing is mapped or hidden.
type Options struct {
	// MapPosition turns a position of generated code (line and column from 1, columns in UTF-16 units) into the user's
	// own file and position; ok false is for code of no file of theirs, which no stack shows. It is called when a
	// stack is first read, on the runtime's goroutine.
	MapPosition func(file string, line, col int) (mappedFile string, mappedLine, mappedCol int, name string, ok bool)

	// HideFile tells whether a script is the platform's own, so that no stack shows its frames. The engine's embedded
	// scripts are always hidden.
	HideFile func(file string) bool
}

// Texts words the errors of one runtime. Its methods are called on the runtime's goroutine.
type Texts struct {
	rt   *goja.Runtime
	opts Options
	in   *gojainternals.Layout
	b    *builtin.Builder

	errorCtor     *goja.Object
	construct     map[string]func([]goja.Value, *goja.Object) *goja.Object // goja's own constructors, by error name
	stackGet      goja.Value
	stackSet      goja.Value
	functionToStr goja.Callable
	objectToStr   goja.Callable
	getDescriptor goja.Callable
	callSiteProto *goja.Object
}

// Install puts hooks under the error constructors of a runtime in which no code has run. From then on the builder
// throws through the texts.
func Install(b *builtin.Builder, opts Options) *Texts {
	t := &Texts{rt: b.Runtime, opts: opts, in: b.In, b: b}
	b.Throw = t.Throw
	t.installErrors()
	return t
}

func (t *Texts) hidden(file string) bool {
	return strings.HasPrefix(file, builtin.Prefix) || t.opts.HideFile != nil && t.opts.HideFile(file)
}

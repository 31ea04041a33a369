package builtin

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/dop251/goja"
)

// Prefix begins the file name of every embedded script. Their frames are shown in no stack.
const Prefix = "ecma:"

// Scripts are embedded files, each one function expression.
type Scripts struct {
	files fs.FS
	known sync.Map // name → *compiled
}

type compiled struct {
	once sync.Once
	prg  *goja.Program
	err  error
}

// NewScripts returns the scripts in the folder js of files.
func NewScripts(files fs.FS) *Scripts { return &Scripts{files: files} }

// compile compiles a script once for the process.
func (s *Scripts) compile(name string, compile func(name, text string) (*goja.Program, error)) *compiled {
	known, _ := s.known.LoadOrStore(name, &compiled{})
	c := known.(*compiled)
	c.once.Do(func() {
		var text []byte
		if text, c.err = fs.ReadFile(s.files, "js/"+name); c.err == nil {
			c.prg, c.err = compile(Prefix+name, string(text))
		}
	})
	return c
}

// Prepare compiles scripts before they are asked for. Any goroutine; Run reports what fails.
func (s *Scripts) Prepare(compile func(name, text string) (*goja.Program, error), names ...string) {
	for _, name := range names {
		s.compile(name, compile)
	}
}

// Run evaluates a script and calls its function with args. What ends a Worker's turn, its limits and the bound of
// depth, is given back as it is: scripts that run by first use meet it as any call does.
func (s *Scripts) Run(b *Builder, name string, args ...goja.Value) (goja.Value, error) {
	c := s.compile(name, b.Compile)
	if c.err != nil {
		return nil, fmt.Errorf("embedded script %s: %w", name, c.err)
	}
	v, err := b.Runtime.RunProgram(c.prg)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("embedded script %s is not a function", name)
	}
	return f(goja.Undefined(), args...)
}

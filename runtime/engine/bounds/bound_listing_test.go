package bounds_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// Copies of properties that take much are told before they are made, and a limit of memory refuses them.
func TestCopiesAreReserved(t *testing.T) {
	for _, body := range []string{
		`return { ...text }`, `return { ...list }`, `return { ...bytes }`, `return Object.assign({}, text)`,
		`const { a, ...rest } = text; return rest`, `const { a, ...rest } = list; return rest`,
		`return (({ a, ...rest }) => rest)(bytes)`,
	} {
		rt := goja.New()
		told := uint64(0)
		_, err := ecma.Install(rt, ecma.Options{Reserve: func(bytes uint64) {
			if told += bytes; told > 64<<20 {
				rt.Interrupt("too much")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := ecma.Compile("n.js", `const text = "x".repeat(1 << 20), list = Array(1 << 20).fill(1),
			bytes = new Uint8Array(1 << 20); (() => {`+body+`})()`, true)
		if err != nil {
			t.Fatal(err)
		}
		_, err = rt.RunProgram(p)
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Value() != "too much" {
			t.Errorf("%s: %v with %d bytes told", body, err, told)
		}
	}
}

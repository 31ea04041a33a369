package bundle

import (
	"testing"

	"github.com/dop251/goja/ast"
)

// TestPackagesOnce: a panic of whoever makes something of packages comes to everybody who asks for it.
func TestPackagesOnce(t *testing.T) {
	p := &Packages{}
	for range 2 {
		func() {
			defer func() {
				if r := recover(); r != "no memory" {
					t.Errorf("it panics with %v", r)
				}
			}()
			v, err := p.Once(func(*ast.Program) (any, error) { panic("no memory") })
			t.Errorf("made %v, %v", v, err)
		}()
	}
}

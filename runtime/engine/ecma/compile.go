package ecma

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/script"
	"eddy/runtime/engine/syntax"
)

// Compile parses and compiles a script for runtimes that Install has prepared. strict is for module code. The error is
// goja's *goja.CompilerSyntaxError with file and position.
func Compile(name, src string, strict bool) (*goja.Program, error) {
	tree, err := syntax.Parse(name, src)
	if err != nil {
		return nil, &goja.CompilerSyntaxError{CompilerError: goja.CompilerError{Message: err.Error()}}
	}
	return CompileTree(src, tree, strict)
}

// CompileTree is Compile for a script that was parsed before, without source maps. It changes the tree.
func CompileTree(src string, tree *ast.Program, strict bool) (*goja.Program, error) {
	prg, kernels, err := script.Compile(src, tree, strict, becomeAsyncGenerator)
	if err != nil {
		return nil, err
	}
	if err := bounds.Program(prg, true); err != nil {
		return nil, err
	}
	return prg, shorten(prg, kernels) // in front of the bounds: a kernel calls nothing
}

package script

import (
	"runtime"
	"sort"
	"weak"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/kernel"
	"eddy/runtime/engine/regexp"
)

// Compile makes a program of a script that was parsed without source maps, and keeps its index. It changes the tree.
// Regular expression literals that goja's engine would get wrong become constructions. strict is for module code. made
// is called whenever the program has made an async generator function, with the function. The kernels are those of the
// script's functions that may run without goja. The error is goja's *goja.CompilerSyntaxError with file and position.
func Compile(
	src string,
	tree *ast.Program,
	strict bool,
	made func(*goja.Runtime, *goja.Object),
) (*goja.Program, []*kernel.Kernel, error) {
	w := &walker{idx: &Index{Source: src, PrivateMethods: map[string]string{}}, file: tree.File,
		kernels: kernel.NewFinder(tree)}
	for _, s := range tree.Body {
		w.statement(s)
	}
	if w.err != nil {
		return nil, nil, w.err
	}
	idx := w.idx
	sort.SliceStable(idx.sites, func(i, j int) bool { return idx.sites[i].At < idx.sites[j].At })
	sort.SliceStable(idx.spans, func(i, j int) bool { return idx.spans[i].Start < idx.spans[j].Start })
	kernels := w.kernels.Kernels()
	prg, err := goja.CompileAST(tree, strict)
	if err != nil {
		return nil, nil, err
	}
	if len(w.lowered) > 0 {
		in, err := gojainternals.Read()
		if err != nil {
			return nil, nil, err
		}
		in.AfterMaking(prg, w.lowered, made)
	}
	key := weak.Make(tree.File)
	indexes.Store(key, idx)
	runtime.AddCleanup(tree.File, func(k weak.Pointer[file.File]) { indexes.Delete(k) }, key)
	return prg, kernels, nil
}

// regexp puts a construction in the place of a literal that goja's engine would get wrong.
func (w *walker) regexp(v *ast.RegExpLiteral) ast.Expression {
	e, err := regexp.Literal(v)
	if err != nil {
		w.problem(v.Idx, err.Error())
	}
	return e
}

// problem notes the first syntax error that goja's compiler would not find.
func (w *walker) problem(at file.Idx, text string) {
	if w.err == nil {
		w.err = &goja.CompilerSyntaxError{
			CompilerError: goja.CompilerError{Message: text, File: w.file, Offset: int(at) - 1}}
	}
}

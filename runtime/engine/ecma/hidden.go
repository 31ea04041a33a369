package ecma

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/regexp"
)

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
		w.err = &goja.CompilerSyntaxError{CompilerError: goja.CompilerError{Message: text, File: w.file,
			Offset: int(at) - 1}}
	}
}

// bindHidden declares a global lexical constant under a name that can't be written.
func (e *Engine) bindHidden(name string, v goja.Value) error {
	tree, err := goja.Parse(builtin.Prefix+"bind.js", "const hidden = globalThis.hidden; delete globalThis.hidden",
		parser.WithDisableSourceMaps)
	if err != nil {
		return err
	}
	tree.Body[0].(*ast.LexicalDeclaration).List[0].Target.(*ast.Identifier).Name = unistring.NewFromString(name)
	prg, err := goja.CompileAST(tree, false)
	if err != nil {
		return err
	}
	if err := e.rt.GlobalObject().Set("hidden", v); err != nil {
		return err
	}
	_, err = e.rt.RunProgram(prg)
	return err
}

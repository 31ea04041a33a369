package ecma

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/builtin"
)

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

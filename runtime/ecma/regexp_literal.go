package ecma

import "github.com/dop251/goja/ast"

func (w *walker) regexp(v *ast.RegExpLiteral) ast.Expression { return v }

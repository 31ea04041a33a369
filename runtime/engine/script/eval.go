package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// bodyName is what a body declares that must declare something. No script can have such a name.
const bodyName = "%body%"

// declaring gives a function's body a declaration if the function needs one: goja's compiler counts a scope for the
// body of a function whose parameters have patterns or initializers if eval is called inside, and the running code
// makes none for a body without declarations. Names from further out would be looked for one scope too far out.
// evals is how many calls of eval the walk had met before the function.
func (w *walker) declaring(params *ast.ParameterList, body []ast.Statement, at file.Idx, evals int) []ast.Statement {
	if w.evals == evals || params == nil || simple(params) {
		return body
	}
	declaration := &ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{
		Target: &ast.Identifier{Name: bodyName, Idx: at}}}}
	return append([]ast.Statement{declaration}, body...)
}

// simple tells whether parameters are names only, and none is a rest.
func simple(params *ast.ParameterList) bool {
	for _, b := range params.List {
		if _, name := b.Target.(*ast.Identifier); !name || b.Initializer != nil {
			return false
		}
	}
	return params.Rest == nil
}

// meetsEval notes a call of eval by its name, which sees the names around it.
func (w *walker) meetsEval(callee ast.Expression) {
	if id, ok := callee.(*ast.Identifier); ok && id.Name == "eval" {
		w.evals++
		w.kernels.Dynamic()
	}
}

package script

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/gojainternals"
)

// goja has no async generators. The bundler lowers them to functions whose body is one call, `return
// __asyncGenerator(this, arguments, function* () {…})`, and brings the helpers of that call along. The walker puts the
// engine's helpers (async_generator.go of package ecma) in place of the bundler's. Each such function that the program
// makes is handed to the parameter made of Compile, which turns it into an async generator function.

// HiddenAsync names the global function that returns a helper, as regexp.Hidden names the constructor of patterns.
const HiddenAsync = "%async%"

// asyncHelpers are the bundler's helpers, each with the engine's name for it and the parameters it is known by, so that
// one of the same name that a library brings along is left alone.
var asyncHelpers = map[string]struct {
	name   string
	params []string
}{
	"__asyncGenerator": {"generator", []string{"__this", "__arguments", "generator"}},
	"__await":          {"await", []string{"promise", "isYieldStar"}},
	"__yieldStar":      {"yieldStar", []string{"value"}},
	"__forAwait":       {"forAwait", []string{"obj", "it", "method"}},
}

// asyncHelper returns the call that gives the engine's helper if this is the declaration of one of the bundler's.
func (w *walker) asyncHelper(name string, value ast.Expression) (ast.Expression, bool) {
	if !strings.HasPrefix(name, "__") {
		return nil, false
	}
	helper, ok := asyncHelpers[strings.TrimRight(name, "0123456789")]
	if !ok {
		return nil, false
	}
	var params *ast.ParameterList
	switch f := value.(type) {
	case *ast.ArrowFunctionLiteral:
		params = f.ParameterList
	case *ast.FunctionLiteral:
		params = f.ParameterList
	}
	if params == nil || len(params.List) != len(helper.params) {
		return nil, false
	}
	for i, p := range params.List {
		// The bundler puts a number behind a name that the program has too.
		if id, ok := p.Target.(*ast.Identifier); !ok ||
			strings.TrimRight(id.Name.String(), "0123456789") != helper.params[i] {
			return nil, false
		}
	}
	switch helper.name {
	case "generator":
		w.asyncGenerator = name
	case "yieldStar":
		w.yieldStar = name
	case "await":
		w.awaitHelper = name
	case "forAwait":
		w.forAwait = name
	}
	return callAsync(helper.name, value.Idx0()), true
}

// callAsync makes the call that gives a helper.
func callAsync(name string, at file.Idx) ast.Expression {
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: HiddenAsync, Idx: at},
		LeftParenthesis:  at,
		RightParenthesis: at,
		ArgumentList: []ast.Expression{
			&ast.StringLiteral{Idx: at, Literal: `"` + name + `"`, Value: unistring.NewFromString(name)}},
	}
}

// awaited makes `await value` as it stands in a lowered body. The bundler leaves the value of a return to its helper,
// which has it when the body is over: too late for a catch clause around the return.
func awaited(value ast.Expression) ast.Expression {
	at := value.Idx0()
	return &ast.YieldExpression{Yield: at, Argument: &ast.NewExpression{
		New: at, Callee: callAsync("await", at), LeftParenthesis: at, RightParenthesis: at,
		ArgumentList: []ast.Expression{value},
	}}
}

// loweredInVain returns the operand of a yield* in a generator that is not async: the bundler lowers that too.
func (w *walker) loweredInVain(y *ast.YieldExpression) (ast.Expression, bool) {
	if w.inBody || !y.Delegate || w.yieldStar == "" {
		return nil, false
	}
	call, ok := y.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 1 {
		return nil, false
	}
	id, ok := call.Callee.(*ast.Identifier)
	return call.ArgumentList[0], ok && id.Name.String() == w.yieldStar
}

// noteLowered records a function that is a lowered async generator function. It is known by its text, which must have
// been changed before.
func (w *walker) noteLowered(f *ast.FunctionLiteral) {
	if w.lowered == nil {
		w.lowered = gojainternals.Sources{}
	}
	w.lowered.Add(f.Source)
}

// lowering returns the generator in a function that is a lowered async generator function, nil for any other.
func (w *walker) lowering(f *ast.FunctionLiteral) *ast.FunctionLiteral {
	if w.asyncGenerator == "" || f.Body == nil || len(f.Body.List) != 1 {
		return nil
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStatement)
	if !ok {
		return nil
	}
	call, ok := ret.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 3 {
		return nil
	}
	if id, ok := call.Callee.(*ast.Identifier); !ok || id.Name.String() != w.asyncGenerator {
		return nil
	}
	body, _ := call.ArgumentList[2].(*ast.FunctionLiteral)
	return body
}

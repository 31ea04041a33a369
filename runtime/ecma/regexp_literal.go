package ecma

import (
	"errors"
	"strings"
	"unicode/utf16"

	"eddy/runtime/ecma/jsregexp"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"
)

// hiddenRegExp names the intrinsic constructor in rewritten literals: a global lexical binding, so it is no property of
// the global object, under a name that no script can write.
const hiddenRegExp = "%RegExp%"

// regexp checks a literal and turns it into a construction if goja's engine doesn't fit.
func (w *walker) regexp(v *ast.RegExpLiteral) ast.Expression {
	f, ok := jsregexp.ParseFlags(v.Flags)
	if !ok {
		w.problem(v.Idx, "Invalid regular expression flags")
		return v
	}
	if nativeFits(v.Pattern, v.Flags) {
		return v
	}
	if err := jsregexp.Check(utf16.Encode([]rune(v.Pattern)), f); err != nil {
		w.problem(v.Idx, "Invalid regular expression: /"+v.Pattern+"/"+v.Flags+": "+err.Error())
		return v
	}
	return &ast.NewExpression{
		New:              v.Idx,
		Callee:           &ast.Identifier{Name: hiddenRegExp, Idx: v.Idx},
		LeftParenthesis:  v.Idx,
		RightParenthesis: v.Idx,
		ArgumentList: []ast.Expression{
			&ast.StringLiteral{Idx: v.Idx, Literal: v.Literal, Value: unistring.NewFromString(v.Pattern)},
			&ast.StringLiteral{Idx: v.Idx, Literal: v.Literal, Value: unistring.NewFromString(v.Flags)},
		},
	}
}

// CheckRegExp returns V8's SyntaxError text if no V8 takes a literal. It errs on the side of taking one: the scripts of the
// newest Unicode version are unknown here.
func CheckRegExp(pattern, flags string) error {
	text := "Invalid regular expression: /" + pattern + "/" + flags + ": "
	f, ok := jsregexp.ParseFlags(flags)
	if !ok {
		return errors.New("Invalid regular expression flags") //nolint:staticcheck // V8's text
	}
	err := jsregexp.Check(utf16.Encode([]rune(pattern)), f)
	if err == nil || strings.Contains(pattern, "sc=") || strings.Contains(pattern, "scx=") || strings.Contains(pattern, "Script") {
		return nil
	}
	return errors.New(text + err.Error())
}

// problem notes the first syntax error that goja's compiler would not find.
func (w *walker) problem(at file.Idx, text string) {
	if w.err == nil {
		w.err = &goja.CompilerSyntaxError{CompilerError: goja.CompilerError{Message: text, File: w.file, Offset: int(at) - 1}}
	}
}

// bindHidden declares a global lexical constant under a name that can't be written.
func (e *Engine) bindHidden(name string, v goja.Value) error {
	tree, err := goja.Parse(internalPrefix+"bind.js", "const hidden = globalThis.hidden; delete globalThis.hidden", parser.WithDisableSourceMaps)
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

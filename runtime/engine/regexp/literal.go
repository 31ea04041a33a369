package regexp

import (
	"errors"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/jsregexp"
)

// Hidden names the intrinsic constructor in rewritten literals: a global lexical binding, so it is no property of
// the global object, under a name that no script can write.
const Hidden = "%RegExp%"

// Literal checks a literal and turns it into a construction of an object that this package matches. The error
// is V8's text of a SyntaxError.
func Literal(v *ast.RegExpLiteral) (ast.Expression, error) {
	f, ok := jsregexp.ParseFlags(v.Flags)
	if !ok {
		return v, errors.New("Invalid regular expression flags") // V8's text
	}
	if err := jsregexp.Check(utf16.Encode([]rune(v.Pattern)), f); err != nil {
		// V8's
		return v, errors.New("Invalid regular expression: /" + v.Pattern + "/" + v.Flags + ": " + err.Error())
	}
	return &ast.NewExpression{
		New:              v.Idx,
		Callee:           &ast.Identifier{Name: Hidden, Idx: v.Idx},
		LeftParenthesis:  v.Idx,
		RightParenthesis: v.Idx,
		ArgumentList: []ast.Expression{
			&ast.StringLiteral{Idx: v.Idx, Literal: v.Literal, Value: unistring.NewFromString(v.Pattern)},
			&ast.StringLiteral{Idx: v.Idx, Literal: v.Literal, Value: unistring.NewFromString(v.Flags)},
		},
	}, nil
}

// Check returns V8's SyntaxError text if no V8 takes a literal. It errs on the side of taking one: the scripts of the
// newest Unicode version are unknown here.
func Check(pattern, flags string) error {
	text := "Invalid regular expression: /" + pattern + "/" + flags + ": "
	f, ok := jsregexp.ParseFlags(flags)
	if !ok {
		return errors.New("Invalid regular expression flags") // V8's text
	}
	err := jsregexp.Check(utf16.Encode([]rune(pattern)), f)
	if err == nil || strings.Contains(pattern, "sc=") || strings.Contains(pattern, "scx=") ||
		strings.Contains(pattern, "Script") {
		return nil
	}
	return errors.New(text + err.Error())
}

package script

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// wholeArrow is the text of an arrow function whose body is an expression. The parser's ends before the parentheses
// that close the body: `() => ({})` would show as `() => ({`.
func wholeArrow(source string, f *ast.ArrowFunctionLiteral, body *ast.ExpressionBody) string {
	start, from := int(off(f.Start)), int(off(body.Expression.Idx0()))
	end := start + len(f.Source)
	if from <= start || end > len(source) {
		return f.Source
	}
	arrow := strings.LastIndex(source[start:from], "=>")
	if arrow < 0 || strings.IndexByte(source[start+arrow:from], '(') < 0 {
		return f.Source
	}
	open := openParens(source[start+arrow+2 : end])
	for open > 0 {
		rest := strings.TrimLeft(source[end:], " \t\r\n")
		if !strings.HasPrefix(rest, ")") {
			break
		}
		end = len(source) - len(rest) + 1
		open--
	}
	return source[start:end]
}

// openParens is how many parentheses a text leaves open. Strings, templates and comments do not count.
func openParens(text string) int {
	open := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			open++
		case ')':
			open--
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			rest := text[i:]
			if strings.HasPrefix(rest, "//") {
				i += max(strings.IndexByte(rest, '\n'), 1)
			} else if end := strings.Index(rest, "*/"); strings.HasPrefix(rest, "/*") && end > 0 {
				i += end + 1
			}
		}
	}
	return open
}

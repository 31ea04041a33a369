package v8text

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/gojainternals"
)

const intermediate = "(intermediate value)"

// renderSource prints an expression as V8's error texts do: names and member chains as written, calls as "(...)",
// anything without a name as "(intermediate value)".
func renderSource(text string) string {
	tree, err := goja.Parse("", "async function*f(){("+text+"\n)}", parser.WithDisableSourceMaps)
	if err != nil || len(tree.Body) != 1 {
		return intermediate
	}
	decl, ok := tree.Body[0].(*ast.FunctionDeclaration)
	if !ok || len(decl.Function.Body.List) != 1 {
		return intermediate
	}
	es, ok := decl.Function.Body.List[0].(*ast.ExpressionStatement)
	if !ok {
		return intermediate
	}
	return renderExpr(es.Expression)
}

func renderExpr(e ast.Expression) string {
	switch v := e.(type) {
	case *ast.Identifier:
		return v.Name.String()
	case *ast.ThisExpression:
		return "this"
	case *ast.NullLiteral:
		return "null"
	case *ast.BooleanLiteral:
		return v.Literal
	case *ast.NumberLiteral:
		return v.Literal
	case *ast.StringLiteral:
		return `"` + v.Value.String() + `"`
	case *ast.DotExpression:
		return renderBase(v.Left) + v.Identifier.Name.String()
	case *ast.PrivateDotExpression:
		return renderBase(v.Left) + "#" + strings.TrimPrefix(v.Identifier.Name.String(), "#")
	case *ast.BracketExpression:
		base := renderBase(v.Left)
		if s, ok := v.Member.(*ast.StringLiteral); ok {
			return base + s.Value.String()
		}
		if strings.HasSuffix(base, "?.") {
			return base + "[" + renderExpr(v.Member) + "]"
		}
		return strings.TrimSuffix(base, ".") + "[" + renderExpr(v.Member) + "]"
	case *ast.CallExpression:
		if o, ok := v.Callee.(*ast.Optional); ok {
			return renderExpr(o.Expression) + "?.(...)"
		}
		return renderExpr(v.Callee) + "(...)"
	case *ast.OptionalChain:
		return renderExpr(v.Expression)
	case *ast.Optional:
		return renderExpr(v.Expression)
	case *ast.SequenceExpression:
		parts := make([]string, len(v.Sequence))
		for i, x := range v.Sequence {
			parts[i] = renderExpr(x)
		}
		return "(" + strings.Join(parts, " , ") + ")"
	case *ast.BinaryExpression:
		return "(" + renderExpr(v.Left) + " " + v.Operator.String() + " " + renderExpr(v.Right) + ")"
	case *ast.UnaryExpression:
		if v.Postfix {
			return "(" + renderExpr(v.Operand) + v.Operator.String() + ")"
		}
		op := v.Operator.String()
		if len(op) > 2 {
			op += " "
		}
		return "(" + op + renderExpr(v.Operand) + ")"
	case *ast.ConditionalExpression:
		return strings.Repeat(intermediate, 3)
	case *ast.ArrayLiteral:
		parts := make([]string, len(v.Value))
		for i, x := range v.Value {
			if x != nil {
				parts[i] = renderExpr(x)
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *ast.ObjectLiteral:
		var b strings.Builder
		b.WriteByte('{')
		for _, p := range v.Value {
			if k, ok := p.(*ast.PropertyKeyed); ok {
				b.WriteString(renderExpr(k.Value))
			} else {
				b.WriteString(intermediate)
			}
		}
		b.WriteByte('}')
		return b.String()
	case *ast.ClassLiteral:
		return strings.Repeat(intermediate, max(1, len(v.Body)))
	}
	return intermediate
}

func renderBase(e ast.Expression) string {
	if o, ok := e.(*ast.Optional); ok {
		return renderExpr(o.Expression) + "?."
	}
	return renderExpr(e) + "."
}

// Render prints a value as V8 does inside messages: "#<Foo>" for objects, "[object Array]", a function's source.
func (t *Texts) Render(v goja.Value) string {
	switch x := v.(type) {
	case nil:
		return "undefined"
	case *goja.Symbol:
		return "Symbol(" + x.String() + ")"
	case *goja.Object:
		return t.renderObject(x)
	}
	return v.String()
}

func (t *Texts) renderObject(o *goja.Object) string {
	for o.ExportType() == gojainternals.ProxyType { // its traps must not hear of it
		p, _ := o.Export().(goja.Proxy)
		if o = p.Target(); o == nil {
			return "#<Object>"
		}
	}
	if _, ok := goja.AssertFunction(o); ok {
		if v, err := t.functionToStr(o); err == nil {
			return v.String()
		}
	}
	tag := t.rawTag(o)
	if tag != "Object" {
		if tag == "Error" {
			return t.describe(o)
		}
		if s := o.GetSymbol(goja.SymToStringTag); s == nil || goja.IsUndefined(s) {
			return "[object " + tag + "]"
		}
	}
	return "#<" + t.constructorName(o) + ">"
}

func (t *Texts) rawTag(o *goja.Object) string {
	if o.ClassName() == "Array" || o.ClassName() == "Error" {
		return o.ClassName()
	}
	if v, err := t.objectToStr(o); err == nil {
		s := v.String()
		return strings.TrimSuffix(strings.TrimPrefix(s, "[object "), "]")
	}
	return "Object"
}

func (t *Texts) constructorName(o *goja.Object) string {
	name := "Object"
	if ex := t.rt.Try(func() {
		if c, ok := o.Get("constructor").(*goja.Object); ok {
			if n := c.Get("name"); n != nil && goja.IsString(n) && n.String() != "" {
				name = n.String()
			}
		}
	}); ex != nil {
		return "Object"
	}
	return name
}

// defaultSite is V8's text for a value whose source is unknown: its type and, for some primitives, the value.
func (t *Texts) defaultSite(v goja.Value) string {
	switch kind := TypeOf(v); kind {
	case "string":
		return `string "` + v.String() + `"`
	case "number", "boolean":
		return kind + " " + v.String()
	default:
		if v != nil && goja.IsNull(v) {
			return "object null"
		}
		return kind
	}
}

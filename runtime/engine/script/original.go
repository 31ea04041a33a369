package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// Function.prototype.toString gives a function as it was written (ECMA-262, 20.2.3.5), and libraries send such texts
// elsewhere: puppeteer to a browser, where nobody has the bundler's helpers. So a function gets a text in which the
// bundler's forms of async generators and of `for await` have become the language's again. What the engine compiles
// stays as the bundler made it.

// longestOriginal bounds the texts, because each function around a changed one would have a copy of its own, up to the
// one around the whole script.
const longestOriginal = 64 << 10

// rewrite says what stood in the place of a part of the script. Rewrites are nested or apart.
type rewrite struct {
	start, end int32
	parts      []part
}

// part is a text, or what a range of the script was.
type part struct {
	text       string
	start, end int32
}

func (w *walker) was(from, to file.Idx, parts ...part) {
	w.rewrites = append(w.rewrites, rewrite{off(from), off(to), parts})
}

func literally(text string) part { return part{text: text} }

func between(from, to file.Idx) part { return part{start: off(from), end: off(to)} }

// original returns the text of a function or class whose walk has ended, which began when there were so many rewrites.
func (w *walker) original(source string, at file.Idx, before int) string {
	if len(w.rewrites) == before || len(source) > longestOriginal {
		return source
	}
	inside := slices.Clone(w.rewrites[before:])
	slices.SortFunc(inside, func(a, b rewrite) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out strings.Builder
	render(&out, w.idx.Source, inside, off(at), off(at)+int32(len(source)))
	return out.String()
}

func render(out *strings.Builder, source string, list []rewrite, start, end int32) {
	for _, r := range list {
		if r.start < start || r.end > end {
			continue
		}
		out.WriteString(source[start:r.start])
		for _, p := range r.parts {
			if out.WriteString(p.text); p.start < p.end {
				render(out, source, list, p.start, p.end)
			}
		}
		start = r.end
	}
	out.WriteString(source[start:end])
}

// wasGenerator notes what the lowered function f with the generator body was.
func (w *walker) wasGenerator(f, body *ast.FunctionLiteral, member bool) {
	params := f.ParameterList
	if p := body.ParameterList; len(p.List) > 0 || p.Rest != nil {
		params = p // the bundler has moved them
	}
	head := []part{literally("async *"), between(f.Function, f.ParameterList.Opening)}
	if !member {
		name := between(f.Function+file.Idx(len("function")), f.ParameterList.Opening)
		if head = []part{literally("async function*"), name}; name.start == name.end {
			head[1] = literally(" ")
		}
	}
	w.was(f.Function, f.Function+file.Idx(len(f.Source)), append(head, between(params.Opening, params.Closing+1),
		literally(" "), between(body.Body.LeftBrace, body.Body.RightBrace+1))...)
}

// wasAwait notes what `yield new __await(value)` and `yield* __yieldStar(value)` were.
func (w *walker) wasAwait(y *ast.YieldExpression) {
	switch v := y.Argument.(type) {
	case *ast.NewExpression:
		if w.calls(v.Callee, w.awaitHelper) && len(v.ArgumentList) == 1 {
			w.was(y.Yield, v.RightParenthesis+1, append([]part{literally("await ")}, operand(v.ArgumentList[0])...)...)
		}
	case *ast.CallExpression:
		if y.Delegate && w.calls(v.Callee, w.yieldStar) && len(v.ArgumentList) == 1 {
			w.was(v.Idx0(), v.RightParenthesis+1, operand(v.ArgumentList[0])...)
		}
	}
}

// operand is an expression behind await, in brackets where it may need them.
func operand(e ast.Expression) []part {
	text := between(e.Idx0(), e.Idx1())
	switch e.(type) {
	case *ast.Identifier, *ast.CallExpression, *ast.DotExpression, *ast.ThisExpression, *ast.NumberLiteral,
		*ast.StringLiteral:
		return []part{text}
	}
	return []part{literally("("), text, literally(")")}
}

// calls tells whether a callee is one of the bundler's helpers, which is "" while none was declared.
func (w *walker) calls(callee ast.Expression, helper string) bool {
	id, ok := callee.(*ast.Identifier)
	return ok && helper != "" && id.Name.String() == helper
}

// wasForAwait notes what a loop was that the bundler has put into
//
//	try { for (var iter = __forAwait(list), …; …; …) { const x = temp.value; … } } catch (temp) { … } finally { … }
func (w *walker) wasForAwait(t *ast.TryStatement) {
	if w.forAwait == "" || t.Catch == nil || t.Finally == nil || len(t.Body.List) != 1 {
		return
	}
	inner := t.Body.List[0]
	for labelled, ok := inner.(*ast.LabelledStatement); ok; labelled, ok = inner.(*ast.LabelledStatement) {
		inner = labelled.Statement
	}
	loop, ok := inner.(*ast.ForStatement)
	if !ok {
		return
	}
	names, ok := loop.Initializer.(*ast.ForLoopInitializerVarDeclList)
	block, isBlock := loop.Body.(*ast.BlockStatement)
	if !ok || !isBlock || len(names.List) == 0 || len(block.List) == 0 {
		return
	}
	call, ok := names.List[0].Initializer.(*ast.CallExpression)
	if !ok || !w.calls(call.Callee, w.forAwait) || len(call.ArgumentList) != 1 {
		return
	}
	from, to, end := assigned(block.List[0])
	if end == 0 {
		return
	}
	rest := off(end)
	rest += int32(len(w.idx.Source[rest:]) - len(strings.TrimLeft(w.idx.Source[rest:], ") ;")))
	list := call.ArgumentList[0]
	w.was(t.Idx0(), t.Idx1(), between(t.Body.List[0].Idx0(), loop.For), literally("for await ("), between(from, to),
		literally(" of "), between(list.Idx0(), list.Idx1()), literally(") {"),
		part{start: rest, end: off(block.RightBrace) + 1})
}

// assigned is where the target begins and ends that a statement gives a value, and where the value ends; 0 for any
// other statement.
func assigned(s ast.Statement) (from, to, end file.Idx) {
	var at file.Idx
	var list []*ast.Binding
	switch s := s.(type) {
	case *ast.VariableStatement:
		at, list = s.Var, s.List
	case *ast.LexicalDeclaration:
		at, list = s.Idx, s.List
	case *ast.ExpressionStatement:
		if a, ok := s.Expression.(*ast.AssignExpression); ok {
			return a.Left.Idx0(), a.Left.Idx1(), a.Right.Idx1()
		}
	}
	if len(list) != 1 || list[0].Initializer == nil {
		return 0, 0, 0
	}
	return at, list[0].Target.Idx1(), list[0].Initializer.Idx1()
}

package bundle

import (
	"sort"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	op "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/lazyregexp"
)

// Span is a piece of a user's file; lines and columns count from 1, and End is behind the last token that the source
// map knows.
type Span struct{ Start, End Position }

// CountedFunction is a function whose calls are counted.
type CountedFunction struct {
	Name           string
	Declared, Body Span
}

// CountedBranch is a place at which the program goes one of several ways.
type CountedBranch struct {
	// Kind is istanbul's: if, cond-expr, binary-expr, switch, default-arg.
	Kind string
	Span Span
	Ways []Span
}

// Counted is what is counted of a file, in the order of its counters: statements, functions, then the ways of branches.
type Counted struct {
	File       string
	Statements []Span
	Functions  []CountedFunction
	Branches   []CountedBranch
}

// Counters is how many counters the file has.
func (c *Counted) Counters() int {
	n := len(c.Statements) + len(c.Functions)
	for _, b := range c.Branches {
		n += len(b.Ways)
	}
	return n
}

// countsName is the array of counters in a module's function.
const countsName = "__eddy_counts"

// instrumenter adds counters to the syntax tree of a module, where istanbul has them. The tree keeps its positions: a
// counter stands where the statement stands that it counts. What stems from no file of the user is not counted.
type instrumenter struct {
	of     *SourceMap
	source string
	lines  []int // byte offsets of the script's lines
	out    *Counted
	left   leftOut
	// The counters are numbered when all is known, so each keeps the literal that holds its number.
	statements, functions []*ast.NumberLiteral
	branches              [][]*ast.NumberLiteral
}

// instrument counts what the statements of a module's function do and gives them back with the counters added. of is
// the map of the whole script, whose text is source, and lines are the offsets of its lines. A file that a comment
// leaves out has nothing that is counted: nil.
func instrument(
	of *SourceMap, source string, lines []int, name, id string, body []ast.Statement,
) ([]ast.Statement, *Counted) {
	in := &instrumenter{of: of, source: source, lines: lines, out: &Counted{File: name}, left: ignoredParts(of, name)}
	if in.left.file {
		return body, nil
	}
	body = in.list(body)
	n := 0
	number := func(list []*ast.NumberLiteral) {
		for _, literal := range list {
			literal.Value, literal.Literal = int64(n), strconv.Itoa(n)
			n++
		}
	}
	number(in.statements)
	number(in.functions)
	for _, ways := range in.branches {
		number(ways)
	}
	// const __eddy_counts = __eddy_modules.counters(id, n)
	at := file.Idx(1)
	if len(body) > 0 {
		at = body[0].Idx0()
	}
	declaration := &ast.LexicalDeclaration{Idx: at, Token: op.CONST, List: []*ast.Binding{{
		Target: &ast.Identifier{Name: countsName, Idx: at},
		Initializer: &ast.CallExpression{
			Callee: &ast.DotExpression{
				Left:       &ast.Identifier{Name: "__eddy_modules", Idx: at},
				Identifier: ast.Identifier{Name: "counters", Idx: at},
			},
			LeftParenthesis: at, RightParenthesis: at,
			ArgumentList: []ast.Expression{
				&ast.StringLiteral{Idx: at, Literal: strconv.Quote(id), Value: unistring.NewFromString(id)},
				&ast.NumberLiteral{Idx: at, Literal: strconv.Itoa(n), Value: int64(n)},
			},
		},
	}}}
	return append([]ast.Statement{declaration}, body...), in.out
}

// lineOffsets are the byte offsets at which the lines of a text begin.
func lineOffsets(text string) []int {
	lines := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// position is the place in the user's file of an offset of the script, false if there is none.
func (in *instrumenter) position(at file.Idx) (Position, bool) {
	offset := int(at) - 1
	if offset < 0 {
		return Position{}, false
	}
	line := sort.SearchInts(in.lines, offset+1) - 1
	p, ok := in.of.Lookup(line+1, offset-in.lines[line]+1)
	return p, ok && p.File == in.out.File
}

// span is where a node stands, false if it is no text of the user.
func (in *instrumenter) span(n ast.Node) (Span, bool) {
	start, ok := in.position(in.begin(n))
	if !ok {
		return Span{}, false
	}
	s := Span{start, start}
	for _, at := range []file.Idx{n.Idx1(), n.Idx1() - 1} {
		end, ok := in.position(at)
		if ok && (end.Line > s.Start.Line || end.Line == s.Start.Line && end.Column > s.Start.Column) {
			s.End = end
			break
		}
	}
	return s, true
}

// begin is where a node begins. The engine's parser does not say where an if stands: that is before its test.
func (in *instrumenter) begin(n ast.Node) file.Idx {
	s, ok := n.(*ast.IfStatement)
	if !ok || s.If > 0 {
		return n.Idx0()
	}
	test := int(s.Test.Idx0()) - 1
	if test < 0 || test > len(in.source) {
		return 0
	}
	return file.Idx(strings.LastIndex(in.source[:test], "if") + 1)
}

// counter is __eddy_counts[n]++, with n to come.
func counter(at file.Idx) (ast.Expression, *ast.NumberLiteral) {
	n := &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(0)}
	return &ast.UnaryExpression{Operator: op.INCREMENT, Idx: at, Postfix: true, Operand: &ast.BracketExpression{
		Left: &ast.Identifier{Name: countsName, Idx: at}, Member: n, LeftBracket: at, RightBracket: at,
	}}, n
}

// statement is a counter for a statement that stands at a node, nil if the node is no text of the user.
func (in *instrumenter) statement(n ast.Node) ast.Expression {
	span, ok := in.span(n)
	if !ok {
		return nil
	}
	count, literal := counter(in.begin(n))
	in.statements = append(in.statements, literal)
	in.out.Statements = append(in.out.Statements, span)
	return count
}

// before puts a counter before an expression.
func before(count, e ast.Expression) ast.Expression {
	if count == nil {
		return e
	}
	return &ast.SequenceExpression{Sequence: []ast.Expression{count, e}}
}

// list visits statements that follow each other.
func (in *instrumenter) list(list []ast.Statement) []ast.Statement {
	out := make([]ast.Statement, 0, 2*len(list))
	for i, s := range list {
		if isPrologue(s) || isNaming(s) || i == 0 && isDirective(s) || in.ignored(s) {
			out = append(out, s)
			continue
		}
		for _, count := range in.visit(s) {
			out = append(out, &ast.ExpressionStatement{Expression: count})
		}
		out = append(out, s)
	}
	return out
}

func isDirective(s ast.Statement) bool {
	e, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = e.Expression.(*ast.StringLiteral)
	return ok
}

// isNaming tells the calls by which esbuild keeps the names of functions.
func isNaming(s ast.Statement) bool {
	e, ok := s.(*ast.ExpressionStatement)
	return ok && named(e.Expression) != nil
}

// named is what a call of esbuild's __name names, nil for other expressions.
func named(e ast.Expression) ast.Expression {
	call, ok := e.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 2 {
		return nil
	}
	if id, ok := call.Callee.(*ast.Identifier); !ok || id.Name != "__name" {
		return nil
	}
	return call.ArgumentList[0]
}

var enumHead = lazyregexp.New(`\benum\s+([\p{L}_$][\p{L}\p{N}_$]*)`)

// ofEnum tells the `Name || (Name = {})` that esbuild gives the function of an enum: nobody wrote it.
func (in *instrumenter) ofEnum(e *ast.BinaryExpression) bool {
	name, ok := e.Left.(*ast.Identifier)
	if !ok || e.Operator != op.LOGICAL_OR {
		return false
	}
	switch right := e.Right.(type) {
	case *ast.ObjectLiteral:
	case *ast.AssignExpression:
		if _, ok := right.Right.(*ast.ObjectLiteral); !ok {
			return false
		}
	default:
		return false
	}
	p, ok := in.position(e.Idx0())
	if !ok {
		return false
	}
	line, _ := in.of.SourceLine(p.File, p.Line)
	head := enumHead.FindStringSubmatch(line)
	return head != nil && head[1] == string(name.Name)
}

// makesFunction tells an expression that gets its name from what it is assigned to.
func makesFunction(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		return true
	default:
		inner := named(e)
		return inner != nil && makesFunction(inner)
	}
}

// body makes a block of a statement that another one controls, with counters at its begin.
func (in *instrumenter) body(s ast.Statement, counts ...ast.Expression) ast.Statement {
	block, ok := s.(*ast.BlockStatement)
	if !ok {
		block = &ast.BlockStatement{LeftBrace: s.Idx0(), RightBrace: s.Idx0(), List: []ast.Statement{s}}
	}
	list := in.list(block.List)
	for i := len(counts) - 1; i >= 0; i-- {
		list = append([]ast.Statement{&ast.ExpressionStatement{Expression: counts[i]}}, list...)
	}
	block.List = list
	return block
}

// declarations counts the values of declared names. A function is counted before the declaration, others in their
// place.
func (in *instrumenter) declarations(list []*ast.Binding) (counts []ast.Expression) {
	for _, b := range list {
		in.pattern(b.Target)
		if b.Initializer == nil || in.ignored(b.Target) {
			continue
		}
		var count ast.Expression
		if !in.declared(b.Initializer) {
			count = in.statement(b.Initializer)
		}
		fn := makesFunction(b.Initializer)
		b.Initializer = in.expression(b.Initializer)
		switch {
		case count == nil:
		case fn:
			counts = append(counts, count)
		default:
			b.Initializer = before(count, b.Initializer)
		}
	}
	return counts
}

// declared tells the value of `export default` and a class that was a declaration before esbuild changed it: they are
// no statements.
func (in *instrumenter) declared(e ast.Expression) bool {
	p, ok := in.position(e.Idx0())
	if !ok {
		return false
	}
	line, _ := in.of.SourceLine(p.File, p.Line)
	if p.Column-1 > len(line) {
		return false
	}
	head := strings.TrimRight(line[:p.Column-1], " \t(")
	text := line[p.Column-1:]
	if strings.HasPrefix(text, "class") && (head == "" || strings.HasSuffix(head, "export")) {
		return true
	}
	return strings.HasSuffix(head, "export default") || strings.HasPrefix(text, "export default")
}

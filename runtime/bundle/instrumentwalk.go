package bundle

import (
	"fmt"

	"github.com/dop251/goja/ast"
	op "github.com/dop251/goja/token"
)

// visit adds counters inside a statement and gives those that belong before it.
func (in *instrumenter) visit(s ast.Statement) (counts []ast.Expression) {
	switch s := s.(type) {
	case *ast.FunctionDeclaration:
		in.function(s.Function, s.Function)
		return nil
	case *ast.ClassDeclaration:
		in.class(s.Class)
		return nil
	case *ast.BlockStatement:
		s.List = in.list(s.List)
		return nil
	case *ast.EmptyStatement, nil:
		return nil
	case *ast.VariableStatement:
		return in.declarations(s.List)
	case *ast.LexicalDeclaration:
		return in.declarations(s.List)
	case *ast.LabelledStatement:
		if count := in.statement(s); count != nil {
			counts = append(counts, count)
		}
		return append(counts, in.visit(s.Statement)...)
	}
	if count := in.statement(s); count != nil {
		counts = append(counts, count)
	}
	in.inside(s)
	return counts
}

// inside adds counters to the parts of a statement that is counted itself.
func (in *instrumenter) inside(s ast.Statement) {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		s.Expression = in.expression(s.Expression)
	case *ast.ReturnStatement:
		s.Argument = in.expression(s.Argument)
	case *ast.ThrowStatement:
		s.Argument = in.expression(s.Argument)
	case *ast.IfStatement:
		in.branchesOf(s)
	case *ast.SwitchStatement:
		in.cases(s)
	case *ast.ForStatement:
		switch i := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			i.Expression = in.expression(i.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			in.heads(i.List)
		case *ast.ForLoopInitializerLexicalDecl:
			in.heads(i.LexicalDeclaration.List)
		}
		s.Test, s.Update = in.expression(s.Test), in.expression(s.Update)
		s.Body = in.body(s.Body)
	case *ast.ForInStatement:
		s.Source = in.expression(s.Source)
		s.Body = in.body(s.Body)
	case *ast.ForOfStatement:
		s.Source = in.expression(s.Source)
		s.Body = in.body(s.Body)
	case *ast.WhileStatement:
		s.Test = in.expression(s.Test)
		s.Body = in.body(s.Body)
	case *ast.DoWhileStatement:
		s.Body = in.body(s.Body)
		s.Test = in.expression(s.Test)
	case *ast.WithStatement:
		s.Object = in.expression(s.Object)
		s.Body = in.body(s.Body)
	case *ast.TryStatement:
		s.Body.List = in.list(s.Body.List)
		if s.Catch != nil {
			in.pattern(s.Catch.Parameter)
			s.Catch.Body.List = in.list(s.Catch.Body.List)
		}
		if s.Finally != nil {
			s.Finally.List = in.list(s.Finally.List)
		}
	}
}

// heads counts the values that a loop begins with; each stands in its place.
func (in *instrumenter) heads(list []*ast.Binding) {
	for _, b := range list {
		in.pattern(b.Target)
		if b.Initializer == nil {
			continue
		}
		count := in.statement(b.Initializer)
		b.Initializer = before(count, in.expression(b.Initializer))
	}
}

// way adds a way to a branch and gives its counter. where is the node that runs, or nil for one that is not there.
func (in *instrumenter) way(branch int, where ast.Node, at ast.Node) ast.Expression {
	var span Span
	if where != nil {
		span, _ = in.span(where)
	}
	count, literal := counter(in.begin(at))
	in.branches[branch] = append(in.branches[branch], literal)
	in.out.Branches[branch].Ways = append(in.out.Branches[branch].Ways, span)
	return count
}

// operand adds the way to an operand, unless a comment leaves that out.
func (in *instrumenter) operand(branch int, e ast.Expression) ast.Expression {
	if in.ignored(e) {
		return nil
	}
	return in.way(branch, e, e)
}

// branch begins a branch that stands at a node, -1 if that is no text of the user.
func (in *instrumenter) branch(kind string, n ast.Node) int {
	span, ok := in.span(n)
	if !ok {
		return -1
	}
	in.out.Branches = append(in.out.Branches, CountedBranch{Kind: kind, Span: span})
	in.branches = append(in.branches, nil)
	return len(in.branches) - 1
}

func (in *instrumenter) branchesOf(s *ast.IfStatement) {
	noIf, noElse := in.ignoredAt(in.begin(s), "if"), in.ignoredAt(in.begin(s), "else")
	i := -1
	if s.Alternate != nil || !noIf { // else there is no way that has a place
		i = in.branch("if", s)
	}
	s.Test = in.expression(s.Test)
	way := func(where ast.Node) (counts []ast.Expression) {
		if i >= 0 {
			counts = []ast.Expression{in.way(i, where, s)}
		}
		return counts
	}
	if !noIf {
		s.Consequent = in.body(s.Consequent, way(s.Consequent)...)
	}
	switch {
	case noElse:
	case s.Alternate != nil:
		s.Alternate = in.body(s.Alternate, way(s.Alternate)...)
	case i >= 0:
		s.Alternate = &ast.BlockStatement{LeftBrace: in.begin(s), RightBrace: in.begin(s),
			List: []ast.Statement{&ast.ExpressionStatement{Expression: way(nil)[0]}}}
	}
}

func (in *instrumenter) cases(s *ast.SwitchStatement) {
	i := in.branch("switch", s)
	s.Discriminant = in.expression(s.Discriminant)
	for _, c := range s.Body {
		if in.ignoredAt(c.Case, "next") {
			continue
		}
		var count ast.Expression
		if i >= 0 {
			span, _ := in.position(c.Case)
			var literal *ast.NumberLiteral
			count, literal = counter(c.Case)
			in.branches[i] = append(in.branches[i], literal)
			in.out.Branches[i].Ways = append(in.out.Branches[i].Ways, Span{span, span})
		}
		c.Test = in.expression(c.Test)
		c.Consequent = in.list(c.Consequent)
		if count != nil {
			c.Consequent = append([]ast.Statement{&ast.ExpressionStatement{Expression: count}}, c.Consequent...)
		}
	}
}

// function counts the calls of a function; at is where it is declared, a method's key for example.
func (in *instrumenter) function(f *ast.FunctionLiteral, at ast.Node) {
	name := ""
	if f.Name != nil {
		name = string(f.Name.Name)
	}
	count := in.called(name, at, f.Body)
	in.parameters(f.ParameterList)
	f.Body.List = in.list(f.Body.List)
	if count == nil {
		return
	}
	first := 0
	for first < len(f.Body.List) && isDirective(f.Body.List[first]) {
		first++
	}
	list := append([]ast.Statement{}, f.Body.List[:first]...)
	list = append(list, &ast.ExpressionStatement{Expression: count})
	f.Body.List = append(list, f.Body.List[first:]...)
}

// called is the counter of a function, nil if it is no text of the user.
func (in *instrumenter) called(name string, at, body ast.Node) ast.Expression {
	span, ok := in.span(at)
	if !ok {
		return nil
	}
	inside, _ := in.span(body)
	if name == "" {
		name = fmt.Sprintf("(anonymous_%d)", len(in.functions))
	}
	in.out.Functions = append(in.out.Functions, CountedFunction{Name: name, Declared: span, Body: inside})
	count, literal := counter(body.Idx0())
	in.functions = append(in.functions, literal)
	return count
}

func (in *instrumenter) arrow(f *ast.ArrowFunctionLiteral) {
	count := in.called("", f, f.Body)
	in.parameters(f.ParameterList)
	switch b := f.Body.(type) {
	case *ast.BlockStatement:
		b.List = in.list(b.List)
		if count != nil {
			b.List = append([]ast.Statement{&ast.ExpressionStatement{Expression: count}}, b.List...)
		}
	case *ast.ExpressionBody:
		statement := in.statement(b.Expression)
		e := before(statement, in.expression(b.Expression))
		b.Expression = before(count, e)
	}
}

func (in *instrumenter) parameters(list *ast.ParameterList) {
	for _, p := range list.List {
		in.pattern(p)
	}
	in.pattern(list.Rest)
}

// pattern visits what is declared: defaults are branches of one way.
func (in *instrumenter) pattern(t ast.Node) {
	switch t := t.(type) {
	case *ast.Binding:
		in.pattern(t.Target)
		t.Initializer = in.otherwise(t.Initializer)
	case *ast.AssignExpression:
		in.pattern(t.Left)
		t.Right = in.otherwise(t.Right)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			in.pattern(e)
		}
		in.pattern(t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				p.Initializer = in.otherwise(p.Initializer)
			case *ast.PropertyKeyed:
				if p.Computed {
					p.Key = in.expression(p.Key)
				}
				in.pattern(p.Value)
			}
		}
		in.pattern(t.Rest)
	}
}

// otherwise counts a default value.
func (in *instrumenter) otherwise(e ast.Expression) ast.Expression {
	if e == nil {
		return nil
	}
	if makesFunction(e) || in.ignored(e) {
		return in.expression(e)
	}
	i := in.branch("default-arg", e)
	if i < 0 {
		return in.expression(e)
	}
	count := in.way(i, e, e)
	return before(count, in.expression(e))
}

func (in *instrumenter) class(c *ast.ClassLiteral) {
	c.SuperClass = in.expression(c.SuperClass)
	for _, element := range c.Body {
		switch e := element.(type) {
		case *ast.FieldDefinition:
			if e.Computed {
				e.Key = in.expression(e.Key)
			}
			if e.Initializer != nil && !in.ignored(e.Key) {
				count := in.statement(e.Initializer)
				fn := makesFunction(e.Initializer)
				e.Initializer = in.expression(e.Initializer)
				if !fn {
					e.Initializer = before(count, e.Initializer)
				}
			}
		case *ast.MethodDefinition:
			if e.Computed {
				e.Key = in.expression(e.Key)
			}
			if !in.ignored(e.Key) {
				in.function(e.Body, e.Key)
			}
		case *ast.ClassStaticBlock:
			e.Block.List = in.list(e.Block.List)
		}
	}
}

// leaves are the operands of logical operators that follow each other, as places where they stand.
func leaves(e *ast.Expression, into []*ast.Expression) []*ast.Expression {
	if b, ok := (*e).(*ast.BinaryExpression); ok && isLogical(b.Operator) {
		return leaves(&b.Right, leaves(&b.Left, into))
	}
	return append(into, e)
}

func isLogical(operator op.Token) bool {
	return operator == op.LOGICAL_AND || operator == op.LOGICAL_OR || operator == op.COALESCE
}

// expression adds counters inside an expression and gives what stands in its place.
func (in *instrumenter) expression(e ast.Expression) ast.Expression {
	if e == nil || in.ignored(e) {
		return e
	}
	switch e := e.(type) {
	case *ast.FunctionLiteral:
		in.function(e, e)
	case *ast.ArrowFunctionLiteral:
		in.arrow(e)
	case *ast.ClassLiteral:
		in.class(e)
	case *ast.ConditionalExpression:
		e.Test = in.expression(e.Test)
		i := in.branch("cond-expr", e)
		if i < 0 {
			e.Consequent, e.Alternate = in.expression(e.Consequent), in.expression(e.Alternate)
			break
		}
		first, second := in.operand(i, e.Consequent), in.operand(i, e.Alternate)
		e.Consequent = before(first, in.expression(e.Consequent))
		e.Alternate = before(second, in.expression(e.Alternate))
	case *ast.BinaryExpression:
		if !isLogical(e.Operator) || in.ofEnum(e) {
			e.Left, e.Right = in.expression(e.Left), in.expression(e.Right)
			break
		}
		i := in.branch("binary-expr", e)
		var whole ast.Expression = e
		for _, leaf := range leaves(&whole, nil) {
			if i < 0 {
				*leaf = in.expression(*leaf)
				continue
			}
			count := in.operand(i, *leaf)
			*leaf = before(count, in.expression(*leaf))
		}
	case *ast.ObjectLiteral:
		in.properties(e.Value)
	case *ast.ObjectPattern, *ast.ArrayPattern:
		in.pattern(e)
	default:
		in.operands(e)
	}
	return e
}

func (in *instrumenter) properties(list []ast.Property) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			p.Initializer = in.expression(p.Initializer)
		case *ast.PropertyKeyed:
			if p.Computed {
				p.Key = in.expression(p.Key)
			}
			if f, ok := p.Value.(*ast.FunctionLiteral); ok && p.Kind != ast.PropertyKindValue {
				in.function(f, p.Key)
			} else {
				p.Value = in.expression(p.Value)
			}
		case *ast.SpreadElement:
			p.Expression = in.expression(p.Expression)
		}
	}
}

func (in *instrumenter) operands(e ast.Expression) {
	each := func(list []ast.Expression) {
		for i, x := range list {
			list[i] = in.expression(x)
		}
	}
	switch e := e.(type) {
	case *ast.ArrayLiteral:
		each(e.Value)
	case *ast.AssignExpression:
		e.Left, e.Right = in.expression(e.Left), in.expression(e.Right)
	case *ast.AwaitExpression:
		e.Argument = in.expression(e.Argument)
	case *ast.YieldExpression:
		e.Argument = in.expression(e.Argument)
	case *ast.BracketExpression:
		e.Left, e.Member = in.expression(e.Left), in.expression(e.Member)
	case *ast.CallExpression:
		e.Callee = in.expression(e.Callee)
		each(e.ArgumentList)
	case *ast.DotExpression:
		e.Left = in.expression(e.Left)
	case *ast.PrivateDotExpression:
		e.Left = in.expression(e.Left)
	case *ast.OptionalChain:
		e.Expression = in.expression(e.Expression)
	case *ast.Optional:
		e.Expression = in.expression(e.Expression)
	case *ast.NewExpression:
		e.Callee = in.expression(e.Callee)
		each(e.ArgumentList)
	case *ast.SequenceExpression:
		each(e.Sequence)
	case *ast.SpreadElement:
		e.Expression = in.expression(e.Expression)
	case *ast.TemplateLiteral:
		e.Tag = in.expression(e.Tag)
		each(e.Expressions)
	case *ast.UnaryExpression:
		e.Operand = in.expression(e.Operand)
	}
}

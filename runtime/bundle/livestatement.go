package bundle

import "github.com/dop251/goja/ast"

// statements visits a list that is a scope of its own.
func (b *liveBinder) statements(list []ast.Statement) {
	b.in(lexical(list), func() { b.inner(list) })
}

// inner visits a list whose names are declared already.
func (b *liveBinder) inner(list []ast.Statement) {
	for _, s := range list {
		b.statement(s)
	}
}

func (b *liveBinder) statement(s ast.Statement) {
	switch s := s.(type) {
	case *ast.BlockStatement:
		b.statements(s.List)
	case *ast.ExpressionStatement:
		s.Expression = b.expression(s.Expression)
	case *ast.VariableStatement:
		b.bindings(s.List)
	case *ast.LexicalDeclaration:
		b.bindings(s.List)
	case *ast.FunctionDeclaration:
		b.function(s.Function)
	case *ast.ClassDeclaration:
		b.class(s.Class)
	case *ast.ReturnStatement:
		s.Argument = b.expression(s.Argument)
	case *ast.ThrowStatement:
		s.Argument = b.expression(s.Argument)
	case *ast.IfStatement:
		s.Test = b.expression(s.Test)
		b.statement(s.Consequent)
		b.statement(s.Alternate)
	case *ast.LabelledStatement:
		b.statement(s.Statement)
	case *ast.TryStatement:
		b.try(s)
	case *ast.SwitchStatement:
		b.cases(s)
	case *ast.WithStatement:
		s.Object = b.expression(s.Object)
		b.statement(s.Body)
	default:
		b.loop(s)
	}
}

func (b *liveBinder) bindings(list []*ast.Binding) {
	for _, binding := range list {
		b.target(binding)
	}
}

func (b *liveBinder) try(s *ast.TryStatement) {
	b.statements(s.Body.List)
	if s.Catch != nil {
		b.in(bound(s.Catch.Parameter), func() {
			b.target(s.Catch.Parameter)
			b.statements(s.Catch.Body.List)
		})
	}
	if s.Finally != nil {
		b.statements(s.Finally.List)
	}
}

// cases visits a switch, all of whose cases are one scope.
func (b *liveBinder) cases(s *ast.SwitchStatement) {
	s.Discriminant = b.expression(s.Discriminant)
	var all []ast.Statement
	for _, c := range s.Body {
		all = append(all, c.Consequent...)
	}
	b.in(lexical(all), func() {
		for _, c := range s.Body {
			c.Test = b.expression(c.Test)
			b.inner(c.Consequent)
		}
	})
}

func (b *liveBinder) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.WhileStatement:
		s.Test = b.expression(s.Test)
		b.statement(s.Body)
	case *ast.DoWhileStatement:
		b.statement(s.Body)
		s.Test = b.expression(s.Test)
	case *ast.ForStatement:
		b.forStatement(s)
	case *ast.ForInStatement:
		s.Source = b.expression(s.Source)
		b.into(s.Into, s.Body)
	case *ast.ForOfStatement:
		s.Source = b.expression(s.Source)
		b.into(s.Into, s.Body)
	}
}

func (b *liveBinder) forStatement(s *ast.ForStatement) {
	rest := func() {
		s.Test, s.Update = b.expression(s.Test), b.expression(s.Update)
		b.statement(s.Body)
	}
	switch i := s.Initializer.(type) {
	case *ast.ForLoopInitializerExpression:
		i.Expression = b.expression(i.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		b.bindings(i.List)
	case *ast.ForLoopInitializerLexicalDecl:
		b.in(lexical([]ast.Statement{&i.LexicalDeclaration}), func() {
			b.bindings(i.LexicalDeclaration.List)
			rest()
		})
		return
	}
	rest()
}

func (b *liveBinder) into(to ast.ForInto, body ast.Statement) {
	switch to := to.(type) {
	case *ast.ForIntoVar:
		b.target(to.Binding)
	case *ast.ForIntoExpression:
		to.Expression = b.expression(to.Expression)
	case *ast.ForDeclaration:
		b.in(bound(to.Target), func() {
			b.target(to.Target)
			b.statement(body)
		})
		return
	}
	b.statement(body)
}

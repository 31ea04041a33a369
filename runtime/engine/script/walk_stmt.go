package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

func (w *walker) bindings(l []*ast.Binding) {
	for _, b := range l {
		w.binding(b)
	}
}

// declaration also records a first pattern under the statement itself: goja reports that place when the source is a
// literal.
func (w *walker) declaration(at file.Idx, l []*ast.Binding) {
	if len(l) > 0 && l[0].Initializer != nil {
		switch l[0].Target.(type) {
		case *ast.ObjectPattern, *ast.ArrayPattern:
			n := len(w.idx.sites)
			w.destructureSite(l[0].Target, l[0].Initializer, true)
			if len(w.idx.sites) > n {
				w.idx.sites = w.idx.sites[:n+1]
				w.idx.sites[n].At = off(at)
			}
		}
	}
	w.bindings(l)
}

func (w *walker) statement(s ast.Statement) {
	w.takeHint()
	switch v := s.(type) {
	case nil:
	case *ast.BlockStatement:
		if v != nil {
			w.body(&v.List)
		}
	case *ast.ExpressionStatement:
		v.Expression = w.expression(v.Expression)
	case *ast.VariableStatement:
		w.declaration(v.Var, v.List)
	case *ast.LexicalDeclaration:
		w.declaration(v.Idx, v.List)
	case *ast.FunctionDeclaration:
		w.functionLiteral(v.Function, "")
	case *ast.ClassDeclaration:
		w.classLiteral(v.Class, "")
	case *ast.ReturnStatement:
		v.Argument = w.expression(v.Argument)
		if w.inBody && v.Argument != nil {
			v.Argument = awaited(v.Argument)
		}
	case *ast.ThrowStatement:
		v.Argument = w.expression(v.Argument)
	case *ast.IfStatement:
		v.Test = w.expression(v.Test)
		w.statement(v.Consequent)
		if v.Alternate != nil {
			w.statement(v.Alternate)
		}
		v.Test = ifTest(v.Test, v.Consequent, v.Alternate)
	case *ast.ForStatement:
		if i, ok := v.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			defer w.kernels.Names(false, targets(i.LexicalDeclaration.List)...)()
		}
		switch i := v.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			i.Expression = w.expression(i.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			w.bindings(i.List)
		case *ast.ForLoopInitializerLexicalDecl:
			w.bindings(i.LexicalDeclaration.List)
		}
		v.Test = w.expression(v.Test)
		v.Update = w.expression(v.Update)
		w.statement(v.Body)
		v.Test = loopTest(v.Test, v.Body)
	case *ast.ForInStatement:
		defer w.forScope(v.Into)()
		w.forInto(v.Into)
		v.Source = w.expression(v.Source)
		w.statement(v.Body)
	case *ast.ForOfStatement:
		defer w.forScope(v.Into)()
		w.forInto(v.Into)
		w.iterate(v.Source)
		w.site(Site{At: off(v.For), Pos: off(v.Source.Idx0()), Start: off(v.Source.Idx0()), End: off(v.Source.Idx1()),
			Kind: Iterate})
		v.Source = w.expression(v.Source)
		w.statement(v.Body)
	case *ast.WhileStatement:
		v.Test = w.expression(v.Test)
		w.statement(v.Body)
		v.Test = loopTest(v.Test, v.Body)
	case *ast.DoWhileStatement:
		v.Test = w.expression(v.Test)
		w.statement(v.Body)
	case *ast.SwitchStatement:
		v.Discriminant = w.expression(v.Discriminant)
		w.cases(v.Body)
	case *ast.TryStatement:
		w.wasForAwait(v)
		w.body(&v.Body.List)
		if v.Catch != nil {
			w.catch(v.Catch)
		}
		if v.Finally != nil {
			w.body(&v.Finally.List)
		}
	case *ast.LabelledStatement:
		w.statement(v.Statement)
	case *ast.WithStatement:
		w.kernels.Dynamic()
		v.Object = w.expression(v.Object)
		w.statement(v.Body)
	}
}

func (w *walker) forInto(i ast.ForInto) {
	switch f := i.(type) {
	case *ast.ForIntoVar:
		w.binding(f.Binding)
	case *ast.ForDeclaration:
		w.pattern(f.Target)
	case *ast.ForIntoExpression:
		f.Expression = w.patternExpression(f.Expression)
	}
}

// catch is a catch clause, whose parameter has a scope of its own.
func (w *walker) catch(c *ast.CatchStatement) {
	if c.Parameter != nil {
		defer w.kernels.Names(false, c.Parameter)()
		w.pattern(c.Parameter)
	}
	w.body(&c.Body.List)
}

// cases are those of a switch, which have one scope together.
func (w *walker) cases(list []*ast.CaseStatement) {
	var names []ast.Node
	for _, c := range list {
		for _, s := range c.Consequent {
			switch d := s.(type) {
			case *ast.LexicalDeclaration:
				names = append(names, targets(d.List)...)
			case *ast.FunctionDeclaration:
				names = append(names, d.Function.Name)
			case *ast.ClassDeclaration:
				names = append(names, d.Class.Name)
			}
		}
	}
	defer w.kernels.Names(true, names...)()
	for _, c := range list {
		c.Test = w.expression(c.Test)
		for _, s := range c.Consequent {
			w.statement(s)
		}
	}
}

// forScope is the scope of the names that a loop over something declares.
func (w *walker) forScope(i ast.ForInto) func() {
	if d, ok := i.(*ast.ForDeclaration); ok {
		return w.kernels.Names(d.IsConst, d.Target)
	}
	return func() {}
}

func targets(list []*ast.Binding) (out []ast.Node) {
	for _, b := range list {
		out = append(out, b.Target)
	}
	return out
}

package bundle

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// around is what a function's statements become: they stand where the try is empty.
const around = `try{}catch(__eddy_e){__eddy_threw(__eddy_f,__eddy_e);throw __eddy_e}finally{__eddy_leave(__eddy_f)}`

// call adds stops to the statements of a function.
func (s *stopper) call(
	f *openFunction, name string, body *ast.BlockStatement, params *ast.ParameterList, vars []*ast.Identifier,
	at file.Idx,
) {
	index, p, ok := s.place(at)
	if !ok {
		if index, p, ok = s.place(body.LeftBrace); !ok {
			index = -1
		}
	}
	f.index, f.first = len(s.out.Functions), len(s.open)
	s.out.Functions = append(s.out.Functions, StopFunction{Name: name, File: index, Line: p.Line, Column: p.Column})
	s.calls = append(s.calls, f)
	defer func() { s.calls = s.calls[:len(s.calls)-1] }()
	names := parameterNames(params)
	first := 0
	for first < len(body.List) && isDirective(body.List[first]) {
		first++
	}
	list := body.List[first:]
	names = append(names, vars...)
	names = append(names, declaredIn(list)...)
	whole := mayWrap(list, vars)
	begin := body.LeftBrace
	sc := s.push(ScopeFunction, false, names)
	if len(s.calls) == 1 {
		s.outermost(sc, names, s.written(list))
	}
	made := s.statements(list)
	if end := s.ending(body); end != nil {
		made = append(made, end)
	}
	made = append([]ast.Statement{constant(sc.name, begin, s.reader(begin))}, made...)
	s.pop()
	s.out.Functions[f.index].Brief = !whole
	enter := constant(frameName, begin, hostCall("__eddy_enter", begin, number(f.index, begin)))
	if whole {
		try := parsed(around, begin).(*ast.TryStatement)
		try.Body.List = made
		made = []ast.Statement{try}
	}
	body.List = append(append(append([]ast.Statement{}, body.List[:first]...), enter), made...)
}

// ending is a stop at the closing brace of a function that may end there: a person who goes on from its last statement
// still sees what it has done.
func (s *stopper) ending(body *ast.BlockStatement) ast.Statement {
	if len(s.calls) == 1 || len(body.List) == 0 || body.RightBrace <= body.LeftBrace {
		return nil
	}
	switch body.List[len(body.List)-1].(type) {
	case *ast.ReturnStatement, *ast.ThrowStatement:
		return nil
	}
	if at := int(body.RightBrace) - 1; at >= len(s.src) || s.src[at] != '}' {
		return nil
	}
	return s.stopAt(body.RightBrace, false)
}

// brief adds a stop to an arrow function that is one expression in parentheses: it stays one, because the text that it
// shows ends where the engine's parser says.
func (s *stopper) brief(body *ast.ExpressionBody, params *ast.ParameterList, name string) {
	at := body.Expression.Idx0()
	index, p, ok := s.place(at)
	f := &openFunction{arrow: true, index: len(s.out.Functions), first: noCall}
	s.out.Functions = append(s.out.Functions, StopFunction{
		Name: name, File: index, Line: p.Line, Column: p.Column, Brief: true})
	s.calls = append(s.calls, f)
	defer func() { s.calls = s.calls[:len(s.calls)-1] }()
	s.push(ScopeFunction, true, parameterNames(params))
	body.Expression = s.expression(body.Expression)
	if ok {
		stop := number(len(s.out.Stops), at)
		s.out.Stops = append(s.out.Stops, Stop{
			File: index, Function: f.index, Line: p.Line, Column: p.Column, Scope: s.open[len(s.open)-1].index})
		enter := hostCall("__eddy_enter", at, number(f.index, at))
		body.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{
			hostCall("__eddy_at", at, enter, stop, s.reader(at)), body.Expression}}
	}
	s.pop()
}

// noCall is the openFunction.first of a function that has no constant for its call.
const noCall = 1 << 30

// outermost makes the top-level variables of each file a scope of their own: a bundle is one function.
func (s *stopper) outermost(sc *openScope, names []*ast.Identifier, at file.Idx) {
	whole := &s.out.Scopes[sc.index]
	whole.Kind, whole.whole, whole.Variables = ScopeModule, true, nil
	for _, id := range names {
		key := itoa(sc.index) + ":" + id.Name.String()
		s.tops[id.Name.String()] = key
		if name, index, ok := s.userName(id); ok { // else it is the bundler's
			to := &s.out.Scopes[s.moduleScope(index)]
			to.Variables = append(to.Variables, ScopeVariable{Name: name, Key: key})
		}
	}
	if len(s.links) == 0 {
		return
	}
	own, _, ok := s.place(at)
	for name, link := range s.links {
		key := itoa(sc.index) + ":" + name.String()
		sc.script = append(sc.script, scriptVariable{
			key: key, read: link.space.String() + "[" + quote(link.name.String()) + "]", fixed: true})
		whole.Variables = append(whole.Variables, ScopeVariable{Name: name.String(), Key: key, Imported: true})
	}
	imports := s.out.Scopes[sc.index].Variables
	s.out.Scopes[sc.index].Variables = nil
	if ok {
		slices.SortFunc(imports, func(a, b ScopeVariable) int { return strings.Compare(a.Name, b.Name) })
		to := &s.out.Scopes[s.moduleScope(own)]
		to.Variables = append(to.Variables, imports...)
	}
}

// moduleScope is the scope of a file's top-level variables.
func (s *stopper) moduleScope(index int) int {
	f := &s.out.Files[index]
	if f.scope < 0 {
		f.scope = len(s.out.Scopes)
		s.out.Scopes = append(s.out.Scopes, StopScope{Kind: ScopeModule, Parent: -1, Function: 0})
	}
	return f.scope
}

// written is where the first of some statements stands that somebody wrote.
func (s *stopper) written(list []ast.Statement) file.Idx {
	for _, st := range list {
		if isPrologue(st) || isHelper(st) {
			continue
		}
		if _, _, ok := s.place(s.statementBegin(st)); ok {
			return s.statementBegin(st)
		}
	}
	return 0
}

// block adds stops to a block, which sees names that were declared at its head.
func (s *stopper) block(b *ast.BlockStatement, kind ScopeKind, head []*ast.Identifier) {
	names := append(head, declaredIn(b.List)...)
	if len(names) == 0 {
		b.List = s.statements(b.List)
		return
	}
	sc := s.push(kind, false, names)
	made := s.statements(b.List)
	b.List = append([]ast.Statement{constant(sc.name, b.LeftBrace, s.reader(b.LeftBrace))}, made...)
	s.pop()
}

// body makes a block of a statement that another one controls.
func (s *stopper) body(st ast.Statement, head []*ast.Identifier) ast.Statement {
	block, ok := st.(*ast.BlockStatement)
	if !ok {
		block = &ast.BlockStatement{LeftBrace: st.Idx0(), RightBrace: st.Idx0(), List: []ast.Statement{st}}
	}
	s.block(block, ScopeBlock, head)
	return block
}

// statements adds stops to statements that follow each other.
func (s *stopper) statements(list []ast.Statement) []ast.Statement {
	out := make([]ast.Statement, 0, 2*len(list))
	for _, st := range list {
		if isPrologue(st) || isNaming(st) {
			out = append(out, st)
			continue
		}
		if stop := s.stop(st); stop != nil {
			out = append(out, stop)
		}
		s.statement(st)
		out = append(out, st)
	}
	return out
}

// stop is what stands before a statement, nil for one that does nothing itself or that nobody wrote.
func (s *stopper) stop(st ast.Statement) ast.Statement {
	debugger := false
	switch st := st.(type) {
	case *ast.FunctionDeclaration, *ast.ClassDeclaration, *ast.EmptyStatement, *ast.BlockStatement:
		return nil
	case *ast.LexicalDeclaration:
		if !initialised(st.List) {
			return nil
		}
	case *ast.VariableStatement:
		if !initialised(st.List) {
			return nil
		}
	case *ast.DebuggerStatement:
		debugger = true
	}
	return s.stopAt(s.statementBegin(st), debugger)
}

// stopAt is the call that tells of a stop, nil where nobody wrote anything.
func (s *stopper) stopAt(at file.Idx, debugger bool) ast.Statement {
	index, p, ok := s.place(at)
	if !ok {
		return nil
	}
	n := len(s.out.Stops)
	scope := s.open[len(s.open)-1].index
	f := s.calls[len(s.calls)-1]
	s.out.Stops = append(s.out.Stops, Stop{File: index, Function: f.index, Line: p.Line, Column: p.Column, Scope: scope,
		Guarded: f.guarded > 0, Debugger: debugger})
	return &ast.ExpressionStatement{
		Expression: hostCall("__eddy_at", at, ident(frameName, at), number(n, at), s.scope(at))}
}

func initialised(list []*ast.Binding) bool {
	for _, b := range list {
		if b.Initializer != nil {
			return true
		}
	}
	return false
}

// statement visits the parts of a statement.
func (s *stopper) statement(st ast.Statement) {
	switch st := st.(type) {
	case *ast.LabelledStatement:
		s.statement(st.Statement)
	case *ast.IfStatement:
		st.Test = s.expression(st.Test)
		st.Consequent = s.body(st.Consequent, nil)
		if st.Alternate != nil {
			st.Alternate = s.body(st.Alternate, nil)
		}
	case *ast.WhileStatement:
		st.Test = s.expression(st.Test)
		st.Body = s.body(st.Body, nil)
	case *ast.DoWhileStatement:
		st.Body = s.body(st.Body, nil)
		st.Test = s.expression(st.Test)
	case *ast.WithStatement:
		st.Object = s.expression(st.Object)
		st.Body = s.body(st.Body, nil)
	case *ast.ForStatement:
		s.visit(st.Initializer)
		st.Test, st.Update = s.expression(st.Test), s.expression(st.Update)
		var head []*ast.Identifier
		if l, ok := st.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			for _, b := range l.LexicalDeclaration.List {
				head = boundNames(b, head)
			}
		}
		st.Body = s.body(st.Body, head)
	case *ast.ForInStatement:
		st.Source = s.expression(st.Source)
		s.visit(st.Into)
		st.Body = s.body(st.Body, intoNames(st.Into))
	case *ast.ForOfStatement:
		st.Source = s.expression(st.Source)
		s.visit(st.Into)
		st.Body = s.body(st.Body, intoNames(st.Into))
	case *ast.SwitchStatement:
		st.Discriminant = s.expression(st.Discriminant)
		s.cases(st)
	case *ast.TryStatement:
		s.try(st)
	case *ast.BlockStatement:
		s.block(st, ScopeBlock, nil)
	case *ast.ReturnStatement:
		s.result(st)
	default:
		s.visit(st)
	}
}

// result adds a stop behind the value of a return statement: a step out of what computes it ends there.
func (s *stopper) result(st *ast.ReturnStatement) {
	st.Argument = s.expression(st.Argument)
	if st.Argument == nil {
		return
	}
	index, p, ok := s.place(st.Return)
	if !ok {
		return
	}
	at := st.Return
	f := s.calls[len(s.calls)-1]
	n := number(len(s.out.Stops), at)
	s.out.Stops = append(s.out.Stops, Stop{File: index, Function: f.index, Line: p.Line, Column: p.Column,
		Scope: s.open[len(s.open)-1].index, Guarded: f.guarded > 0, Return: true})
	st.Argument = hostCall("__eddy_at", at, ident(frameName, at), n, s.scope(at), st.Argument)
}

func intoNames(into ast.ForInto) []*ast.Identifier {
	if d, ok := into.(*ast.ForDeclaration); ok {
		return boundNames(d.Target, nil)
	}
	return nil
}

// cases visits the clauses of a switch. They share their variables, and nobody knows which clause runs first: so each
// place has a function of its own for them.
func (s *stopper) cases(st *ast.SwitchStatement) {
	var names []*ast.Identifier
	for _, c := range st.Body {
		names = append(names, declaredIn(c.Consequent)...)
	}
	if len(names) > 0 {
		s.push(ScopeBlock, true, names)
		defer s.pop()
	}
	for _, c := range st.Body {
		c.Test = s.expression(c.Test)
		c.Consequent = s.statements(c.Consequent)
	}
}

func (s *stopper) try(st *ast.TryStatement) {
	f := s.calls[len(s.calls)-1]
	if st.Catch != nil {
		f.guarded++
	}
	s.block(st.Body, ScopeBlock, nil)
	if st.Catch != nil {
		f.guarded--
		s.catch(st.Catch)
	}
	if st.Finally != nil {
		s.block(st.Finally, ScopeBlock, nil)
	}
}

// catch tells the host what was caught. A pattern takes the error apart before anybody can look at it whole.
func (s *stopper) catch(c *ast.CatchStatement) {
	at := c.Body.LeftBrace
	var head []*ast.Identifier
	var error ast.Expression
	switch p := c.Parameter.(type) {
	case nil:
		name := ident("__eddy_e", at)
		c.Parameter, error = name, ident("__eddy_e", at)
	case *ast.Identifier:
		head, error = []*ast.Identifier{p}, ident(p.Name.String(), at)
	default:
		s.visit(p)
		head = boundNames(p, nil)
	}
	s.block(c.Body, ScopeCatch, head)
	if error == nil {
		return
	}
	caught := &ast.ExpressionStatement{Expression: hostCall("__eddy_caught", at, ident(frameName, at), error)}
	c.Body.List = append([]ast.Statement{caught}, c.Body.List...)
}

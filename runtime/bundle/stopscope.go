package bundle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"
)

func uni(s string) unistring.String { return unistring.NewFromString(s) }

func itoa(n int) string { return strconv.Itoa(n) }

// push opens a scope, of which names lists the identifiers that it declares.
func (s *stopper) push(kind ScopeKind, shared bool, names []*ast.Identifier) *openScope {
	parent := -1
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1].index
	}
	sc := &openScope{index: len(s.out.Scopes)}
	if !shared {
		sc.name = "__eddy_s" + itoa(sc.index)
	}
	s.out.Scopes = append(s.out.Scopes, StopScope{Kind: kind, Parent: parent, Function: s.function()})
	s.open = append(s.open, sc)
	seen := map[unistring.String]bool{}
	for _, id := range names {
		if seen[id.Name] || strings.HasPrefix(id.Name.String(), "__eddy_") {
			continue
		}
		seen[id.Name] = true
		name, _, _ := s.userName(id)
		s.declare(sc, name, id.Name.String(), false)
	}
	return sc
}

// declare adds a variable to a scope: name is the user's, script what the script has for it.
func (s *stopper) declare(sc *openScope, name, script string, fixed bool) {
	key := itoa(sc.index) + ":" + script
	sc.script = append(sc.script, scriptVariable{key: key, read: script, fixed: fixed})
	to := &s.out.Scopes[sc.index]
	to.Variables = append(to.Variables, ScopeVariable{Name: name, Key: key, Imported: fixed})
}

func (s *stopper) pop() { s.open = s.open[:len(s.open)-1] }

// function is the index of the function that is being visited, -1 for none.
func (s *stopper) function() int {
	if len(s.calls) == 0 {
		return -1
	}
	return s.calls[len(s.calls)-1].index
}

// reader is the function of the innermost scope that is open.
func (s *stopper) reader(at file.Idx) ast.Expression {
	var b strings.Builder
	b.WriteString("(__eddy_n,__eddy_w,__eddy_v)=>{switch(__eddy_n){")
	outer := ""
	own := true
	for i := len(s.open) - 1; i >= 0; i-- {
		sc := s.open[i]
		if !own && sc.name != "" {
			outer = sc.name
			break
		}
		own = false
		for _, v := range sc.script {
			if v.fixed {
				fmt.Fprintf(&b, "case %q:return %s;", v.key, v.read)
			} else {
				fmt.Fprintf(&b, "case %q:return __eddy_w?%s=__eddy_v:%s;", v.key, v.read, v.read)
			}
		}
	}
	b.WriteString(`case "this":return this;`)
	if f := s.calls[len(s.calls)-1]; f.usesArg && !f.arrow {
		b.WriteString(`case "arguments":return arguments;`)
	}
	if outer != "" {
		fmt.Fprintf(&b, "default:return %s(__eddy_n,__eddy_w,__eddy_v)", outer)
	}
	b.WriteString("}}")
	return parsed(b.String(), at).(*ast.ExpressionStatement).Expression
}

// scope is an expression for the innermost scope.
func (s *stopper) scope(at file.Idx) ast.Expression {
	if name := s.open[len(s.open)-1].name; name != "" {
		return ident(name, at)
	}
	return s.reader(at)
}

// parsed is the statement of a text that this package has written.
func parsed(text string, at file.Idx) ast.Statement {
	program, err := parser.ParseFile(nil, "", text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		panic(fmt.Sprintf("bundle: %s: %v", text, err))
	}
	moveTo(program.Body[0], at)
	return program.Body[0]
}

// boundNames adds the identifiers that a pattern declares.
func boundNames(t ast.Node, into []*ast.Identifier) []*ast.Identifier {
	switch t := t.(type) {
	case *ast.Identifier:
		into = append(into, t)
	case *ast.Binding:
		into = boundNames(t.Target, into)
	case *ast.AssignExpression:
		into = boundNames(t.Left, into)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			into = boundNames(e, into)
		}
		if t.Rest != nil {
			into = boundNames(t.Rest, into)
		}
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				into = append(into, &p.Name)
			case *ast.PropertyKeyed:
				into = boundNames(p.Value, into)
			}
		}
		if t.Rest != nil {
			into = boundNames(t.Rest, into)
		}
	case *ast.SpreadElement:
		into = boundNames(t.Expression, into)
	}
	return into
}

// parameterNames are the identifiers that a function's parameters declare.
func parameterNames(params *ast.ParameterList) (names []*ast.Identifier) {
	if params == nil {
		return nil
	}
	for _, b := range params.List {
		names = boundNames(b, names)
	}
	if params.Rest != nil {
		names = boundNames(params.Rest, names)
	}
	return names
}

// declaredIn are the identifiers that statements of one block declare, var left out.
func declaredIn(list []ast.Statement) (names []*ast.Identifier) {
	for _, st := range list {
		switch st := st.(type) {
		case *ast.LexicalDeclaration:
			for _, b := range st.List {
				names = boundNames(b, names)
			}
		case *ast.FunctionDeclaration:
			if st.Function.Name != nil {
				names = append(names, st.Function.Name)
			}
		case *ast.ClassDeclaration:
			if st.Class.Name != nil {
				names = append(names, st.Class.Name)
			}
		}
	}
	return names
}

// declaredByVar are the identifiers that var declares in a function.
func declaredByVar(list []*ast.VariableDeclaration) (names []*ast.Identifier) {
	for _, d := range list {
		for _, b := range d.List {
			names = boundNames(b, names)
		}
	}
	return names
}

// mayWrap tells whether the statements of a function mean the same inside of a block: not if a function is declared
// under the name of a variable, or twice.
func mayWrap(list []ast.Statement, vars []*ast.Identifier) bool {
	seen := map[unistring.String]bool{}
	for _, id := range vars {
		seen[id.Name] = true
	}
	for _, st := range list {
		if f, ok := st.(*ast.FunctionDeclaration); ok && f.Function.Name != nil {
			if seen[f.Function.Name.Name] {
				return false
			}
			seen[f.Function.Name.Name] = true
		}
	}
	return true
}

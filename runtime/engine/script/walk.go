package script

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/kernel"
)

// walker visits a whole syntax tree once. It records sites and spans, and replaces regular expression literals in
// place.
type walker struct {
	idx   *Index
	file  *file.File
	err   error  // first syntax error that only this package finds
	class string // name of the class around, for method names
	// hint is the name an anonymous function gets from the place it stands in.
	hint     string
	hintKind hintKind
	// asyncGenerator is the name of the bundler's helper, "" until its declaration was seen. lowered are the functions
	// that call it.
	asyncGenerator string
	lowered        gojainternals.Sources
	// the bundler's other helpers
	yieldStar, awaitHelper, forAwait string
	evals                            int // how many calls of eval were met
	// rewrites are what the bundler has lowered, for the texts of functions; member is the method of an object literal
	// that is walked over next.
	rewrites []rewrite
	member   *ast.FunctionLiteral
	// loweredBody is the generator in the lowered function around, nil outside of one. inBody tells that the walk is
	// inside it, so that a return is the generator's. super collects how the generator uses super.
	loweredBody *ast.FunctionLiteral
	inBody      bool
	super       *superUse
	inArrow     bool // the innermost function around is an arrow function
	kernels     *kernel.Finder
}

type hintKind uint8

const (
	hintNone hintKind = iota
	hintPlain
	hintObjectMember
)

// site notes a site, if its operand has a place: what an earlier step has written into the tree has none.
func (w *walker) site(s Site) {
	if s.Start >= 0 && s.Start <= s.End && int(s.End) <= len(w.idx.Source) {
		w.idx.sites = append(w.idx.sites, s)
	}
}

func (w *walker) function(start, end int32, name string, constructs, async bool, params *ast.ParameterList) {
	s := Span{Start: start, End: end, Name: name, Constructs: constructs, Async: async}
	if params != nil {
		for _, b := range params.List {
			switch p := b.Target.(type) {
			case *ast.ObjectPattern:
				if len(p.Properties) > 0 && s.Pattern == "" {
					s.Pattern, _ = firstProperty(p)
					s.Inner = innerPatterns(p, nil)
				}
			case *ast.ArrayPattern:
				s.Elements = true
			}
		}
	}
	w.idx.spans = append(w.idx.spans, s)
}

// firstProperty is the name and place of the first property of a pattern.
func firstProperty(o *ast.ObjectPattern) (string, int32) {
	if len(o.Properties) > 0 {
		switch p := o.Properties[0].(type) {
		case *ast.PropertyShort:
			return p.Name.Name.String(), off(p.Name.Idx)
		case *ast.PropertyKeyed:
			return keyText(p.Key, p.Computed), off(p.Value.Idx0())
		}
	}
	return "", off(o.LeftBrace)
}

func (w *walker) named(e ast.Expression, name string, kind hintKind) ast.Expression {
	oldHint, oldKind := w.hint, w.hintKind
	w.hint, w.hintKind = name, kind
	e = w.expression(e)
	w.hint, w.hintKind = oldHint, oldKind
	return e
}

func (w *walker) takeHint() (string, hintKind) {
	h, k := w.hint, w.hintKind
	w.hint, w.hintKind = "", hintNone
	return h, k
}

func keyText(key ast.Expression, computed bool) string {
	switch k := key.(type) {
	case *ast.StringLiteral:
		if !computed {
			return k.Value.String()
		}
		return k.Value.String()
	case *ast.Identifier:
		if !computed {
			return k.Name.String()
		}
	case *ast.PrivateIdentifier:
		return "#" + k.Name.String()
	case *ast.NumberLiteral:
		return k.Literal
	}
	return ""
}

func (w *walker) params(p *ast.ParameterList) {
	if p == nil {
		return
	}
	for _, b := range p.List {
		w.binding(b)
	}
	w.pattern(p.Rest)
}

func (w *walker) body(list *[]ast.Statement) { w.block(list, false) }

// block walks over statements that have names of their own; whole is for the body of a function.
func (w *walker) block(list *[]ast.Statement, whole bool) {
	defer w.kernels.List(list, whole)()
	for _, s := range *list {
		w.statement(s)
	}
}

func (w *walker) functionLiteral(f *ast.FunctionLiteral, name string) {
	if f == nil {
		return
	}
	if f.Name != nil && name == "" {
		name = f.Name.Name.String()
	}
	w.function(off(f.Function), off(f.Idx1()), name, false, f.Async, f.ParameterList)
	defer w.enter(false)()
	if f.Name != nil {
		defer w.kernels.Names(true, f.Name)()
	}
	w.method(f, !f.Async && !f.Generator, f == w.member)
}

// method walks over what a function is made of; plain is for one that returns as it is written, member for one that is
// written as a method.
func (w *walker) method(f *ast.FunctionLiteral, plain, member bool) {
	defer w.kernels.Function(f, f.ParameterList, f.DeclarationList, f.Body, f.Source, plain)()
	evals := w.evals
	w.insideLowered(f, member, func() {
		w.params(f.ParameterList)
		if f.Body != nil {
			w.block(&f.Body.List, true)
		}
	})
	if f.Body != nil {
		f.Body.List = w.declaring(f.ParameterList, f.Body.List, f.Body.LeftBrace, evals)
	}
}

func (w *walker) classLiteral(c *ast.ClassLiteral, hint string) {
	old := w.class
	name := hint
	if c.Name != nil {
		name = c.Name.Name.String()
	}
	if c.SuperClass != nil {
		w.site(Site{At: off(c.Class), Pos: off(c.SuperClass.Idx0()), Start: off(c.SuperClass.Idx0()),
			End: off(c.SuperClass.Idx1()), Kind: Extends, Prop: name})
		c.SuperClass = w.expression(c.SuperClass)
	}
	w.class = name
	if c.Name != nil {
		defer w.kernels.Names(true, c.Name)()
	}
	uses, rewrites := w.super, len(w.rewrites)
	w.super = nil
	for _, el := range c.Body {
		switch m := el.(type) {
		case *ast.MethodDefinition:
			key := keyText(m.Key, m.Computed)
			if m.Computed {
				m.Key = w.expression(m.Key)
			}
			shown := key
			constructs := false
			switch {
			case key == "constructor" && !m.Static && !m.Computed:
				shown, constructs = name, true
			case m.Kind == ast.PropertyKindGet:
				shown = "get " + key
			case m.Kind == ast.PropertyKindSet:
				shown = "set " + key
			}
			// V8 puts the class before methods only, not before accessors and private ones.
			if !constructs && name != "" && shown == key && identifier(key) {
				shown = name + "." + shown
			}
			f := m.Body
			if strings.HasPrefix(key, "#") && m.Kind == ast.PropertyKindMethod {
				w.idx.PrivateMethods[key[1:]] = name
			}
			w.function(off(m.Idx), off(f.Idx1()), shown, constructs, f.Async, f.ParameterList)
			w.method(f, !f.Async && !f.Generator && !constructs, true)
			if m.Kind == ast.PropertyKindMethod && !m.Computed {
				w.kernels.Method(key, f)
			}
		case *ast.FieldDefinition:
			if m.Computed {
				m.Key = w.expression(m.Key)
			}
			if m.Initializer != nil {
				m.Initializer = w.named(m.Initializer, keyText(m.Key, m.Computed), hintPlain)
			}
		case *ast.ClassStaticBlock:
			w.body(&m.Block.List)
		}
	}
	w.class, w.super = old, uses
	c.Source = w.original(c.Source, c.Class, rewrites)
}

func (w *walker) binding(b *ast.Binding) {
	if b == nil {
		return
	}
	name := ""
	if id, ok := b.Target.(*ast.Identifier); ok {
		name = id.Name.String()
	}
	if helper, ok := w.asyncHelper(name, b.Initializer); ok {
		b.Initializer = helper
		return
	}
	if b.Initializer != nil {
		w.destructureSite(b.Target, b.Initializer, true)
		made := b.Initializer
		b.Initializer = w.named(b.Initializer, name, hintPlain)
		w.kernels.Variable(name, made)
	}
	w.pattern(b.Target)
}

// destructureSite records what a pattern takes apart; declared is false in an assignment.
func (w *walker) destructureSite(target ast.Node, source ast.Expression, declared bool) {
	s := Site{At: reported(source), Start: off(source.Idx0()), End: off(source.Idx1()), Pos: off(source.Idx0())}
	switch t := target.(type) {
	case *ast.ObjectPattern:
		s.Kind = Destructure
		s.Prop, s.Pos = firstProperty(t)
		s.Inner = innerPatterns(t, nil)
		w.site(s)
		// goja also reports the pattern itself.
		s.At = off(t.LeftBrace)
		w.site(s)
	case *ast.ArrayPattern:
		s.Kind = Elements
		if declared {
			switch source.(type) {
			case *ast.Identifier, *ast.NumberLiteral, *ast.NullLiteral, *ast.BooleanLiteral, *ast.ObjectLiteral:
				s.Plain = true
			}
		}
		s.Inner = innerPatterns(t, nil)
		w.site(s)
		s.At = off(t.LeftBracket)
		w.site(s)
	}
}

func (w *walker) pattern(n ast.Node) {
	switch p := n.(type) {
	case nil:
	case *ast.ObjectPattern:
		if p == nil {
			return
		}
		w.parameterPattern(p)
		for _, prop := range p.Properties {
			switch k := prop.(type) {
			case *ast.PropertyShort:
				if k.Initializer != nil {
					k.Initializer = w.named(k.Initializer, k.Name.Name.String(), hintPlain)
				}
			case *ast.PropertyKeyed:
				if k.Computed {
					k.Key = w.expression(k.Key)
				}
				k.Value = w.patternExpression(k.Value)
			}
		}
		if p.Rest != nil {
			p.Rest = w.patternExpression(p.Rest)
		}
	case *ast.ArrayPattern:
		if p == nil {
			return
		}
		for i, e := range p.Elements {
			if e != nil {
				p.Elements[i] = w.patternExpression(e)
			}
		}
		if p.Rest != nil {
			p.Rest = w.patternExpression(p.Rest)
		}
	}
}

// parameterPattern records an object pattern without a written source (a parameter).
func (w *walker) parameterPattern(p *ast.ObjectPattern) {
	s := Site{At: off(p.LeftBrace), Kind: Destructure}
	s.Prop, s.Pos = firstProperty(p)
	s.Inner = innerPatterns(p, nil)
	w.site(s)
}

// innerPatterns are the object patterns without a default within a pattern, at any depth.
func innerPatterns(n ast.Node, list []Nested) []Nested {
	add := func(key string, e ast.Expression) {
		switch p := e.(type) {
		case *ast.ObjectPattern:
			prop, _ := firstProperty(p)
			list = append(list, Nested{key, prop})
		case *ast.ArrayPattern:
			list = append(list, Nested{key, ""})
		}
		list = innerPatterns(e, list)
	}
	switch p := n.(type) {
	case *ast.ObjectPattern:
		for _, prop := range p.Properties {
			if k, ok := prop.(*ast.PropertyKeyed); ok && !k.Computed {
				add(keyText(k.Key, false), k.Value)
			}
		}
	case *ast.ArrayPattern:
		for _, e := range p.Elements {
			add("", e)
		}
	}
	return list
}

func (w *walker) patternExpression(e ast.Expression) ast.Expression {
	switch v := e.(type) {
	case *ast.ObjectPattern, *ast.ArrayPattern:
		w.pattern(v)
		return e
	case *ast.Binding:
		w.binding(v)
		return e
	case *ast.AssignExpression:
		w.pattern(v.Left)
		v.Right = w.expression(v.Right)
		return e
	}
	return w.expression(e)
}

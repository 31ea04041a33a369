package bundle

import (
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

var indexType = reflect.TypeFor[file.Idx]()

// moveTo gives all parts of a tree one position: where the user wrote what the tree is about. Its functions have no
// text: nothing that is found by a place in the script lies in them.
func moveTo(n ast.Node, at file.Idx) { move(reflect.ValueOf(n), at) }

func move(v reflect.Value, at file.Idx) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			move(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			move(v.Index(i), at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == indexType {
				f.SetInt(int64(at))
			} else if v.Type().Field(i).Name == "Source" {
				f.SetString("")
			} else {
				move(f, at)
			}
		}
	}
}

var expressionType = reflect.TypeFor[ast.Expression]()

// visit adds stops to all that lies below a node which is no list of statements.
func (s *stopper) visit(n any) {
	v := reflect.ValueOf(n)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	switch n := n.(type) {
	case *ast.FunctionLiteral:
		s.literal(n)
	case *ast.ArrowFunctionLiteral:
		s.arrow(n, "")
	case *ast.ClassLiteral:
		s.class(n)
	case *ast.Identifier:
		s.use(n)
	case *ast.PropertyShort:
		s.use(&n.Name)
		n.Initializer = s.expression(n.Initializer)
	case *ast.PropertyKeyed:
		if n.Computed {
			n.Key = s.expression(n.Key)
		}
		n.Value = s.valueOf(keyName(n.Key), n.Value)
	case *ast.Binding:
		s.visit(n.Target)
		n.Initializer = s.valueOf(s.targetName(n.Target), n.Initializer)
	case *ast.AssignExpression:
		n.Left = s.expression(n.Left)
		n.Right = s.valueOf(s.targetName(n.Left), n.Right)
	case *ast.BlockStatement:
		s.block(n, ScopeBlock, nil)
	default:
		s.parts(v)
	}
}

// parts visits the parts of a node.
func (s *stopper) parts(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.parts(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			s.replace(v)
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.field(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.field(v.Field(i))
		}
	}
}

// field visits a part that may be a node itself.
func (s *stopper) field(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			s.replace(v)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			if n, ok := v.Interface().(ast.Node); ok {
				s.visit(n)
			} else {
				s.parts(v.Elem())
			}
		}
	case reflect.Slice, reflect.Struct:
		s.parts(v)
	}
}

// replace visits the node in a field and puts what stands for it there.
func (s *stopper) replace(v reflect.Value) {
	n, ok := v.Interface().(ast.Node)
	if !ok {
		return // the value of a literal
	}
	if e, ok := n.(ast.Expression); ok {
		made := s.expression(e)
		if made != e && v.Type() == expressionType {
			v.Set(reflect.ValueOf(made))
		}
		return
	}
	s.visit(n)
}

// expression visits an expression and gives what stands for it.
func (s *stopper) expression(e ast.Expression) ast.Expression {
	if e == nil {
		return nil
	}
	s.visit(e)
	switch e := e.(type) {
	case *ast.AwaitExpression:
		return s.back(e, e.Await)
	case *ast.YieldExpression:
		return s.back(e, e.Yield)
	}
	return e
}

// back tells the host that a call goes on. In parameters there is no call yet.
func (s *stopper) back(e ast.Expression, at file.Idx) ast.Expression {
	if len(s.calls) == 0 || len(s.open) <= s.calls[len(s.calls)-1].first {
		return e
	}
	return hostCall("__eddy_back", at, ident(frameName, at), e)
}

// use looks at a name that a script uses: what it names may have another name in the file.
func (s *stopper) use(id *ast.Identifier) {
	name := id.Name.String()
	if name == "arguments" {
		for i := len(s.calls) - 1; i >= 0; i-- {
			s.calls[i].usesArg = true
			if !s.calls[i].arrow {
				break
			}
		}
		return
	}
	key, ok := s.tops[name]
	if !ok {
		return
	}
	if user, index, ok := s.userName(id); ok && s.out.Files[index].Renamed[user] == "" {
		s.out.Files[index].Renamed[user] = key
	}
}

// class visits the parts of a class. The values of its fields belong to no call.
func (s *stopper) class(c *ast.ClassLiteral) {
	c.SuperClass = s.expression(c.SuperClass)
	for _, element := range c.Body {
		switch e := element.(type) {
		case *ast.FieldDefinition:
			if e.Computed {
				e.Key = s.expression(e.Key)
			}
			s.visit(e.Initializer)
		case *ast.MethodDefinition:
			if e.Computed {
				e.Key = s.expression(e.Key)
			}
			s.named(e.Body, e.Key)
		case *ast.ClassStaticBlock:
			s.call(&openFunction{}, "static", e.Block, nil, declaredByVar(e.DeclarationList), e.Block.LeftBrace)
		}
	}
}

// named visits a function that has its name from a key.
func (s *stopper) named(f *ast.FunctionLiteral, key ast.Expression) {
	s.functionAt(f, keyName(key), key.Idx0())
}

// keyName is the name that a function gets from its key, "" if only running the script tells.
func keyName(key ast.Expression) string {
	switch k := key.(type) {
	case *ast.StringLiteral:
		return k.Value.String()
	case *ast.Identifier:
		return k.Name.String()
	case *ast.PrivateIdentifier:
		return "#" + k.Name.String()
	}
	return ""
}

// targetName is the name that a function gets from what it is assigned to.
func (s *stopper) targetName(target ast.Node) string {
	switch t := target.(type) {
	case *ast.Identifier:
		name, _, _ := s.userName(t)
		return name
	case *ast.DotExpression:
		return t.Identifier.Name.String()
	}
	return ""
}

// valueOf visits a value, which gets a name if it is a function without one.
func (s *stopper) valueOf(name string, e ast.Expression) ast.Expression {
	inner := e
	if call := named(e); call != nil {
		inner = call // esbuild keeps the name by a call
	}
	switch f := inner.(type) {
	case *ast.FunctionLiteral:
		if f.Name == nil {
			s.functionAt(f, name, f.Function)
			return e
		}
	case *ast.ArrowFunctionLiteral:
		s.arrow(f, name)
		return e
	}
	return s.expression(e)
}

func (s *stopper) literal(f *ast.FunctionLiteral) {
	name := ""
	if f.Name != nil {
		name, _, _ = s.userName(f.Name)
	}
	s.functionAt(f, name, f.Function)
}

// functionAt visits a function. The bundler makes two functions of an async generator; it is the inner one that runs
// what somebody wrote, and the outer one must stay as it is.
func (s *stopper) functionAt(f *ast.FunctionLiteral, name string, at file.Idx) {
	s.parameters(f.ParameterList)
	inner := f
	if g := asyncGeneratorBody(f); g != nil {
		inner = g
	}
	s.call(&openFunction{}, name, inner.Body, f.ParameterList, declaredByVar(inner.DeclarationList), at)
}

// asyncGeneratorBody is the generator in `{ return __asyncGenerator(this, arguments, function* () {…}) }`.
func asyncGeneratorBody(f *ast.FunctionLiteral) *ast.FunctionLiteral {
	if f.Body == nil || len(f.Body.List) != 1 {
		return nil
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStatement)
	if !ok {
		return nil
	}
	call, ok := ret.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 3 {
		return nil
	}
	if id, ok := call.Callee.(*ast.Identifier); !ok || !strings.HasPrefix(id.Name.String(), "__asyncGenerator") {
		return nil
	}
	body, _ := call.ArgumentList[2].(*ast.FunctionLiteral)
	return body
}

func (s *stopper) arrow(f *ast.ArrowFunctionLiteral, name string) {
	s.parameters(f.ParameterList)
	block, ok := f.Body.(*ast.BlockStatement)
	if !ok {
		body := f.Body.(*ast.ExpressionBody)
		at := body.Expression.Idx0()
		if from := max(int(f.Start)-1, 0); int(at) > len(s.src) || from >= int(at) ||
			!strings.HasSuffix(strings.TrimRight(s.src[from:int(at)-1], " \t\n"), "=>") {
			s.brief(body, f.ParameterList, name)
			return
		}
		block = &ast.BlockStatement{LeftBrace: at, RightBrace: body.Expression.Idx1() - 1,
			List: []ast.Statement{&ast.ReturnStatement{Return: at, Argument: body.Expression}}}
		f.Body = block
	}
	s.call(&openFunction{arrow: true}, name, block, f.ParameterList, declaredByVar(f.DeclarationList), f.Start)
}

// parameters visits the defaults of parameters, which belong to the caller's side.
func (s *stopper) parameters(list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, b := range list.List {
		s.visit(b)
	}
	if list.Rest != nil {
		s.visit(list.Rest)
	}
}

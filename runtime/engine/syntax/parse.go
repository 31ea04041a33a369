package syntax

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// refused is what goja's parser says of a default value in a binding pattern that it has read as an assignment.
const refused = "Invalid destructuring binding target"

// Parse reads a script without looking for source maps. An error is a parser.ErrorList, as goja's parser gives it.
func Parse(name, source string) (*ast.Program, error) {
	if program := inParts(name, source, cuts(source, partsOf(source))); program != nil {
		return program, nil
	}
	program, err := parser.ParseFile(nil, name, source, 0, parser.WithDisableSourceMaps)
	var list parser.ErrorList
	if err == nil || !errors.As(err, &list) || program == nil {
		return program, err
	}
	return program, mend(program, list, source, file.NewFile(name, source, 1), 0).Err()
}

// mend reads anew what was refused in a program, which is all of the source or a part of it that begins at an offset
// as the file at. It gives the errors that are left.
func mend(program *ast.Program, list parser.ErrorList, source string, at *file.File, offset int) parser.ErrorList {
	if !slices.ContainsFunc(list, func(e *parser.Error) bool { return e.Message == refused }) {
		return list
	}
	m := &mender{source: source, seen: map[visited]bool{}}
	m.value(reflect.ValueOf(program))
	var rest parser.ErrorList
	for _, e := range list {
		if e.Message != refused || !m.within(at, offset, e.Position) {
			rest = append(rest, e)
		}
	}
	return rest
}

// visited is a node of a tree that was met: its kind and its address.
type visited struct {
	kind reflect.Type
	at   uintptr
}

// mender goes over a whole tree, by reflection: it works only for scripts that were refused.
type mender struct {
	source string
	seen   map[visited]bool
	places [][2]int // of elements that were read anew
}

func (m *mender) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		for !v.IsNil() {
			s, ok := v.Interface().(*ast.SequenceExpression)
			if !ok || len(s.Sequence) != 1 {
				m.value(v.Elem())
				return
			}
			v.Set(reflect.ValueOf(s.Sequence[0])) // behind an error goja takes all parentheses for sequences
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*file.File]() {
			return
		}
		node := visited{v.Type(), v.Pointer()}
		if m.seen[node] {
			return
		}
		m.seen[node] = true
		if p, ok := v.Interface().(*ast.ArrayPattern); ok {
			m.pattern(p)
		}
		m.value(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				m.value(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.value(v.Index(i))
		}
	}
}

// pattern reads the elements anew that were refused.
func (m *mender) pattern(p *ast.ArrayPattern) {
	for i, e := range p.Elements {
		bad, ok := e.(*ast.BadExpression)
		if !ok {
			continue
		}
		if element, to := m.element(int(bad.From)-1, int(bad.To)-1); element != nil {
			p.Elements[i] = element
			m.places = append(m.places, [2]int{int(bad.From) - 1, to})
		}
	}
}

// element reads a target with its default value. The place that goja gives ends before the closing parentheses of the
// value, so it is made longer by them.
func (m *mender) element(from, to int) (e ast.Expression, end int) {
	for from >= 0 && from < to && to <= len(m.source) {
		if e := m.alone(m.source[from:to], from); e != nil {
			return e, to
		}
		next := strings.IndexAny(m.source[to:], ",])}") // it may also end within a private name
		if next < 0 || m.source[to+next] != ')' && next == 0 {
			return nil, 0
		}
		if to += next; m.source[to] == ')' {
			to++
		}
	}
	return nil, 0
}

// within tells whether a position lies in what was read anew.
func (m *mender) within(at *file.File, offset int, p file.Position) bool {
	for _, place := range m.places {
		from, to := at.Position(place[0]-offset), at.Position(place[1]-offset)
		if !before(p, from) && before(p, to) {
			return true
		}
	}
	return false
}

func before(a, b file.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// around are the contexts in which a default value may stand: await and yield are names outside of such functions.
var around = [][2]string{
	{"async function*f(){([", "]=0)}"},
	{"async function f(){([", "]=0)}"},
	{"function*f(){([", "]=0)}"},
	{"([", "]=0)"},
	{"(class extends f{async*f(){([", "]=0)}})"},
}

// alone reads the text at an offset of the source as an element of a pattern. Its default value may hold a function
// with such a pattern itself.
func (m *mender) alone(text string, offset int) ast.Expression {
	for _, a := range around {
		set := new(file.FileSet)
		base := 1 + offset - len(a[0])
		source := a[0] + text + a[1]
		if base < 2 { // the source before is too short: it is not the language's first statement then
			continue
		}
		set.AddFile("", m.source[:base-2])
		program, err := parser.ParseFile(set, "", source, 0, parser.WithDisableSourceMaps)
		var list parser.ErrorList
		if err != nil && (!errors.As(err, &list) || program == nil ||
			len(mend(program, list, m.source, file.NewFile("", source, 1), base-1)) > 0) {
			continue
		}
		return firstElement(program)
	}
	return nil
}

func firstElement(program *ast.Program) ast.Expression {
	s := program.Body[0]
	switch d := s.(type) {
	case *ast.FunctionDeclaration:
		s = d.Function.Body.List[0]
	case *ast.ExpressionStatement:
		if c, ok := d.Expression.(*ast.ClassLiteral); ok {
			s = c.Body[0].(*ast.MethodDefinition).Body.Body.List[0]
		}
	}
	a, ok := s.(*ast.ExpressionStatement).Expression.(*ast.AssignExpression)
	if !ok {
		return nil
	}
	p, ok := a.Left.(*ast.ArrayPattern)
	if !ok || len(p.Elements) != 1 {
		return nil
	}
	e, ok := p.Elements[0].(*ast.AssignExpression)
	if !ok {
		return nil
	}
	switch e.Left.(type) {
	case *ast.Identifier, *ast.ArrayPattern, *ast.ObjectPattern: // a declaration has no other targets
		return e
	}
	return nil
}

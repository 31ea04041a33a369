package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// moduleScript is the script that Modules puts together.
type moduleScript struct {
	modules map[string]*moduleCode
}

// join writes the script of all modules, parses it and binds the names of imports.
func (m *Modules) join(out *Bundle, s *moduleScript, packages *Bundle) []BuildMessage {
	var text strings.Builder
	var sections []mapSection
	line := 0
	write := func(part string) {
		text.WriteString(part)
		line += strings.Count(part, "\n")
	}
	write(fmt.Sprintf("(async function (%s, %s, %s, %s, %s) { \"use strict\"; const __eddy_modules = %s(%s, []);\n",
		importFunc, dynamicFunc, exportFunc, metaName, regexpFunc, importFunc, quote(ModulesName)))
	ids := slices.Sorted(maps.Keys(s.modules))
	for _, id := range ids {
		write("__eddy_modules.define(" + quote(id) + ", ")
		sections = append(sections, mapSection{first: line, of: s.modules[id].of})
		write(s.modules[id].text)
		sections = append(sections, mapSection{first: line + 1, of: &SourceMap{json: emptyMap}})
		write(");\n")
	}
	if len(m.mu.mocks) > 0 {
		write("__eddy_modules.standIns({")
		for _, id := range slices.Sorted(maps.Keys(m.mu.mocks)) {
			write(quote(id) + ": " + quote(m.mu.mocks[id]) + ", ")
		}
		write("});\n")
	}
	if packages != nil {
		write("__eddy_modules.packages(")
		sections = append(sections, mapSection{first: line, of: packages.Map})
		write(packages.Source)
		sections = append(sections, mapSection{first: line + 1, of: &SourceMap{json: emptyMap}})
		write(");\n")
	}
	out.Exports = s.exports(ModuleID(m.options.Entry), map[string]bool{})
	write(exportFunc + "({ __proto__: null")
	for _, name := range out.Exports {
		write(fmt.Sprintf(", %s: () => __eddy_modules.entry(%s)", quote(name), quote(name)))
	}
	write(" }, []);\n})")
	out.Source, out.Map = text.String(), &SourceMap{sections: sections}
	program, failures := check(out.Source, out.Map)
	if len(failures) > 0 {
		return failures
	}
	m.Counted = map[string]*Counted{}
	var lines []int
	if m.Count != nil {
		lines = lineOffsets(out.Source)
	}
	stops := newStopper(out.Map, out.Source)
	body := program.Body[0].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral).Body.List
	for i, id := range ids {
		call := body[2+i].(*ast.ExpressionStatement).Expression.(*ast.CallExpression)
		fn := call.ArgumentList[1].(*ast.FunctionLiteral)
		m.link(id, s.modules[id], fn)
		if file, ok := moduleFile(id); ok && m.Count != nil && m.Count(file) {
			body, counted := instrument(out.Map, out.Source, lines, file, id, fn.Body.List)
			if fn.Body.List = body; counted != nil {
				m.Counted[id] = counted
			}
		}
		if m.options.Stops {
			stops.add(fn, s.modules[id].live)
		}
	}
	if m.options.Stops {
		if packages != nil {
			call := body[len(body)-2].(*ast.ExpressionStatement).Expression.(*ast.CallExpression)
			stops.add(call.ArgumentList[0].(*ast.FunctionLiteral), nil)
		}
		out.Stops = stops.out
	}
	out.program.tree = program
	return nil
}

var emptyMap = []byte(`{"version":3,"sources":[],"names":[],"mappings":""}`)

// exports are the names that a module exports, sorted; those that come from packages by `export *` are not known.
func (s *moduleScript) exports(id string, seen map[string]bool) []string {
	module := s.modules[id]
	if module == nil || seen[id] {
		return nil
	}
	seen[id] = true
	names := slices.Clone(module.rewritten.exports)
	for _, star := range module.stars {
		for _, name := range s.exports(star, seen) {
			if name != "default" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// link binds the imports of a module, gives calls of vi the ids of the modules that they name, and moves those that
// prepare mocks before the imports, as vitest does.
func (m *Modules) link(id string, module *moduleCode, fn *ast.FunctionLiteral) {
	file, _ := moduleFile(id)
	v := &viCalls{module: module, named: m.mu.named[file]}
	var head, hoisted, imports, rest []ast.Statement
	for _, s := range fn.Body.List {
		switch {
		case isPrologue(s) && v.imports(s):
			imports = append(imports, s)
		case isPrologue(s), isHelper(s):
			head = append(head, s)
		case v.statement(s):
			hoisted = append(hoisted, s)
		default:
			rest = append(rest, s)
		}
	}
	bindLive(fn.Body.List, module.live, v.name)
	if len(hoisted) > 0 {
		fn.Body.List = slices.Concat(head, hoisted, imports, rest)
	}
}

// isPrologue tells statements that the rewriter wrote: they all use a name of the contract.
func isPrologue(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		switch e := s.Expression.(type) {
		case *ast.StringLiteral:
			return e.Value == "use strict"
		case *ast.CallExpression:
			id, ok := e.Callee.(*ast.Identifier)
			return ok && id.Name == exportFunc
		}
	case *ast.LexicalDeclaration:
		return awaitedImport(s) != nil
	}
	return false
}

// isHelper tells declarations of esbuild's own helpers, on which everything else relies.
func isHelper(s ast.Statement) bool {
	v, ok := s.(*ast.VariableStatement)
	if !ok || len(v.List) == 0 {
		return false
	}
	for _, b := range v.List {
		if id, ok := b.Target.(*ast.Identifier); !ok || !strings.HasPrefix(id.Name.String(), "__") {
			return false
		}
	}
	return true
}

// awaitedImport is the call in `const x = await __eddy_import(…)`.
func awaitedImport(s *ast.LexicalDeclaration) *ast.CallExpression {
	if len(s.List) == 0 {
		return nil
	}
	wait, ok := s.List[0].Initializer.(*ast.AwaitExpression)
	if !ok {
		return nil
	}
	call, ok := wait.Argument.(*ast.CallExpression)
	if !ok {
		return nil
	}
	if id, ok := call.Callee.(*ast.Identifier); !ok || id.Name != importFunc {
		return nil
	}
	return call
}

// viCalls finds the calls of vi in a module.
type viCalls struct {
	module *moduleCode
	named  map[string]string
}

// imports tells an import that mocks may replace: all but that of vitest, which the mocks need.
func (v *viCalls) imports(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.LexicalDeclaration:
		if call := awaitedImport(s); call != nil {
			specifier, ok := call.ArgumentList[0].(*ast.StringLiteral)
			return !ok || specifier.Value != "vitest"
		}
	case *ast.ExpressionStatement: // of export * from
		call, ok := s.Expression.(*ast.CallExpression)
		if ok && len(call.ArgumentList) == 2 {
			list, ok := call.ArgumentList[1].(*ast.ArrayLiteral)
			return ok && len(list.Value) > 0
		}
	}
	return false
}

// statement tells what is hoisted: calls of vi.mock, vi.unmock and vi.hoisted, and a declaration whose value is that of
// vi.hoisted.
func (v *viCalls) statement(s ast.Statement) bool {
	hoisted := false
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		hoisted = v.hoists(s.Expression)
	case *ast.LexicalDeclaration:
		for _, b := range s.List {
			hoisted = hoisted || v.hoists(b.Initializer) && v.method(b.Initializer) == "hoisted"
		}
	case *ast.VariableStatement:
		for _, b := range s.List {
			hoisted = hoisted || v.hoists(b.Initializer) && v.method(b.Initializer) == "hoisted"
		}
	}
	return hoisted
}

func (v *viCalls) hoists(e ast.Expression) bool {
	switch v.method(e) {
	case "mock", "unmock", "hoisted":
		return true
	}
	return false
}

// method is the name of the method of vi that an expression calls or awaits, "" if it does not.
func (v *viCalls) method(e ast.Expression) unistring.String {
	if wait, ok := e.(*ast.AwaitExpression); ok {
		e = wait.Argument
	}
	call, ok := e.(*ast.CallExpression)
	if !ok {
		return ""
	}
	dot, ok := call.Callee.(*ast.DotExpression)
	if !ok {
		return ""
	}
	if inner, ok := dot.Left.(*ast.CallExpression); ok && v.method(inner) != "" {
		return v.method(inner) // vi.mock(…).mock(…)
	}
	id, ok := dot.Left.(*ast.Identifier)
	if !ok || id.Name != "vi" && id.Name != "vitest" {
		if !ok || v.module.live[id.Name].name != "vi" && v.module.live[id.Name].name != "vitest" {
			return ""
		}
	}
	return dot.Identifier.Name
}

// name puts the id of a module in the place of its specifier.
func (v *viCalls) name(call *ast.CallExpression) {
	if len(call.ArgumentList) == 0 {
		return
	}
	switch v.method(call) {
	case "mock", "doMock", "unmock", "doUnmock", "importActual", "importMock":
	default:
		return
	}
	switch first := call.ArgumentList[0].(type) {
	case *ast.StringLiteral:
		if id, ok := v.named[first.Value.String()]; ok {
			first.Value = unistring.NewFromString(id)
		}
	case *ast.TemplateLiteral:
		if len(first.Elements) == 1 && first.Tag == nil {
			if id, ok := v.named[first.Elements[0].Parsed.String()]; ok {
				first.Elements[0].Parsed = unistring.NewFromString(id)
			}
		}
	case *ast.CallExpression: // import("…")
		if callee, ok := first.Callee.(*ast.Identifier); ok && callee.Name == dynamicFunc &&
			len(first.ArgumentList) > 1 {
			call.ArgumentList[0] = first.ArgumentList[1]
		}
	}
}

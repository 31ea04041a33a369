package inspector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/lazyregexp"
)

// evaluationName is the script's name in stacks; they do not show it.
const evaluationName = "eddy:evaluate"

var nameInCode = lazyregexp.New(`[\p{L}_$][\p{L}\p{N}_$]*`)

// evaluateIn evaluates what a person has typed as though it stood at a call's place. The names that are seen there are
// parameters of a function around it; what it has assigned to them is written back. Loop goroutine.
func (r *realm) evaluateIn(c *call, code string) (v, thrown goja.Value) {
	var names, keys []string
	var before []goja.Value
	for _, name := range nameInCode.FindAllString(code, -1) {
		if slices.Contains(names, name) || reserved[name] {
			continue
		}
		key, _, ok := r.lookup(c, name)
		if !ok {
			if name != "arguments" {
				continue
			}
			key = name
		}
		value, none := r.read(c, key)
		if none != nil {
			if strings.HasPrefix(strings.TrimSpace(code), name) {
				return nil, r.newError("ReferenceError", "Cannot access '"+name+"' before initialization")
			}
			value = goja.Undefined()
		}
		names, keys, before = append(names, name), append(keys, key), append(before, value)
	}
	source, err := asFunction(code, names)
	if err != nil {
		return nil, r.syntaxError(err)
	}
	f, thrown := r.compiled(source)
	if thrown != nil {
		return nil, thrown
	}
	after := before
	out := r.rt.ToValue(func(fc goja.FunctionCall) goja.Value {
		after = slices.Clone(fc.Arguments)
		return goja.Undefined()
	})
	v, thrown = r.try(func() (goja.Value, error) {
		call, _ := goja.AssertFunction(f)
		return call(r.this(c), append([]goja.Value{out}, before...)...)
	})
	for i, value := range after {
		if i < len(before) && !value.SameAs(before[i]) {
			if failed := r.write(c, keys[i], value); failed != nil && thrown == nil {
				thrown = failed
			}
		}
	}
	return v, thrown
}

// reserved are words that no variable is called.
var reserved = map[string]bool{
	"this": true, "null": true, "true": true, "false": true, "new": true, "typeof": true, "instanceof": true,
	"in": true,
	"of": true, "let": true, "const": true, "var": true, "function": true, "return": true, "await": true, "async": true,
	"yield": true, "class": true, "void": true, "delete": true, "if": true, "else": true, "for": true, "while": true,
	"throw": true, "try": true, "catch": true, "finally": true, "super": true, "do": true, "switch": true, "case": true,
	"eval": true, "static": true, "default": true, "break": true, "continue": true, "import": true, "export": true,
	"extends": true, "debugger": true, "with": true, "enum": true,
}

// asFunction is a function that has the value of a script, tells the values of its parameters at the end, and has the
// parameters that are given. A script that awaits becomes an async function.
func asFunction(code string, names []string) (source string, err error) {
	all := strings.Join(names, ", ")
	head := fmt.Sprintf("(%%sfunction (%s) { try { ", strings.Join(append([]string{"__eddy_out"}, names...), ", "))
	tail := fmt.Sprintf("\n} finally { __eddy_out(%s) } })", all)
	async := ""
	for {
		whole := fmt.Sprintf(head, async)
		source = whole + "return (" + code + "\n)" + tail
		if _, err = parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps); err == nil {
			return source, nil
		}
		if body, ok := withResult(code, async != ""); ok {
			source = whole + body + tail
			if _, err = parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps); err == nil {
				return source, nil
			}
		}
		if async != "" || !strings.Contains(code, "await") {
			return "", err
		}
		async = "async "
	}
}

// withResult is a list of statements that returns the value of its last one, if that is an expression.
func withResult(code string, async bool) (string, bool) {
	head := "(function () { "
	if async {
		head = "(async function () { "
	}
	tree, err := parser.ParseFile(nil, "", head+code+"\n})", 0, parser.WithDisableSourceMaps)
	if err != nil || len(tree.Body) != 1 {
		return "", false
	}
	e, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return "", false
	}
	f, ok := e.Expression.(*ast.FunctionLiteral)
	if !ok || len(f.Body.List) == 0 {
		return code, ok
	}
	last, ok := f.Body.List[len(f.Body.List)-1].(*ast.ExpressionStatement)
	if !ok {
		return code, true
	}
	at := int(last.Idx0()) - 1 - len(head)
	if at < 0 || at > len(code) {
		return code, true
	}
	return code[:at] + "return " + code[at:], true
}

// syntaxError is the error of a text that cannot be parsed.
func (r *realm) syntaxError(err error) goja.Value {
	text := err.Error()
	if i := strings.Index(text, "Line "); i >= 0 {
		if _, rest, ok := strings.Cut(text[i:], " "); ok {
			if _, rest, ok := strings.Cut(rest, " "); ok {
				text = rest
			}
		}
	}
	if i := strings.Index(text, " (and "); i > 0 {
		text = text[:i]
	}
	return r.newError("SyntaxError", text)
}

// newError is an error of a class of the engine.
func (r *realm) newError(class, text string) goja.Value {
	_, thrown := r.try(func() (goja.Value, error) {
		r.iso.Realm.ThrowError(class, "%s", text)
		return nil, nil
	})
	return thrown
}

// compiled is the value of a script's one expression.
func (r *realm) compiled(source string) (v, thrown goja.Value) {
	program, err := ecma.Compile(evaluationName, source, false)
	if err != nil {
		return nil, r.syntaxError(err)
	}
	return r.try(func() (goja.Value, error) { return r.rt.RunProgram(program) })
}

// evaluateGlobally evaluates what a person has typed as a script of its own: what it declares stays. Loop goroutine.
func (r *realm) evaluateGlobally(code string) (v, thrown goja.Value) {
	program, err := ecma.Compile(evaluationName, code, false)
	if err != nil && !strings.Contains(code, "await") || err == nil {
		if strings.HasPrefix(strings.TrimSpace(code), "{") { // an object, as people mean it
			if program, again := ecma.Compile(evaluationName, "("+code+"\n)", false); again == nil {
				return r.try(func() (goja.Value, error) { return r.rt.RunProgram(program) })
			}
		}
		if err != nil {
			return nil, r.syntaxError(err)
		}
		return r.try(func() (goja.Value, error) { return r.rt.RunProgram(program) })
	}
	source, err := asFunction(code, nil)
	if err != nil {
		return nil, r.syntaxError(err)
	}
	f, thrown := r.compiled(source)
	if thrown != nil {
		return nil, thrown
	}
	return r.try(func() (goja.Value, error) {
		call, _ := goja.AssertFunction(f)
		return call(goja.Undefined(), r.rt.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() }))
	})
}

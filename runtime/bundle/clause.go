package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja/unistring"
)

// This file reads the import and export statements that esbuild leaves at the top level of its output.

// binding is one entry of an import or export clause: name is the export's name, local the variable's.
type binding struct{ name, local string }

// importStatement handles the statement whose keyword is t, up to its semicolon.
func (r *rewriter) importStatement(t token) {
	var (
		named     []binding
		namespace string
	)
	next := r.scanner.next()
	if next.kind == tokenName {
		word := r.scanner.textOf(next)
		following := r.scanner.next()
		switch {
		case word == "source" && following.kind == tokenName && r.scanner.textOf(following) != "from":
			// import source x: there is only wasm, whose source is the module itself.
			named = append(named, binding{name: "default", local: r.scanner.textOf(following)})
			following = r.scanner.next()
		case word == "defer" && following.op == "*":
			r.fail(t.start, errors.New("import defer is not supported; use import"))
			return
		default:
			named = append(named, binding{name: "default", local: word})
		}
		next = following
		if next.op == "," {
			next = r.scanner.next()
		}
	}
	switch next.op {
	case "*":
		r.scanner.next() // as
		namespace = r.scanner.textOf(r.scanner.next())
		next = r.scanner.next()
	case "{":
		list, ok := r.clause()
		if !ok {
			return
		}
		named = append(named, list...)
		next = r.scanner.next()
	}
	if next.kind == tokenName && r.scanner.textOf(next) == "from" {
		next = r.scanner.next()
	}
	specifier, ok := r.specifier(next)
	if !ok {
		return
	}
	end := r.endOfStatement()
	r.replace(t.start, end, "")
	if r.options.live {
		r.linkLive(specifier, named, namespace)
	} else {
		r.link.WriteString(importCode(specifier, named, namespace))
	}
	use := importUse{Specifier: specifier, space: namespace, offset: t.start}
	for _, b := range named {
		use.Names = append(use.Names, b.name)
	}
	r.out.imports = append(r.out.imports, use)
}

// linkLive imports into a module that stays one: names are looked up where they are used.
func (r *rewriter) linkLive(specifier string, named []binding, namespace string) {
	names := make([]string, len(named))
	if namespace == "" {
		r.spaces++
		namespace = fmt.Sprintf("__eddy_space%d", r.spaces)
	}
	for i, b := range named {
		names[i] = quote(b.name)
		r.live[unistring.NewFromString(b.local)] = liveImport{
			space: unistring.NewFromString(namespace), name: unistring.NewFromString(b.name),
		}
	}
	fmt.Fprintf(&r.link, "const %s = await %s(%s, [%s]); ", namespace, importFunc, quote(specifier),
		strings.Join(names, ", "))
}

// importCode is the replacement of an import statement in the prologue.
func importCode(specifier string, named []binding, namespace string) string {
	names := make([]string, len(named))
	pattern := make([]string, len(named))
	for i, b := range named {
		names[i] = quote(b.name)
		pattern[i] = quote(b.name) + ": " + b.local
	}
	call := fmt.Sprintf("%s(%s, [%s])", importFunc, quote(specifier), strings.Join(names, ", "))
	switch {
	case namespace != "" && len(named) > 0:
		return fmt.Sprintf("const %s = %s, { %s } = %s; ", namespace, call, strings.Join(pattern, ", "), namespace)
	case namespace != "":
		return fmt.Sprintf("const %s = %s; ", namespace, call)
	case len(named) > 0:
		return fmt.Sprintf("const { %s } = %s; ", strings.Join(pattern, ", "), call)
	}
	return call + "; "
}

// exportStatement handles `export { … }` and the forms with from.
func (r *rewriter) exportStatement(t token) {
	s := r.scanner
	next := s.next()
	switch next.op {
	case "{":
		list, ok := r.clause()
		if !ok {
			return
		}
		if c, at := s.peekByte(); c == 'f' && hasAt(s.text, at, "from") {
			s.next()
			r.exportFrom(t, list, "")
			return
		}
		for _, b := range list {
			// In an export clause the local name comes first.
			r.export(b.local, b.name)
		}
		r.replace(t.start, r.endOfStatement(), "")
	case "*":
		namespace := ""
		if word := s.next(); s.textOf(word) == "as" {
			name := s.next()
			namespace = s.textOf(name)
			if name.kind == tokenString {
				var err error
				if namespace, err = unquote(namespace); err != nil {
					r.fail(name.start, err)
					return
				}
			}
			s.next() // from
		}
		r.exportFrom(t, nil, namespace)
	default:
		if s.textOf(next) != "default" {
			r.fail(t.start, fmt.Errorf("unexpected export form %q", s.textOf(next)))
			return
		}
		// This is always an expression: esbuild turns declarations into export clauses.
		r.replace(t.start, next.end, "const __eddy_default =")
		r.export("default", "__eddy_default")
	}
}

// exportFrom ends a statement `export … from "specifier"`; with neither list nor namespace it is `export *`.
func (r *rewriter) exportFrom(t token, list []binding, namespace string) {
	specifier, ok := r.specifier(r.scanner.next())
	if !ok {
		return
	}
	use := importUse{Specifier: specifier, offset: t.start}
	if namespace != "" {
		use.space = "*"
	}
	r.replace(t.start, r.endOfStatement(), "")
	switch {
	case namespace != "" || len(list) > 0:
		r.spaces++
		local := fmt.Sprintf("__eddy_space%d", r.spaces)
		names := make([]string, len(list))
		for i, b := range list {
			// `export { a as b } from`: a is the other module's export.
			use.Names = append(use.Names, b.name)
			names[i] = quote(b.name)
			r.export(b.local, local+"["+quote(b.name)+"]")
		}
		if namespace != "" {
			r.export(namespace, local)
		}
		fmt.Fprintf(&r.link, "const %s = %s%s(%s, [%s]); ", local, r.awaited(), importFunc, quote(specifier),
			strings.Join(names, ", "))
	case r.options.live:
		fmt.Fprintf(&r.link, "%s({ __proto__: null }, [await %s(%s, [])]); ", exportFunc, importFunc, quote(specifier))
		r.out.stars = append(r.out.stars, specifier)
	default:
		r.out.stars = append(r.out.stars, specifier)
	}
	r.out.imports = append(r.out.imports, use)
}

// awaited stands before the import of a module that may not have run.
func (r *rewriter) awaited() string {
	if r.options.live {
		return "await "
	}
	return ""
}

func (r *rewriter) export(name, expression string) {
	r.out.exports = append(r.out.exports, name)
	fmt.Fprintf(&r.getters, ", %s: () => %s", quote(name), expression)
}

// clause reads `a, b as c, "d e" as f }` behind the opening brace. name is what stands before as, local what follows.
func (r *rewriter) clause() ([]binding, bool) {
	s := r.scanner
	var list []binding
	for {
		t := s.next()
		if t.op == "}" {
			return list, true
		}
		name, ok := r.clauseName(t)
		if !ok {
			return nil, false
		}
		b := binding{name: name, local: name}
		t = s.next()
		if t.kind == tokenName && s.textOf(t) == "as" {
			if b.local, ok = r.clauseName(s.next()); !ok {
				return nil, false
			}
			t = s.next()
		}
		list = append(list, b)
		switch t.op {
		case ",":
		case "}":
			return list, true
		default:
			r.fail(t.start, fmt.Errorf("unexpected %q in a list of imports or exports", s.textOf(t)))
			return nil, false
		}
	}
}

func (r *rewriter) clauseName(t token) (string, bool) {
	switch t.kind {
	case tokenName:
		return r.scanner.textOf(t), true
	case tokenString:
		name, err := unquote(r.scanner.textOf(t))
		if err == nil {
			return name, true
		}
	}
	r.fail(t.start, fmt.Errorf("unexpected %q in a list of imports or exports", r.scanner.textOf(t)))
	return "", false
}

func (r *rewriter) specifier(t token) (string, bool) {
	if t.kind == tokenString {
		specifier, err := unquote(r.scanner.textOf(t))
		if err == nil {
			return specifier, true
		}
	}
	r.fail(t.start, fmt.Errorf("unexpected %q where a module name is expected", r.scanner.textOf(t)))
	return "", false
}

// endOfStatement skips import attributes and returns the offset behind the semicolon.
func (r *rewriter) endOfStatement() int {
	s := r.scanner
	end := s.pos
	if c, at := s.peekByte(); c == 'w' && hasAt(s.text, at, "with") || c == 'a' && hasAt(s.text, at, "assert") {
		s.next()
		if s.next().op != "{" {
			r.fail(at, errors.New("unexpected import attributes"))
			return end
		}
		for depth := s.depth(); s.depth() >= depth; {
			if s.next().kind == tokenEOF {
				break
			}
		}
		end = s.pos
	}
	if c, _ := s.peekByte(); c == ';' {
		end = s.next().end
	}
	return end
}

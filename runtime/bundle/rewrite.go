package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja/unistring"
)

// importUse is one import statement that is left in the script: an import from the host.
type importUse struct {
	Specifier string
	Names     []string // exports asked for, "default" included
	space     string   // what stands for all of them in the script; "*" if they are exported again
	offset    int      // of the statement in esbuild's output
}

// rewritten is the result of the rewriter.
type rewritten struct {
	text   string  // the function expression of the calling contract
	shifts []shift // of the lines after the prologue
	// imports are the static imports, in order. dynamic are the import() calls of a specifier that is a literal.
	imports []importUse
	dynamic []importUse
	exports []string
	// refused are the regular expressions that are wrong.
	refused []rewriteError
	// live is rewriter.live.
	live map[unistring.String]liveImport
	// stars are the virtual modules whose exports are exported again.
	stars []string
}

// Names of the parameters. A user's program cannot use them by accident, because esbuild renames nothing to them.
const (
	importFunc  = "__eddy_import"
	dynamicFunc = "__eddy_import_dynamic"
	exportFunc  = "__eddy_export"
	metaName    = "__eddy_meta"
	regexpFunc  = "__eddy_regexp"
	// packagesFunc is a parameter of scripts whose packages are another one.
	packagesFunc = "__eddy_packages"
)

// prologueLines is the number of lines before esbuild's first line.
const prologueLines = 1

type rewriter struct {
	scanner *scanner
	text    string
	options rewriteOptions
	edits   []edit
	out     rewritten
	// link and getters stand before the user's code: the imports and the exports.
	link    strings.Builder
	getters strings.Builder
	spaces  int // namespaces named so far
	names   nameCalls
	// live are the imports of a module that stays one, by their local names.
	live map[unistring.String]liveImport
	// before are the two tokens before the scanner's prev2.
	before [2]token
	// templates are those that are open; sites counts the tagged ones.
	templates []openTemplate
	sites     int
	failed    error
}

type rewriteOptions struct {
	// strict makes the script strict code, as modules are.
	strict bool
	// keepRegExp leaves all regular expressions as they are.
	keepRegExp  bool
	checkRegExp func(source, flags string) error
	// find adds the look-up of additional modules.
	find bool
	// live makes a module that stays one: its imports are awaited, and its names of imports stand for properties of
	// namespaces (see bindLive).
	live bool
	// referrer gives the name of the module that an offset belongs to, for import().
	referrer func(offset int) string
	// packages says that the packages are another script; generator makes that one.
	packages, generator bool
}

// head is how the function of the calling contract begins.
func (o rewriteOptions) head() string {
	kind, params := "async function ", []string{importFunc, dynamicFunc, exportFunc, metaName, regexpFunc}
	if o.generator {
		kind = "function* "
	}
	if o.packages {
		params = append(params, packagesFunc)
	}
	return "(" + kind + "(" + strings.Join(params, ", ") + ") { "
}

// rewrite turns esbuild's output into the function of the calling contract.
func rewrite(text string, options rewriteOptions) (rewritten, error) {
	r := &rewriter{scanner: newScanner(text), text: text, options: options, live: map[unistring.String]liveImport{}}
	r.walk()
	if r.failed != nil {
		return rewritten{}, r.failed
	}
	body, shifts := applyEdits(text, r.edits)
	r.out.shifts = shifts
	var b strings.Builder
	b.Grow(len(body) + r.link.Len() + r.getters.Len() + 256)
	b.WriteString(options.head())
	if options.strict {
		b.WriteString(`"use strict"; `)
	}
	if options.find {
		b.WriteString(findCode)
	}
	if r.sites > 0 {
		b.WriteString(stringsCode)
		for i := 1; i <= r.sites; i++ {
			fmt.Fprintf(&b, "let __eddy_t%d; ", i)
		}
	}
	stars := strings.Join(r.starNames(), ", ")
	if options.live {
		stars = ""
	}
	fmt.Fprintf(&b, "%s({ __proto__: null%s }, [%s]); %s\n", exportFunc, r.getters.String(), stars, r.link.String())
	b.WriteString(body)
	b.WriteString("\n})")
	r.out.text, r.out.live = b.String(), r.live
	return r.out, nil
}

// starNames are the import calls behind `export * from`. They run before the other imports, which makes no difference
// for virtual modules.
func (r *rewriter) starNames() []string {
	names := make([]string, len(r.out.stars))
	for i, specifier := range r.out.stars {
		names[i] = fmt.Sprintf("%s(%s, [])", importFunc, quote(specifier))
	}
	return names
}

func (r *rewriter) walk() {
	s := r.scanner
	if strings.HasPrefix(r.text, "#!") {
		// A hashbang is allowed on the first line only, which is now the prologue.
		s.skipLine()
		r.replace(0, s.pos, "")
	}
	for r.failed == nil {
		r.before[0], r.before[1] = r.before[1], s.prev2
		t := s.next()
		if s.unterminated || t.kind == tokenEOF && s.depth() != 0 {
			r.fail(t.start, errors.New("the end of the script came too early"))
			return
		}
		switch t.kind {
		case tokenEOF:
			return
		case tokenName:
			r.name(t)
		case tokenString:
			r.replaceLastCodePoint(t)
		case tokenRegExp:
			r.regExp(t)
		case tokenTemplate:
			r.template(t)
		case tokenPunct:
			r.names.punct(r, t)
		}
	}
}

func (r *rewriter) fail(offset int, err error) {
	if r.failed == nil {
		r.failed = &rewriteError{offset: offset, err: err}
	}
}

// rewriteError names a place in esbuild's output that the rewriter cannot handle.
type rewriteError struct {
	offset int
	err    error
}

func (e *rewriteError) Error() string { return e.err.Error() }

func (r *rewriter) replace(start, end int, text string) {
	if n := strings.Count(r.text[start:end], "\n") - strings.Count(text, "\n"); n > 0 {
		text += strings.Repeat("\n", n)
	}
	r.edits = append(r.edits, edit{start: start, end: end, text: text})
}

func (r *rewriter) name(t token) {
	s := r.scanner
	text := s.textOf(t)
	switch text {
	case "get", "set", "static", "async", "accessor":
		r.classField(t, text)
	case "import":
		if !s.prevIsProperty() {
			r.importKeyword(t)
		}
	case "export":
		if s.depth() == 0 && !s.prevIsProperty() {
			r.exportStatement(t)
		}
	case "class":
		r.names.class(r, t)
	case "__name":
		r.names.begin(r, t)
	}
}

// classField makes `set = 1` in a class body `["set"] = 1`: the engine takes such names for modifiers (GJ1); some it
// refuses, others it misreads without a word (`get; set; x = 1` defines one accessor).
func (r *rewriter) classField(t token, name string) {
	s := r.scanner
	if s.top().kind != bracketClass {
		return
	}
	switch s.prev2.kind {
	case tokenPunct:
		if op := s.prev2.op; op != "{" && op != ";" && op != "}" {
			return
		}
	case tokenName:
		if s.textOf(s.prev2) != "static" {
			return
		}
	default:
		return
	}
	c, at := s.peekByte()
	switch {
	case c == '=' && !hasAt(s.text, at, "==") && !hasAt(s.text, at, "=>"), c == ';', c == '}':
		r.replace(t.start, t.end, `["`+name+`"]`)
	}
}

func (r *rewriter) regExp(t token) {
	if r.options.keepRegExp {
		return
	}
	literal := r.scanner.textOf(t)
	end := strings.LastIndexByte(literal, '/')
	if end < 1 {
		return
	}
	source, flags := literal[1:end], literal[end+1:]
	if needsHostRegExp(source, flags) {
		if check := r.options.checkRegExp; check != nil {
			if err := check(source, flags); err != nil {
				r.out.refused = append(r.out.refused, rewriteError{offset: t.start, err: err})
			}
		}
		r.replace(t.start, t.end, regexpFunc+"("+quote(source)+", "+quote(flags)+")")
	}
}

// importKeyword handles import(), import.meta and import statements.
func (r *rewriter) importKeyword(t token) {
	s := r.scanner
	c, at := s.peekByte()
	switch {
	case c == '(':
		if r.isMethodName() {
			return
		}
		call := dynamicFunc
		if r.options.find {
			call = findFunc
		}
		r.replace(t.start, at+1, call+"("+quote(r.options.referrer(t.start))+", ")
		r.noteDynamic(at + 1)
	case c == '.':
		s.next()
		property := s.next()
		if name := s.textOf(property); name != "meta" {
			r.fail(t.start, fmt.Errorf("import.%s() is not supported; use import()", name))
			return
		}
		r.replace(t.start, property.end, metaName)
	case c == ':' || s.depth() != 0:
		// a property of that name
	default:
		r.importStatement(t)
	}
}

// isMethodName tells a method called import from the import() expression.
func (r *rewriter) isMethodName() bool {
	s := r.scanner
	switch s.top().kind {
	case bracketClass:
		// a field's value may begin with import(): then an operator precedes it
		return s.prev2.kind == tokenName || s.prev2.op == "{" || s.prev2.op == ";" || s.prev2.op == "}" ||
			s.prev2.op == "*"
	case bracketObject:
		return s.prev2.op == "{" || s.prev2.op == "," || s.prev2.op == "*" ||
			s.prev2.kind == tokenName && s.textOf(s.prev2) != "await" && s.textOf(s.prev2) != "void" &&
				s.textOf(s.prev2) != "typeof"
	}
	return false
}

// noteDynamic records import("literal"), so that unknown virtual modules can be reported.
func (r *rewriter) noteDynamic(at int) {
	probe := &scanner{text: r.text, pos: at, stack: make([]bracket, 1, 4)}
	t := probe.next()
	if t.kind != tokenString {
		return
	}
	if c, _ := probe.peekByte(); c != ')' && c != ',' {
		return
	}
	specifier, err := unquote(probe.textOf(t))
	if err == nil {
		r.out.dynamic = append(r.out.dynamic, importUse{Specifier: specifier, offset: at})
	}
}

// quote writes s as a JavaScript string in ASCII.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c >= 0x20 && c < 0x7F:
			b.WriteRune(c)
		case c > 0xFFFF:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote reads a string literal as esbuild prints it.
func unquote(literal string) (string, error) {
	if len(literal) < 2 {
		return "", errors.New("not a string")
	}
	if literal[0] == '"' {
		var s string
		if json.Unmarshal([]byte(literal), &s) == nil {
			return s, nil
		}
	}
	body := literal[1 : len(literal)-1]
	if !strings.Contains(body, `\`) {
		return body, nil
	}
	var s string
	body = strings.ReplaceAll(strings.ReplaceAll(body, `\'`, `'`), `"`, `\"`)
	if err := json.Unmarshal([]byte(`"`+body+`"`), &s); err != nil {
		return "", fmt.Errorf("string %s: %w", literal, err)
	}
	return s, nil
}

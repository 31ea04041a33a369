package console

import (
	"strings"

	"github.com/dop251/goja"
)

// functionBase is "[Function: name]", "[class A extends B]" and their kind.
func (i *inspector) functionBase(s *shape) string {
	source := must(i.functionText(s.obj)).String()
	if isClassSource(source) {
		return i.classBase(s)
	}
	kind := functionKind(source)
	base := "[" + kind
	if s.class == nil {
		base += " (null prototype)"
	}
	switch name := s.obj.Get("name").(type) {
	case goja.String:
		if name.String() == "" {
			base += " (anonymous)"
		} else {
			base += ": " + name.String()
		}
	case nil:
		base += ": undefined"
	default:
		if _, callable := goja.AssertFunction(name); callable {
			// A class may have a static method called name.
			base += " (anonymous)"
		} else {
			base += ": " + i.value(name, Unlimited, false)
		}
	}
	base += "]"
	if s.class != nil && *s.class != kind {
		base += " " + *s.class
	}
	if s.tag != "" && (s.class == nil || *s.class != s.tag) {
		base += " [" + s.tag + "]"
	}
	return base
}

// isClassSource tells a class from a function whose name begins with "class".
func isClassSource(source string) bool {
	rest, ok := strings.CutPrefix(source, "class")
	return ok && rest != "" && strings.HasSuffix(rest, "}") && !strings.ContainsAny(rest[:1], "$_(") && !letter(rest[0])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// functionKind reads the kind off the source text, which is all that tells generators and async functions apart.
func functionKind(source string) string {
	kind := "Function"
	rest := source
	async := strings.HasPrefix(rest, "async ") || strings.HasPrefix(rest, "async(")
	if async {
		rest = strings.TrimLeft(rest[len("async"):], " ")
	}
	if strings.HasPrefix(rest, "*") ||
		strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(rest, "function"), " "), "*") {
		kind = "GeneratorFunction"
	}
	if async {
		kind = "Async" + kind
	}
	return kind
}

func (i *inspector) classBase(s *shape) string {
	name := "(anonymous)"
	if p := i.ownNamed(s.obj, "name"); p.value != nil && p.value.String() != "" {
		name = p.value.String()
	}
	base := "class " + name
	if s.class != nil && *s.class != "Function" {
		base += " [" + *s.class + "]"
	}
	if s.tag != "" && (s.class == nil || *s.class != s.tag) {
		base += " [" + s.tag + "]"
	}
	switch {
	case s.class == nil:
		base += " extends [null prototype]"
	default:
		if parent := s.obj.Prototype(); parent != nil {
			if above, ok := parent.Get("name").(goja.String); ok && above.String() != "" {
				base += " extends " + above.String()
			}
		}
	}
	return "[" + base + "]"
}

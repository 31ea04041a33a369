package kernel

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// A variable may get its function in a way that nobody follows: from another module, or from a property. Then it is
// probably one of those that have its name, or that of the property. Which it is is looked at when the kernel begins.

// named notes a function that has a name of its own; the walk is in front of it.
func (f *Finder) named(node ast.Node, fn *function) {
	if lit, is := node.(*ast.FunctionLiteral); is && lit.Name != nil {
		f.called(lit.Name.Name.String(), fn)
	}
}

// called notes a function by a name that it has.
func (f *Finder) called(name string, fn *function) {
	name = bareName(name)
	if !fn.fits || len(name) < minName {
		return
	}
	if f.ownNames == nil {
		f.ownNames = map[string][]*function{}
	}
	if list := f.ownNames[name]; len(list) < maxMethods {
		f.ownNames[name] = append(list, fn)
	}
}

// minName is how long names are at least that tell anything.
const minName = 3

// bareName is a name without the digits by which a bundler tells it from others.
func bareName(name string) string { return strings.TrimRight(name, "0123456789") }

// likely are the functions that a variable may have.
func (f *Finder) likely(s *Scope, name string, args int) (list []*function) {
	in, _ := s.find(name, f.functions)
	if in == nil {
		return nil
	}
	candidates := f.ownNames[bareName(name)]
	if property := in.reads[name]; property != "" {
		candidates = append(f.methods[property][:len(f.methods[property]):len(f.methods[property])],
			f.ownNames[bareName(property)]...)
	}
	for _, fn := range candidates {
		if len(fn.params) == args && len(list) < maxMethods && !contains(list, fn) {
			list = append(list, fn)
		}
	}
	return list
}

// contains tells whether a function of the same source is there.
func contains(list []*function, fn *function) bool {
	for _, other := range list {
		if other.source == fn.source {
			return true
		}
	}
	return false
}

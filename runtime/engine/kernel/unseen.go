package kernel

import (
	"strings"

	"github.com/dop251/goja/file"
)

// A function of a cipher has dozens of variables, and its last statements are a kernel: to make values of what they
// hold in the end takes longer than to compute it, and nobody reads them. Nor is there anything in them at the start.

// unseen notes which of a kernel's variables nobody reads once it has come to its end, and which have nothing when it
// begins, where its statements begin with the i-th one of a list.
func (f *Finder) unseen(c candidate, p *plan, i int) {
	from, to := f.offset(c.in.from), f.offset(c.in.to)
	end := f.offset(p.list[len(p.list)-1].Idx1())
	text := ""
	if f.file != nil {
		text = f.file.Source()
	}
	if c.in.params == nil || from < 0 || from >= end || end > to || to > len(text) || f.dynamic ||
		f.makesFunction(int(c.in.from)+1, int(c.in.to)) {
		return // a closure may keep them
	}
	if within := text[from:to]; strings.Contains(within, "arguments") || strings.Contains(within, "class") ||
		strings.Contains(within, `\u`) {
		return // they may have other names, and fields of classes are functions
	}
	for _, in := range p.inputs {
		if in.parent != nil || in.exit > 0 || in.name == "this" {
			continue
		}
		own := in.scope == c.scope
		if c.body {
			own = own || in.scope == c.scope.outer
			in.fresh = i == 0 && in.scope == c.scope.outer && c.in.variable(in.name)
		}
		in.unseen = own && !mentions(text[end:to], in.name)
	}
}

// offset is where a place is in the script's text.
func (f *Finder) offset(at file.Idx) int {
	if f.file == nil {
		return -1
	}
	return int(at) - f.file.Base()
}

// variable tells whether var alone declares a name of the function.
func (p *place) variable(name string) (is bool) {
	taken := false
	for _, b := range p.params.List {
		patternNames(b.Target, func(n string) { taken = taken || n == name })
	}
	patternNames(p.params.Rest, func(n string) { taken = taken || n == name })
	for _, d := range p.vars {
		for _, b := range d.List {
			patternNames(b.Target, func(n string) { is = is || n == name })
		}
	}
	return is && !taken
}

// mentions tells whether a text has a name, be it in a comment.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		i, at = at+i, at+i+len(name)
		if (i == 0 || !part(text[i-1])) && (at == len(text) || !part(text[at])) {
			return true
		}
	}
}

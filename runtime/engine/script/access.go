package script

import (
	"sort"
	"strings"
)

// V8 has the place of an access to a property at the property's name, behind a call in the same chain at the dot, and
// of one by a computed key at the bracket; that of a write at the sign. goja has none for the methods of calls and
// reports what it did before. These look for V8's place in the text.

// Method returns where V8 has the access to the method of a call whose object goja has evaluated last at offset. ok is
// false if no call is around offset.
func (x *Index) Method(offset int) (pos int, ok bool) {
	i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].At) > offset })
	for ; i < len(x.sites); i++ {
		if s := &x.sites[i]; s.Kind == Call && int(s.Start) <= offset && offset < int(s.End) {
			if end := int(s.End) - 1; x.Source[end] == ']' {
				pos = x.opening(end)
				return pos, pos >= 0
			}
			return x.Property(x.wordStart(int(s.End))), true
		}
	}
	return 0, false
}

// Pattern returns where V8 has that a pattern takes a value apart which goja has evaluated last at offset: at the first
// property, or at the source of an array pattern. For a parameter, which has no source, offset is that of the function.
func (x *Index) Pattern(offset int) (pos int, ok bool) {
	if s := x.Find(offset, Destructure, Elements); s != nil {
		return int(s.Pos), true
	}
	var found *Site
	for i := range x.sites {
		s := &x.sites[i]
		if s.Kind == Destructure && s.End > 0 && int(s.Start) <= offset && offset < int(s.End) &&
			(found == nil || s.Start >= found.Start) {
			found = s
		}
	}
	if f := x.Enclosing(offset); found == nil && f != nil && int(f.Start) == offset {
		i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].At) > offset })
		for ; i < len(x.sites) && x.sites[i].At < f.End && found == nil; i++ {
			if s := &x.sites[i]; s.Kind == Destructure && s.End == 0 {
				found = s
			}
		}
	}
	if found == nil {
		return 0, false
	}
	return int(found.Pos), true
}

// Property returns where V8 has the access to the property whose name begins at offset.
func (x *Index) Property(offset int) int {
	dot := x.before(offset)
	if dot < 0 || x.Source[dot] != '.' {
		return offset
	}
	// Anything but names, dots and brackets on the way back to a call ends the chain.
	for at := dot; at >= 0; {
		if at = x.before(at); at < 0 {
			break
		}
		switch c := x.Source[at]; {
		case c == '?': // of "?.", behind which all are taken as behind a call
			return dot
		case c == '.':
		case c == ']':
			at = x.opening(at)
		case c == ')':
			if open := x.opening(at); open >= 0 && x.calls(open) {
				return dot
			}
			return offset
		case namePart(c):
			at = x.wordStart(at + 1)
			if b := x.before(at); b < 0 || x.Source[b] != '.' {
				return offset
			}
		default:
			return offset
		}
	}
	return offset
}

// Assignment returns where V8 has the write to the property whose name, or whose bracket, begins at offset.
func (x *Index) Assignment(offset int) int {
	at := offset
	if at < len(x.Source) && x.Source[at] == '[' {
		for depth := 0; at < len(x.Source); at++ {
			if c := x.Source[at]; c == '[' {
				depth++
			} else if c == ']' {
				if depth--; depth == 0 {
					at++
					break
				}
			}
		}
	} else {
		for at < len(x.Source) && namePart(x.Source[at]) {
			at++
		}
	}
	for at < len(x.Source) && strings.IndexByte(" \t\r\n", x.Source[at]) >= 0 {
		at++
	}
	if at+1 < len(x.Source) && x.Source[at] == '=' && x.Source[at+1] != '=' {
		return at
	}
	return offset
}

// before is the last place before at that is neither white space nor within a comment, -1 if there is none.
func (x *Index) before(at int) int {
	for at--; at >= 0; at-- {
		switch c := x.Source[at]; {
		case c == '/' && at > 0 && x.Source[at-1] == '*':
			if at = strings.LastIndex(x.Source[:at-1], "/*"); at < 0 {
				return -1
			}
		case strings.IndexByte(" \t\r\n", c) < 0:
			return at
		}
	}
	return -1
}

// opening is where the bracket begins that ends at end, -1 if it has no beginning.
func (x *Index) opening(end int) int {
	depth := 0
	for at := end; at >= 0; at-- {
		switch c := x.Source[at]; c {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return at
			}
		case '"', '\'', '`':
			for at--; at > 0 && (x.Source[at] != c || x.Source[at-1] == '\\'); at-- {
			}
		}
	}
	return -1
}

// wordStart is where the name begins that ends before end.
func (x *Index) wordStart(end int) int {
	for end > 0 && namePart(x.Source[end-1]) {
		end--
	}
	return end
}

// calls tells whether the bracket that opens there has the arguments of a call, rather than a group or what new takes.
func (x *Index) calls(open int) bool { return x.Find(open, Call) != nil }

// namePart tells whether a byte can be of a name; those beyond ASCII are taken for one.
func namePart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '#' ||
		c >= 0x80
}

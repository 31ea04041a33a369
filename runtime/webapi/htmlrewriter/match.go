package htmlrewriter

import "strings"

// subject is an element as selectors see it.
type subject struct {
	name  string
	attrs []Attribute
	// index and typeIndex count from 1 among all children of the parent and among those of the same name.
	index, typeIndex int
}

func (s *subject) attribute(name string) (string, bool) {
	for i := range s.attrs {
		if s.attrs[i].Name == name {
			return s.attrs[i].Value, true
		}
	}
	return "", false
}

func (t typeIs) matches(s *subject) bool { return s.name == string(t) }

func (id idIs) matches(s *subject) bool {
	v, ok := s.attribute("id")
	return ok && v == string(id)
}

func (c classIs) matches(s *subject) bool {
	v, _ := s.attribute("class")
	return hasWord(v, string(c))
}

func (n not) matches(s *subject) bool {
	for i := range n {
		if n[i].matches(s) {
			return false
		}
	}
	return true
}

func (a attribute) matches(s *subject) bool {
	v, ok := s.attribute(a.name)
	if !ok || a.op == 0 {
		return ok
	}
	want := a.value
	if a.fold {
		v, want = strings.ToLower(v), strings.ToLower(want)
	}
	switch a.op {
	case '=':
		return v == want
	case '~':
		return hasWord(v, want)
	case '|':
		return v == want || strings.HasPrefix(v, want+"-")
	case '^':
		return want != "" && strings.HasPrefix(v, want)
	case '$':
		return want != "" && strings.HasSuffix(v, want)
	}
	return want != "" && strings.Contains(v, want)
}

func (n nth) matches(s *subject) bool {
	i := s.index
	if n.ofType {
		i = s.typeIndex
	}
	if n.a == 0 {
		return i == n.b
	}
	return (i-n.b)%n.a == 0 && (i-n.b)/n.a >= 0
}

// hasWord tells whether a list of words separated by white space has one.
func hasWord(list, word string) bool {
	if word == "" {
		return false
	}
	for list != "" {
		i := strings.IndexAny(list, " \t\n\r\f")
		if i < 0 {
			return list == word
		}
		if list[:i] == word {
			return true
		}
		list = list[i+1:]
	}
	return false
}

func (c *compound) matches(s *subject) bool {
	for _, cond := range c.conditions {
		if !cond.matches(s) {
			return false
		}
	}
	return true
}

// matches tells whether an element inside the open elements matches.
func (sel *Selector) matches(s *subject, open []openElement) bool {
	for _, c := range sel.list {
		if c[0].matches(s) && c.above(0, open) {
			return true
		}
	}
	return false
}

// above matches the compounds after i against the ancestors.
func (c complexSelector) above(i int, open []openElement) bool {
	if i+1 == len(c) {
		return true
	}
	for at := len(open) - 1; at >= 0; at-- {
		if c[i+1].matches(&open[at].subject) {
			if c.above(i+1, open[:at]) {
				return true
			}
			if !c[i+1].child {
				// The nearest ancestor leaves the most for the rest; one further out cannot match better.
				return false
			}
		}
		if c[i].child {
			return false
		}
	}
	return false
}

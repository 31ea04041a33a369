package htmlrewriter

import "strings"

// parseDoctype reads the parts of "<!doctype …>".
func parseDoctype(s string) *Doctype {
	s = strings.TrimSuffix(s[len("<!doctype"):], ">")
	rest := strings.TrimLeft(s, " \t\n\r\f")
	d := &Doctype{}
	name, rest := cutSpace(rest)
	if name != "" {
		name = strings.ToLower(name)
		d.name = &name
	}
	keyword, after := cutKeyword(rest)
	switch keyword {
	case "public":
		d.publicID, after = quoted(after)
		if d.publicID != nil {
			d.systemID, _ = quoted(after)
		}
	case "system":
		d.systemID, _ = quoted(after)
	}
	return d
}

func cutSpace(s string) (word, rest string) {
	i := strings.IndexAny(s, " \t\n\r\f")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t\n\r\f")
}

func cutKeyword(s string) (keyword, rest string) {
	const n = len("public")
	if len(s) < n {
		return "", s
	}
	return strings.ToLower(s[:n]), s[n:]
}

// quoted reads a string in quotes; nil if there is none.
func quoted(s string) (value *string, rest string) {
	s = strings.TrimLeft(s, " \t\n\r\f")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return nil, s
	}
	text, rest, _ := strings.Cut(s[1:], s[:1])
	return &text, rest
}

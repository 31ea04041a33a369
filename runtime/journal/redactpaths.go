package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Rules say what the user wants to hide. The zero value hides nothing.
type Rules struct {
	paths   [][]string
	headers map[string]bool // in lower case
}

// ParseRules reads what --redact takes: "header:NAME", or the path of a value in JSON bodies, arguments and log lines:
// names with dots between them from the outermost value on, where arrays count as what they have, * is any name and **
// any number of names.
func ParseRules(texts []string) (*Rules, error) {
	r := &Rules{headers: map[string]bool{}}
	for _, text := range texts {
		if name, ok := strings.CutPrefix(text, "header:"); ok {
			if name == "" {
				return nil, fmt.Errorf("%q: expected header:NAME", text)
			}
			r.headers[strings.ToLower(name)] = true
			continue
		}
		path := strings.Split(strings.TrimPrefix(strings.TrimPrefix(text, "$"), "."), ".")
		for _, name := range path {
			if name == "" {
				return nil, fmt.Errorf("%q: expected header:NAME, or a path such as user.password or **.password", text)
			}
		}
		if path[len(path)-1] == "**" {
			return nil, fmt.Errorf("%q: expected a name behind **", text)
		}
		r.paths = append(r.paths, path)
	}
	return r, nil
}

// mail hides in the head of a mail what --redact header:NAME names. The text is copied before it changes; nil rules
// hide nothing.
func (r *Rules) mail(text []byte) []byte {
	if r == nil || len(r.headers) == 0 || len(text) == 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	hiding := false
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break // the body begins
		}
		text = text[len(line):]
		if line[0] == ' ' || line[0] == '\t' { // the line before goes on
			if !hiding {
				out = append(out, line...)
			}
			continue
		}
		name, _, found := bytes.Cut(line, []byte(":"))
		if hiding = found && r.headers[strings.ToLower(string(bytes.TrimSpace(name)))]; hiding {
			out = append(append(out, name...), ": REDACTED"...)
			out = append(out, line[len(bytes.TrimRight(line, "\r\n")):]...)
			continue
		}
		out = append(out, line...)
	}
	return append(out, text...)
}

// hidden stands in place of a value.
const hidden = `"REDACTED"`

// body hides what the paths name in a body. What may be JSON and cannot be followed is hidden wholly.
func (r *Rules) body(b []byte) []byte {
	if len(r.paths) == 0 || len(b) == 0 {
		return b
	}
	if b[0] == 0xff || b[0] == 0x1f { // V8's format; a compressed body
		return []byte(hidden)
	}
	trimmed := bytes.TrimLeft(b, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return b
	}
	w := pathWalk{data: b, dec: json.NewDecoder(bytes.NewReader(b))}
	w.dec.UseNumber()
	if err := w.value(r.paths); err != nil {
		return []byte(hidden) // it was cut, or is something else
	}
	if len(w.places) == 0 {
		return b
	}
	var out []byte
	from := 0
	for _, p := range w.places {
		out = append(append(out, b[from:p[0]]...), hidden...)
		from = p[1]
	}
	return append(out, b[from:]...)
}

// text is body for a text.
func (r *Rules) text(s string) string {
	if len(r.paths) == 0 || s == "" || s[0] != '{' && s[0] != '[' {
		return s
	}
	return string(r.body([]byte(s)))
}

// pathWalk finds the places of values.
type pathWalk struct {
	data   []byte
	dec    *json.Decoder
	places [][2]int
}

// value reads one value. paths are what is left of the paths that lead here.
func (w *pathWalk) value(paths [][]string) error {
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		for w.dec.More() {
			if err := w.value(paths); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		for w.dec.More() {
			name, err := w.dec.Token()
			if err != nil {
				return err
			}
			below, here := step(paths, name.(string))
			if !here {
				if err := w.value(below); err != nil {
					return err
				}
				continue
			}
			var raw json.RawMessage
			if err := w.dec.Decode(&raw); err != nil {
				return err
			}
			end := int(w.dec.InputOffset())
			w.places = append(w.places, [2]int{end - len(raw), end})
		}
	default:
		return nil
	}
	_, err = w.dec.Token()
	return err
}

// step follows a name; here says that a path ends with it.
func step(paths [][]string, name string) (below [][]string, here bool) {
	for _, p := range paths {
		if p[0] == "**" {
			below = append(below, p)
			p = p[1:]
		}
		if p[0] != name && p[0] != "*" {
			continue
		}
		if len(p) == 1 {
			return nil, true
		}
		below = append(below, p[1:])
	}
	return below, false
}

package fetch

import (
	"bytes"
	"fmt"
	"strings"
)

// refusal is an error whose text is the platform's.
type refusal string

// Error is the text.
func (r refusal) Error() string { return string(r) }

// part is one part of a multipart/form-data body.
type part struct {
	name, filename, contentType string
	isFile                      bool
	data                        []byte
}

// parseMultipart reads a multipart/form-data body (RFC 7578) as the platform does: lines may end in CRLF or LF, what
// stands before the first boundary and after the last is ignored. The parts share body's bytes.
func parseMultipart(body []byte, boundary string) ([]part, error) {
	delimiter := []byte("\n--" + boundary)
	_, rest, _ := bytes.Cut(body, delimiter[1:])
	if len(rest) == 0 {
		return nil, refusal("No initial boundary string (or you have a truncated message).")
	}
	var parts []part
	for {
		switch {
		case bytes.HasPrefix(rest, []byte("\n")):
			rest = rest[1:]
		case bytes.HasPrefix(rest, []byte("\r\n")):
			rest = rest[2:]
		case bytes.HasPrefix(rest, []byte("--")):
			return parts, nil
		default:
			return nil, refusal("Boundary string was not succeeded by CRLF, LF, or '--'.")
		}
		header, after, ok := cutHeader(rest)
		if !ok {
			return nil, refusal("No multipart message header termination found.")
		}
		p, err := parsePartHeader(header)
		if err != nil {
			return nil, err
		}
		p.data, rest, _ = bytes.Cut(after, delimiter)
		if len(rest) == 0 {
			return nil, refusal("No subsequent boundary string after multipart message.")
		}
		p.data = bytes.TrimSuffix(p.data, []byte("\r"))
		parts = append(parts, p)
	}
}

// cutHeader cuts after the first empty line.
func cutHeader(b []byte) (header, rest []byte, ok bool) {
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			return nil, nil, false
		}
		i += j + 1
		switch {
		case bytes.HasPrefix(b[i:], []byte("\n")):
			return b[:i], b[i+1:], true
		case bytes.HasPrefix(b[i:], []byte("\r\n")):
			return b[:i], b[i+2:], true
		}
	}
	return nil, nil, false
}

func parsePartHeader(header []byte) (part, error) {
	var p part
	disposition, found := "", false
	for line := range strings.Lines(string(header)) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !ok || name == "" || !validName(name) {
			return p, refusal("FormData part had invalid headers.")
		}
		value = strings.Trim(value, " \t")
		switch lowerName(name) {
		case "content-disposition":
			disposition, found = value, true
		case "content-type":
			p.contentType = value
		}
	}
	if !found {
		return p, refusal("No valid Content-Disposition header found in FormData part.")
	}
	kind, params := cutIdentifier(disposition)
	if kind == "" {
		return p, refusal("Invalid Content-Disposition header found in FormData part.")
	}
	if kind != "form-data" {
		return p, refusal(fmt.Sprintf("Content-Disposition header for FormData part must have the value "+
			"\"form-data\", possibly followed by parameters. Got: %q", kind))
	}
	named := false
	for {
		name, value, rest, ok := cutParam(params)
		if !ok {
			break
		}
		params = rest
		switch name {
		case "name":
			p.name, named = value, true
		case "filename":
			p.filename, p.isFile = value, true
		}
	}
	if !named {
		return p, refusal("Content-Disposition header in FormData part is missing a name.")
	}
	return p, nil
}

// cutIdentifier reads an identifier with white space around it.
func cutIdentifier(s string) (id, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := 0
	for i < len(s) &&
		(s[i] == '-' || s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z') {
		i++
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

// cutParam reads one `; name="value"`. An empty value is no parameter: that is how a file input without a file comes.
func cutParam(s string) (name, value, rest string, ok bool) {
	if !strings.HasPrefix(s, ";") {
		return "", "", "", false
	}
	name, rest = cutIdentifier(s[1:])
	if name == "" || !strings.HasPrefix(rest, "=") {
		return "", "", "", false
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		return "", "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			if b.Len() == 0 {
				return "", "", "", false
			}
			return name, b.String(), strings.TrimLeft(rest[i+1:], " \t"), true
		case '\\':
			if i++; i == len(rest) {
				return "", "", "", false
			}
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", "", false
}

// encodeMultipart writes parts as a multipart/form-data body.
func encodeMultipart(parts []part, boundary string) ([]byte, error) {
	var b bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"", boundary)
		if err := writeQuoted(&b, p.name); err != nil {
			return nil, err
		}
		if p.isFile {
			b.WriteString(`"; filename="`)
			if err := writeQuoted(&b, p.filename); err != nil {
				return nil, err
			}
			typ := p.contentType
			if typ == "" {
				typ = "application/octet-stream"
			}
			b.WriteString("\"\r\nContent-Type: " + typ)
		} else {
			b.WriteByte('"')
		}
		b.WriteString("\r\n\r\n")
		b.Write(p.data)
		b.WriteString("\r\n")
	}
	fmt.Fprintf(&b, "--%s--", boundary)
	return b.Bytes(), nil
}

func writeQuoted(b *bytes.Buffer, s string) error {
	if strings.HasSuffix(s, `\`) {
		return refusal("Name or filename can't end with backslash")
	}
	for i := range len(s) {
		switch c := s[i]; c {
		case '"':
			b.WriteString("%22")
		case '\n':
			b.WriteString("%0A")
		case '\\':
			b.WriteString(`\\`)
		default:
			b.WriteByte(c)
		}
	}
	return nil
}

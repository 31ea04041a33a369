package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// SourceMap finds the place in the user's files that a place in the script came from. It is parsed at the first look-up
// and may be used by several goroutines.
type SourceMap struct {
	json   []byte
	dir    string // sources are relative to it
	shifts []shift
	// lines is how many lines precede esbuild's output in the script.
	lines int
	// sections are the maps of a script that is put together of several, in order; then the fields above are unused.
	sections []mapSection

	once    sync.Once
	decoded *decodedMap
	err     error

	textOnce sync.Once
	contents [][]string // lines per source, split at the first use
}

// mapSection is the map of the lines from first (from 0) up to the next section.
type mapSection struct {
	first int
	of    *SourceMap
}

// Position is a place in a user's file. Line and Column count from 1; Column is in UTF-16 units, as in the standard.
type Position struct {
	File         string // absolute path, or the name of a generated module
	Line, Column int
	// Name is the identifier's name in the user's file where the script has another one, else "".
	Name string
}

// URL is the file as error stacks show it (RT15): file:///….
func (p Position) URL() string {
	if !filepath.IsAbs(p.File) {
		return p.File
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(p.File)}).String()
}

// Lookup maps a place in the script, line and column counting from 1 as the engine reports them. It returns false for
// a place that stems from no file of the user: generated code.
func (m *SourceMap) Lookup(line, column int) (Position, bool) {
	if m.sections != nil {
		i := sort.Search(len(m.sections), func(i int) bool { return m.sections[i].first >= line })
		if i == 0 {
			return Position{}, false
		}
		return m.sections[i-1].of.Lookup(line-m.sections[i-1].first, column)
	}
	d, err := m.load()
	if err != nil {
		return Position{}, false
	}
	line -= 1 + m.lines
	if line < 0 || column < 1 {
		return Position{}, false
	}
	column = unshift(m.shifts, line, column-1)
	s, ok := d.find(line, column)
	if !ok || s.source < 0 {
		return Position{}, false
	}
	if strings.HasPrefix(d.files[s.source], packagesNamespace+":") {
		return Position{}, false
	}
	p := Position{File: d.files[s.source], Line: int(s.sourceLine) + 1, Column: int(s.sourceColumn) + 1}
	if s.name >= 0 {
		p.Name = d.names[s.name]
	}
	return p, true
}

// SourceLine returns a line (from 1) of a user's file as it was at the time of the build.
func (m *SourceMap) SourceLine(file string, line int) (string, bool) {
	for _, s := range m.sections {
		if text, ok := s.of.SourceLine(file, line); ok {
			return text, true
		}
	}
	if m.sections != nil {
		return "", false
	}
	d, err := m.load()
	if err != nil {
		return "", false
	}
	m.textOnce.Do(func() {
		m.contents = make([][]string, len(d.contents))
		for i, text := range d.contents {
			m.contents[i] = strings.Split(text, "\n")
		}
	})
	for i, f := range d.files {
		if f == file && i < len(m.contents) && line >= 1 && line <= len(m.contents[i]) {
			return strings.TrimSuffix(m.contents[i][line-1], "\r"), true
		}
	}
	return "", false
}

// Frame renders the line of a position with a marker under its column, as build messages show it; "" if the text is
// not known.
func (m *SourceMap) Frame(p Position) string {
	text, ok := m.SourceLine(p.File, p.Line)
	if !ok {
		return ""
	}
	var b strings.Builder
	writeFrame(&b, p.Line, p.Column, 0, text)
	return b.String()
}

// excerptWidth is how much of a line an excerpt shows, as vitest does at 80 columns.
const excerptWidth = 71

// Excerpt is the line of a position with the two before and after it, and a marker below the column, as vitest shows
// them; "" if the text is not known, or is a program's rather than a person's.
func (m *SourceMap) Excerpt(p Position) string {
	var b strings.Builder
	for line := p.Line - 2; line <= p.Line+2; line++ {
		text, ok := m.SourceLine(p.File, line)
		if !ok && line == p.Line || len(text) > 200 {
			return ""
		}
		if !ok {
			continue
		}
		text = strings.TrimRight(strings.ReplaceAll(text, "\t", " "), " ")
		if letters := []rune(text); len(letters) > excerptWidth {
			text = string(letters[:excerptWidth-1]) + "…"
		}
		if text != "" {
			text = " " + text
		}
		fmt.Fprintf(&b, "    %3d|%s\n", line, text)
		if line == p.Line {
			fmt.Fprintf(&b, "       |%s^\n", strings.Repeat(" ", max(p.Column, 1)))
		}
	}
	return b.String()
}

// JSON is the source map of esbuild's output, without the changes of the rewriter.
func (m *SourceMap) JSON() []byte { return m.json }

func (m *SourceMap) load() (*decodedMap, error) {
	m.once.Do(func() {
		m.decoded, m.err = decodeMap(m.json, m.dir)
	})
	return m.decoded, m.err
}

type segment struct {
	column                   int32
	source                   int32 // -1: no source
	sourceLine, sourceColumn int32
	name                     int32 // -1: none
}

type decodedMap struct {
	files    []string
	contents []string
	names    []string
	segments []segment
	starts   []int32 // starts[line] is the first segment of a line; one more entry ends the last line
}

// decodeMap reads a source map of revision 3 (ECMA-426) without sections.
func decodeMap(data []byte, dir string) (*decodedMap, error) {
	var raw struct {
		Version        int       `json:"version"`
		SourceRoot     string    `json:"sourceRoot"`
		Sources        []*string `json:"sources"`
		SourcesContent []*string `json:"sourcesContent"`
		Names          []string  `json:"names"`
		Mappings       string    `json:"mappings"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("source map: %w", err)
	}
	if raw.Version != 3 {
		return nil, fmt.Errorf("source map: version %d, expected 3", raw.Version)
	}
	d := &decodedMap{names: raw.Names}
	for i, source := range raw.Sources {
		name, content := "", ""
		if source != nil {
			name = sourceFile(dir, raw.SourceRoot+*source)
		}
		if i < len(raw.SourcesContent) && raw.SourcesContent[i] != nil {
			content = *raw.SourcesContent[i]
		}
		d.files = append(d.files, name)
		d.contents = append(d.contents, content)
	}
	if err := d.decodeMappings(raw.Mappings); err != nil {
		return nil, err
	}
	return d, nil
}

// sourceFile makes an absolute path of a source's name. Names with a scheme or a namespace ("eddy-require:node:fs")
// stay.
func sourceFile(dir, name string) string {
	if path, ok := strings.CutPrefix(name, "file://"); ok {
		if decoded, err := url.PathUnescape(path); err == nil {
			return filepath.FromSlash(decoded)
		}
		return filepath.FromSlash(path)
	}
	if i := strings.IndexByte(name, ':'); i > 1 && !strings.ContainsAny(name[:i], `/\`) {
		return name
	}
	return absolute(dir, name)
}

var errMappings = errors.New("source map: malformed mappings")

func (d *decodedMap) decodeMappings(text string) error {
	d.segments = make([]segment, 0, len(text)/5)
	d.starts = append(d.starts, 0)
	var column, source, sourceLine, sourceColumn, name int64
	for i := 0; i < len(text); {
		switch text[i] {
		case ';':
			d.starts = append(d.starts, int32(len(d.segments)))
			column = 0
			i++
			continue
		case ',':
			i++
			continue
		}
		var field [5]int64
		n := 0
		for i < len(text) && text[i] != ',' && text[i] != ';' {
			if n == len(field) {
				return errMappings
			}
			value, next, err := decodeVLQ(text, i)
			if err != nil {
				return err
			}
			field[n], i = value, next
			n++
		}
		if n != 1 && n != 4 && n != 5 {
			return errMappings
		}
		column += field[0]
		s := segment{column: int32(column), source: -1, name: -1}
		if n >= 4 {
			source += field[1]
			sourceLine += field[2]
			sourceColumn += field[3]
			if source < 0 || source >= int64(len(d.files)) || sourceLine < 0 || sourceColumn < 0 {
				return errMappings
			}
			s.source, s.sourceLine, s.sourceColumn = int32(source), int32(sourceLine), int32(sourceColumn)
		}
		if n == 5 {
			name += field[4]
			if name < 0 || name >= int64(len(d.names)) {
				return errMappings
			}
			s.name = int32(name)
		}
		if column < 0 || column > 1<<30 || sourceLine > 1<<30 || sourceColumn > 1<<30 {
			return errMappings
		}
		d.segments = append(d.segments, s)
	}
	d.starts = append(d.starts, int32(len(d.segments)))
	return nil
}

// decodeVLQ reads one base64 VLQ number at text[i:].
func decodeVLQ(text string, i int) (value int64, next int, err error) {
	var shift uint
	var bits int64
	for ; i < len(text); i++ {
		digit := base64Digit(text[i])
		if digit < 0 || shift > 35 {
			return 0, 0, errMappings
		}
		bits |= int64(digit&31) << shift
		if digit&32 == 0 {
			value = bits >> 1
			if bits&1 != 0 {
				value = -value
			}
			return value, i + 1, nil
		}
		shift += 5
	}
	return 0, 0, errMappings
}

func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// find returns the last segment at or before a column (from 0) of a line (from 0).
func (d *decodedMap) find(line, column int) (segment, bool) {
	if line < 0 || line+1 >= len(d.starts) {
		return segment{}, false
	}
	row := d.segments[d.starts[line]:d.starts[line+1]]
	i := sort.Search(len(row), func(i int) bool { return int(row[i].column) > column })
	if i == 0 {
		return segment{}, false
	}
	return row[i-1], true
}

// Text is a user's file as it was at the time of the build.
func (m *SourceMap) Text(file string) (string, bool) {
	for _, s := range m.sections {
		if text, ok := s.of.Text(file); ok {
			return text, true
		}
	}
	if m.sections != nil {
		return "", false
	}
	d, err := m.load()
	if err != nil {
		return "", false
	}
	for i, f := range d.files {
		if f == file && d.contents[i] != "" {
			return d.contents[i], true
		}
	}
	return "", false
}

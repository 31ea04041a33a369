package wrangler

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// decodeTOML decodes TOML in two passes over the same text: the first lets the library check the rules of the
// language (tables defined twice, dates that do not exist), the second walks its syntax tree, which has positions.
// The second pass may therefore assume a correct document.
func decodeTOML(src *source, rep *report) *node {
	var discard map[string]any
	if err := toml.Unmarshal([]byte(src.text), &discard); err != nil {
		rep.add(tomlSyntaxError(src, err))
		return nil
	}
	b := tomlBuilder{src: src, root: &node{kind: objectNode, span: span{0, min(1, len(src.text))}}}
	b.table = b.root
	b.parser.Reset([]byte(src.text))
	for b.parser.NextExpression() && !b.tooDeep {
		b.expression(b.parser.Expression())
	}
	if err := b.parser.Error(); err != nil {
		rep.add(tomlSyntaxError(src, err))
		return nil
	}
	if b.tooDeep {
		rep.add(at(src, span{}, Error, "The configuration is nested too deeply.", "flatten the value",
			"At most "+strconv.Itoa(maxNesting)+" arrays and tables may lie in each other."))
		return nil
	}
	return b.root
}

func tomlSyntaxError(src *source, err error) Diagnostic {
	where := span{0, 1}
	text := strings.TrimPrefix(err.Error(), "toml: ")
	if decode, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := decode.Position()
		start := src.offset(line, column)
		where = span{start, start + 1}
	}
	fix := "correct the TOML at this place"
	switch {
	case strings.Contains(text, "at start of value"):
		fix = "put strings in quotes"
	case strings.Contains(text, "already exists"):
		fix = "merge the two into one"
	}
	return at(src, where, Error, "Invalid TOML: "+text, fix)
}

// tomlBuilder turns the parser's expressions into one tree. table is where key/value lines go: the root, or what the
// last [table] or [[table]] header opened.
type tomlBuilder struct {
	src     *source
	parser  unstable.Parser
	root    *node
	table   *node
	tooDeep bool
}

func (b *tomlBuilder) expression(e *unstable.Node) {
	switch e.Kind {
	case unstable.KeyValue:
		b.keyValue(b.table, e, 0)
	case unstable.Table, unstable.ArrayTable:
		path := b.path(e)
		parent := b.descend(b.root, path[:len(path)-1])
		last := path[len(path)-1]
		if e.Kind == unstable.Table {
			b.table = b.descend(parent, []tomlKey{last})
			return
		}
		array := parent.get(last.name)
		if array == nil || array.kind != arrayNode {
			array = &node{kind: arrayNode, span: last.span}
			parent.add(field{key: last.name, keySpan: last.span, value: array})
		}
		b.table = &node{kind: objectNode, span: last.span}
		array.items = append(array.items, b.table)
	}
}

type tomlKey struct {
	name string
	span span
}

// path reads the dotted key of a key/value line or a table header.
func (b *tomlBuilder) path(e *unstable.Node) []tomlKey {
	var path []tomlKey
	for it := e.Key(); it.Next(); {
		key := it.Node()
		path = append(path, tomlKey{string(key.Data), rawSpan(key)})
	}
	if len(path) > maxNesting {
		b.tooDeep = true
		path = path[:maxNesting]
	}
	return path
}

// descend follows keys from n, making tables where there are none; an array of tables stands for its last element.
func (b *tomlBuilder) descend(n *node, path []tomlKey) *node {
	for _, key := range path {
		next := n.get(key.name)
		if next != nil && next.kind == arrayNode && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		if next == nil {
			next = &node{kind: objectNode, span: key.span}
			n.add(field{key: key.name, keySpan: key.span, value: next})
		}
		n = next
	}
	return n
}

func (b *tomlBuilder) keyValue(into *node, e *unstable.Node, depth int) {
	path := b.path(e)
	last := path[len(path)-1]
	// The parser gives arrays no range of their own: theirs begins behind the key and the equals sign.
	start := last.span.end
	for start < len(b.src.text) && strings.ContainsRune(" \t=", rune(b.src.text[start])) {
		start++
	}
	value := b.value(e.Value(), span{start, start + 1}, depth+len(path))
	into = b.descend(into, path[:len(path)-1])
	into.add(field{key: last.name, keySpan: last.span, value: value})
}

// value converts one value. fallback is its span when the parser has none.
func (b *tomlBuilder) value(e *unstable.Node, fallback span, depth int) *node {
	n := &node{span: rawSpan(e)}
	if n.span.end == n.span.start {
		n.span = fallback
	}
	if depth > maxNesting {
		b.tooDeep = true
		return n
	}
	switch e.Kind {
	case unstable.String:
		n.kind, n.text = stringNode, string(e.Data)
	case unstable.Bool:
		n.kind, n.truth = boolNode, string(e.Data) == "true"
	case unstable.Integer:
		n.kind, n.number = numberNode, tomlInteger(string(e.Data))
	case unstable.Float:
		n.kind, n.number = numberNode, tomlFloat(string(e.Data))
	case unstable.Array:
		n.kind = arrayNode
		for it := e.Children(); it.Next(); {
			item := b.value(it.Node(), n.span, depth+1)
			n.items = append(n.items, item)
		}
	case unstable.InlineTable:
		n.kind = objectNode
		for it := e.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				b.keyValue(n, it.Node(), depth+1)
			}
		}
	default:
		n.kind, n.text = dateNode, string(e.Data)
	}
	return n
}

func rawSpan(e *unstable.Node) span {
	return span{int(e.Raw.Offset), int(e.Raw.Offset) + int(e.Raw.Length)}
}

// tomlInteger converts decimal, 0x, 0o and 0b integers with underscores; the first pass has checked the range.
func tomlInteger(literal string) float64 {
	literal = strings.ReplaceAll(literal, "_", "")
	base := 10
	if len(literal) > 2 && literal[0] == '0' {
		switch literal[1] {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
	}
	if base != 10 {
		literal = literal[2:]
	}
	i, err := strconv.ParseInt(strings.TrimPrefix(literal, "+"), base, 64)
	if err != nil {
		return math.NaN()
	}
	return float64(i)
}

func tomlFloat(literal string) float64 {
	f, err := strconv.ParseFloat(strings.ReplaceAll(literal, "_", ""), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN()
	}
	return f
}

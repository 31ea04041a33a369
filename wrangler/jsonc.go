package wrangler

import (
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"eddy/runtime/lazyregexp"
)

// maxNesting bounds how deep arrays and objects may lie in each other. Decoders recurse, and a Go stack that
// overflows cannot be caught; no real configuration comes near.
const maxNesting = 200

// hujsonPlace takes apart the position that hujson puts in front of its messages.
var hujsonPlace = lazyregexp.New(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

var unquotedKey = lazyregexp.New(`^[\w$-]+\s*:`)

// decodeJSONC decodes JSON with comments and trailing commas. wrangler reads .json files by the same rules.
func decodeJSONC(src *source, rep *report) *node {
	if offset, ok := tooDeep(src.text); ok {
		rep.add(at(src, span{offset, offset + 1}, Error, "The configuration is nested too deeply.",
			"flatten the value", "At most "+strconv.Itoa(maxNesting)+" arrays and objects may lie in each other."))
		return nil
	}
	value, err := hujson.Parse([]byte(src.text))
	if err != nil {
		rep.add(jsonSyntaxError(src, err))
		return nil
	}
	return jsoncNode(src, rep, &value)
}

func jsoncNode(src *source, rep *report, v *hujson.Value) *node {
	n := &node{span: span{v.StartOffset, v.EndOffset}}
	switch value := v.Value.(type) {
	case hujson.Literal:
		switch value.Kind() {
		case 'n':
			n.kind = nullNode
		case 't', 'f':
			n.kind, n.truth = boolNode, value.Bool()
		case '0':
			n.kind, n.number = numberNode, value.Float()
		default:
			n.kind, n.text = stringNode, value.String()
		}
	case *hujson.Array:
		n.kind = arrayNode
		for i := range value.Elements {
			n.items = append(n.items, jsoncNode(src, rep, &value.Elements[i]))
		}
	case *hujson.Object:
		n.kind = objectNode
		for i := range value.Members {
			member := &value.Members[i]
			key := member.Name.Value.(hujson.Literal).String()
			keySpan := span{member.Name.StartOffset, member.Name.EndOffset}
			if first, ok := n.field(key); ok {
				rep.add(at(src, keySpan, Warning, "Duplicate key "+quoteJSON(key)+"; the last one counts.",
					"remove one of the two",
					"The other one is at line "+strconv.Itoa(src.pos(first.keySpan.start).Line)+"."))
			}
			n.add(field{key: key, keySpan: keySpan, value: jsoncNode(src, rep, &member.Value)})
		}
	}
	return n
}

// jsonSyntaxError places hujson's message and adds what to do for the usual causes.
func jsonSyntaxError(src *source, err error) Diagnostic {
	text, offset := err.Error(), 0
	if m := hujsonPlace.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		offset, text = src.offset(line, column), m[3]
	}
	text = strings.TrimPrefix(text, "hujson: ")
	fix := "correct the JSON at this place"
	switch {
	case strings.TrimSpace(src.text) == "":
		text, fix = "The configuration file is empty.", `write at least { "name": "my-worker", "main": "src/index.ts" }`
	case strings.Contains(text, "after object value") || strings.Contains(text, "after array value"):
		fix = "put a comma between the values, or close the bracket"
	case strings.Contains(text, "at start of object name") || strings.Contains(text, "at beginning of object name"):
		fix = "put keys in double quotes"
	case strings.Contains(text, "EOF"):
		fix = "close the open bracket, string or comment"
		offset = max(len(strings.TrimRight(src.text, " \t\r\n"))-1, 0)
	case strings.Contains(text, "invalid literal"):
		fix = "put strings in double quotes"
		if unquotedKey.MatchString(src.text[offset:]) {
			fix = "put keys in double quotes"
		}
	case offset < len(src.text) && src.text[offset] == '\'':
		fix = "use double quotes for strings"
	}
	return at(src, span{offset, offset + 1}, Error, "Invalid JSON: "+text, fix)
}

// tooDeep finds the first bracket that opens more than maxNesting levels, outside of strings and comments.
func tooDeep(text string) (offset int, found bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(text, i)
		case '[', '{':
			if depth++; depth > maxNesting {
				return i, true
			}
		case ']', '}':
			depth--
		}
	}
	return 0, false
}

// skipComment returns the index of the last byte of the comment that starts at i, or i if none does.
func skipComment(text string, i int) int {
	rest := text[i:]
	end := -1
	switch {
	case strings.HasPrefix(rest, "//"):
		end = strings.IndexByte(rest, '\n')
	case strings.HasPrefix(rest, "/*"):
		if end = strings.Index(rest[2:], "*/"); end >= 0 {
			end += 3
		}
	default:
		return i
	}
	if end < 0 {
		return len(text)
	}
	return i + end
}

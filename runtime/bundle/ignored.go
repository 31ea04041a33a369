package bundle

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"eddy/runtime/lazyregexp"
)

// leftOut are the pieces of a user's file that comments leave out of coverage, those that vitest's two providers know:
//
//	/* istanbul ignore next */  the statement, function, class, case or value that follows; v8, c8 or node:coverage
//	                            stand for istanbul
//	/* istanbul ignore if */    the way into the if that follows; else is its other way
//	/* istanbul ignore file */  all of the file
//	/* istanbul ignore start */ what begins here or below, down to the line of /* istanbul ignore stop */
type leftOut struct {
	file  bool
	at    map[[2]int]string // "next", "if" or "else", by the line and the column of what follows
	lines map[int]bool
}

var (
	ignoring = lazyregexp.New(
		`(?s)(?:/\*|//)\s*(?:istanbul|[cv]8|node:coverage)\s+ignore\s+(next|if|else|file|start|stop)\b` +
			`(?:[^*\n]|\*[^/\n])*(?:\*/)?`)
	// passed is what may stand between a comment and what it is about.
	passed = lazyregexp.New(`^(?:\s+|/\*(?s:.*?)\*/|//[^\n]*)+`)
	// modifier is a word before a declaration, of which some have a place of their own and some do not.
	modifier = lazyregexp.New(`^(?:export|default|async|static|abstract|public|private|protected|readonly)\b`)
)

// ignoredParts reads the comments of a file of the map.
func ignoredParts(of *SourceMap, name string) (out leftOut) {
	var lines []string
	for n := 1; ; n++ {
		line, ok := of.SourceLine(name, n)
		if !ok {
			break
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "\n")
	from := 0
	for _, m := range ignoring.FindAllStringSubmatchIndex(text, -1) {
		line := 1 + strings.Count(text[:m[0]], "\n")
		switch what := text[m[2]:m[3]]; what {
		case "file":
			out.file = true
		case "start":
			if from == 0 {
				from = line
			}
		case "stop":
			out.between(from, line)
			from = 0
		default:
			out.follows(text, m[1], what)
		}
	}
	out.between(from, len(lines))
	return out
}

// between leaves out lines; from is 0 if there is no start.
func (l *leftOut) between(from, to int) {
	for line := from; from > 0 && line <= to; line++ {
		if l.lines == nil {
			l.lines = map[int]bool{}
		}
		l.lines[line] = true
	}
}

// follows notes where that begins which a comment that ends at an offset is about.
func (l *leftOut) follows(text string, offset int, what string) {
	if l.at == nil {
		l.at = map[[2]int]string{}
	}
	for {
		offset += len(passed.FindString(text[offset:]))
		line := strings.Count(text[:offset], "\n")
		l.at[[2]int{line + 1, offset - strings.LastIndexByte(text[:offset], '\n')}] = what
		word := modifier.FindString(text[offset:])
		if word == "" {
			return
		}
		offset += len(word)
	}
}

// ignored tells whether a node is left out.
func (in *instrumenter) ignored(n ast.Node) bool {
	return n != nil && in.ignoredAt(in.begin(n), "next")
}

// ignoredAt tells whether a comment with a word is about what begins at an offset of the script.
func (in *instrumenter) ignoredAt(at file.Idx, what string) bool {
	if in.left.at == nil && in.left.lines == nil {
		return false
	}
	p, ok := in.position(at)
	return ok && (in.left.at[[2]int{p.Line, p.Column}] == what || in.left.lines[p.Line])
}

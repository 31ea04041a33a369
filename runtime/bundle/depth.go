package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// Parsers and printers, esbuild's and goja's, recurse as deep as a source nests, and Go ends the process of one that
// recurses too deep. So a source is looked at before: roughly, because a bracket in a text or an expression counts
// either way.
const (
	// maxNesting is how deep brackets may nest. V8's own parser ends at some 7,000.
	maxNesting = 5_000
	// maxRun is how many tokens one expression or statement may have between two brackets, commas or semicolons: each
	// may be a level (!!!!x, a.b.c.d, a => b => c). maxListed is how many commas stand between two parentheses, maxElse
	// how many branches in one block, maxArrows how many arrow functions return each other.
	maxRun, maxListed, maxElse, maxArrows = 20_000, 20_000, 5_000, 500
)

// scanned are the kinds of files whose depth matters.
var scanned = map[string]bool{".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".mts": true,
	".cts": true, ".tsx": true, ".json": true, ".jsonc": true}

// depths remembers the files that are not too deep. esbuild's goroutines share it.
type depths struct {
	sync.Mutex // guards all below
	fine       map[string]version
}

// version tells a file from what it was before.
type version struct {
	size int64
	time time.Time
}

// check refuses a file that is too deep to be parsed. What cannot be read is for esbuild to tell.
func (d *depths) check(file string) *api.Message {
	if !scanned[strings.ToLower(filepath.Ext(file))] {
		return nil
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() <= maxNesting {
		return nil
	}
	now := version{info.Size(), info.ModTime()}
	d.Lock()
	known := d.fine[file] == now
	d.Unlock()
	if known {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	if wrong := checkDepth(file, text); wrong != nil {
		return wrong
	}
	d.Lock()
	defer d.Unlock()
	if d.fine == nil {
		d.fine = map[string]version{}
	}
	d.fine[file] = now
	return nil
}

// checkDepth refuses a text that is too deep.
func checkDepth(file string, text []byte) *api.Message {
	if len(text) <= maxNesting {
		return nil
	}
	offset, what := tooDeep(text)
	if what == "" {
		return nil
	}
	before := string(text[:offset])
	line := strings.Count(before, "\n") + 1
	return &api.Message{Text: what, Location: &api.Location{File: file, Line: line,
		Column: offset - strings.LastIndexByte(before, '\n') - 1}}
}

// level is an open bracket.
type level struct {
	bracket                    byte
	run, commas, elses, arrows int
}

// tooDeep says where a source becomes too deep and how, "" if it does not. Brackets are counted twice: all of them, and
// those outside of texts, comments and templates as far as these can be told without a parser.
func tooDeep(text []byte) (offset int, what string) {
	nested := fmt.Sprintf("Brackets nest more than %d deep here; the engine would overflow", maxNesting)
	all := 0
	levels := []level{{}}
	for i := 0; i < len(text); {
		top := &levels[len(levels)-1]
		c := text[i]
		switch {
		case top.bracket == '`' && c == '`':
			levels = levels[:len(levels)-1]
			i++
		case top.bracket == '`' && c == '$' && i+1 < len(text) && text[i+1] == '{':
			all++
			levels = append(levels, level{bracket: '{'})
			i += 2
		case top.bracket == '`':
			end := skipTemplate(text, i)
			all = max(0, all+balance(text[i:end]))
			i = end
			continue
		case c == '`':
			top.run++
			levels = append(levels, level{bracket: c})
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '/' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*'):
			end := skipComment(text, i)
			all = max(0, all+balance(text[i:end]))
			i = end
			continue
		case c == '"' || c == '\'':
			end := skipText(text, i)
			all = max(0, all+balance(text[i:end]))
			i = end
			top.run++
		case c == '(' || c == '[' || c == '{':
			all++
			top.run++
			levels = append(levels, level{bracket: c})
			i++
		case c == ')' || c == ']' || c == '}':
			all = max(0, all-1)
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
			if c == '}' && levels[len(levels)-1].bracket != '`' {
				levels[len(levels)-1].run, levels[len(levels)-1].arrows = 0, 0
			}
			i++
		case c == ';' || c == ',':
			top.run, top.arrows = 0, 0
			if c == ',' && top.bracket == '(' {
				top.commas++
			}
			i++
		case word(c):
			start := i
			for i < len(text) && word(text[i]) {
				i++
			}
			top.run++
			if string(text[start:i]) == "else" {
				top.elses++
			}
		default:
			if c == '=' && i+1 < len(text) && text[i+1] == '>' {
				top.arrows++
			}
			top.run++
			i++
		}
		top = &levels[len(levels)-1]
		switch {
		case all > maxNesting || len(levels) > maxNesting:
			return min(i, len(text)-1), nested
		case top.run > maxRun:
			return i - 1, fmt.Sprintf("An expression of more than %d parts ends here; "+
				"the engine would overflow", maxRun)
		case top.commas > maxListed:
			return i - 1, fmt.Sprintf("More than %d parts stand between these parentheses; "+
				"the engine would take too long", maxListed)
		case top.arrows > maxArrows:
			return i - 1, fmt.Sprintf("More than %d arrow functions return each other here; "+
				"the engine would take too long", maxArrows)
		case top.elses > maxElse:
			return i - 1, fmt.Sprintf("A block has more than %d branches of else; the engine would overflow", maxElse)
		}
	}
	return 0, ""
}

func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// skipTemplate is where the text of a template that goes on at i ends: before a backtick or what is filled in.
func skipTemplate(text []byte, i int) int {
	for ; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '`' || text[i] == '$' && i+1 < len(text) && text[i+1] == '{':
			return i
		}
	}
	return len(text)
}

// balance is how many more brackets open than close.
func balance(text []byte) (n int) {
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// skipComment is where the comment at i ends.
func skipComment(text []byte, i int) int {
	end := "\n"
	if text[i+1] == '*' {
		end = "*/"
	}
	if n := bytes.Index(text[i+2:], []byte(end)); n >= 0 {
		return i + 2 + n + len(end)
	}
	return len(text)
}

// skipText is where the text at i ends, or its line: then it was none.
func skipText(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

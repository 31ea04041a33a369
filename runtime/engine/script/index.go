package script

import (
	"sort"
	"strings"
	"sync"
	"weak"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// Kind says for which operation the walker has recorded a place.
type Kind uint8

// The kinds.
const (
	Call        Kind = iota // callee of a call or tagged template
	New                     // callee of new
	Iterate                 // operand of for-of and spread
	Elements                // source of an array pattern
	Destructure             // source of an object pattern
	Extends                 // name of the class whose heritage stands here
	Await                   // await and its operand
)

// Site is one operation of the source: goja reports offset at, V8 reports pos; text lies in [start, end).
type Site struct {
	At, Pos, Start, End int32
	Kind                Kind
	Prop                string   // first property of an object pattern
	Inner               []Nested // patterns within the pattern
	Plain               bool     // of an array pattern: V8 names the source by its text
}

// Nested is a pattern in a pattern: the key it stands under, "" in an array pattern, and its first property, "" of an
// array pattern.
type Nested struct{ Key, Prop string }

// Span is one function: its byte range and the name V8 shows for frames in it.
type Span struct {
	Start, End int32
	Name       string
	Constructs bool
	Async      bool
	Pattern    string   // first property of an object pattern among its parameters
	Inner      []Nested // patterns within that
	Elements   bool     // a parameter is an array pattern
}

// Index is what is kept of a source beside the compiled program. Immutable after construction.
type Index struct {
	Source string
	sites  []Site
	spans  []Span
	// PrivateMethods maps #method names to their class; V8 words a wrong receiver of those in its own way.
	PrivateMethods map[string]string

	linesOnce  sync.Once
	lineStarts []int
}

// indexes maps a file (weakly) to its index; entries go when the last program of the file goes.
var indexes sync.Map // weak.Pointer[file.File] → *Index

// IndexOf is the index of a file that Compile has seen, nil for any other. Any goroutine.
func IndexOf(f *file.File) *Index {
	if f == nil {
		return nil
	}
	if v, ok := indexes.Load(weak.Make(f)); ok {
		return v.(*Index)
	}
	return nil
}

// Find returns the site of a kind at goja's offset.
func (x *Index) Find(offset int, kinds ...Kind) *Site {
	if x == nil {
		return nil
	}
	i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].At) >= offset })
	for ; i < len(x.sites) && int(x.sites[i].At) == offset; i++ {
		for _, k := range kinds {
			if x.sites[i].Kind == k {
				return &x.sites[i]
			}
		}
	}
	return nil
}

// Literal returns the first site of a kind after goja's offset whose source is that text. goja records no place for a
// literal, and reports the place before it.
func (x *Index) Literal(offset int, text string, kind Kind) *Site {
	if x == nil {
		return nil
	}
	for i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].At) >= offset }); i < len(
		x.sites); i++ {
		if s := &x.sites[i]; s.Kind == kind && x.Source[s.Start:s.End] == text {
			return s
		}
	}
	return nil
}

// Awaiting returns the innermost await whose operand is around offset, nil if there is none in its function.
func (x *Index) Awaiting(offset int) *Site {
	within := x.Enclosing(offset)
	if x == nil {
		return nil
	}
	i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].At) > offset }) - 1
	for ; i >= 0 && (within == nil || x.sites[i].At >= within.Start); i-- {
		if s := &x.sites[i]; s.Kind == Await && int(s.End) > offset {
			return s
		}
	}
	return nil
}

// Enclosing returns the innermost function around offset.
func (x *Index) Enclosing(offset int) *Span {
	if x == nil {
		return nil
	}
	i := sort.Search(len(x.spans), func(i int) bool { return int(x.spans[i].Start) > offset }) - 1
	for ; i >= 0; i-- {
		if int(x.spans[i].End) > offset {
			return &x.spans[i]
		}
	}
	return nil
}

// Position turns a byte offset into V8's line and column (1-based, UTF-16 units).
func (x *Index) Position(offset int) (line, col int) {
	x.linesOnce.Do(func() {
		x.lineStarts = append(x.lineStarts, 0)
		for i := 0; ; {
			n := strings.IndexByte(x.Source[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			x.lineStarts = append(x.lineStarts, i)
		}
	})
	offset = max(0, min(offset, len(x.Source)))
	line = sort.Search(len(x.lineStarts), func(i int) bool { return x.lineStarts[i] > offset })
	col = 1
	for _, r := range x.Source[x.lineStarts[line-1]:offset] {
		col++
		if r > 0xFFFF {
			col++
		}
	}
	return line, col
}

func off(i file.Idx) int32 { return int32(i) - 1 }

// reported is the offset goja has on record right after an expression was evaluated: that of its last operation.
func reported(e ast.Expression) int32 {
	switch v := e.(type) {
	case *ast.DotExpression:
		return off(v.Identifier.Idx)
	case *ast.PrivateDotExpression:
		return off(v.Identifier.Idx)
	case *ast.CallExpression:
		return off(v.LeftParenthesis)
	case *ast.OptionalChain:
		return reported(v.Expression)
	case *ast.Optional:
		return reported(v.Expression)
	}
	return off(e.Idx0())
}

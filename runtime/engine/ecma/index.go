package ecma

import (
	"runtime"
	"sort"
	"strings"
	"sync"
	"weak"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/gojainternals"
)

// siteKind says what an operation at a recorded place needs its text for.
type siteKind uint8

const (
	siteCall        siteKind = iota // callee of a call or tagged template
	siteNew                         // callee of new
	siteIterate                     // operand of for-of and spread
	siteElements                    // source of an array pattern
	siteDestructure                 // source of an object pattern
	siteExtends                     // name of the class whose heritage stands here
)

// site is one operation of the source: goja reports offset at, V8 reports pos; text lies in [start, end).
type site struct {
	at, pos, start, end int32
	kind                siteKind
	prop                string   // first property of an object pattern
	inner               []nested // patterns within the pattern
	plain               bool     // of an array pattern: V8 names the source by its text
}

// nested is a pattern in a pattern: the key it stands under, "" in an array pattern, and its first property, "" of an
// array pattern.
type nested struct{ key, prop string }

// span is one function: its byte range and the name V8 shows for frames in it.
type span struct {
	start, end int32
	name       string
	constructs bool
	async      bool
	pattern    string   // first property of an object pattern among its parameters
	inner      []nested // patterns within that
	elements   bool     // a parameter is an array pattern
}

// sourceIndex is what is kept of a source beside the compiled program. Immutable after construction.
type sourceIndex struct {
	src   string
	sites []site
	spans []span
	// privateMethods maps #method names to their class; V8 words a wrong receiver of those in its own way.
	privateMethods map[string]string

	linesOnce  sync.Once
	lineStarts []int
}

// indexes maps a file (weakly) to its index; entries go when the last program of the file goes.
var indexes sync.Map // weak.Pointer[file.File] → *sourceIndex

// Compile parses and compiles a script for runtimes that Install has prepared. Regular expression literals that goja's
// engine would get wrong become constructions of this package's own. strict is for module code.
// The error is goja's *goja.CompilerSyntaxError with file and position.
func Compile(name, src string, strict bool) (*goja.Program, error) {
	tree, err := goja.Parse(name, src, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	return CompileTree(src, tree, strict)
}

// CompileTree is Compile for a script that was parsed before, without source maps. It changes the tree.
func CompileTree(src string, tree *ast.Program, strict bool) (*goja.Program, error) {
	w := &walker{idx: &sourceIndex{src: src, privateMethods: map[string]string{}}, file: tree.File}
	for _, s := range tree.Body {
		w.statement(s)
	}
	if w.err != nil {
		return nil, w.err
	}
	idx := w.idx
	sort.SliceStable(idx.sites, func(i, j int) bool { return idx.sites[i].at < idx.sites[j].at })
	sort.SliceStable(idx.spans, func(i, j int) bool { return idx.spans[i].start < idx.spans[j].start })
	prg, err := goja.CompileAST(tree, strict)
	if err != nil {
		return nil, err
	}
	if len(w.lowered) > 0 {
		in, err := gojainternals.Read()
		if err != nil {
			return nil, err
		}
		in.AfterMaking(prg, w.lowered, becomeAsyncGenerator)
	}
	if err := boundDepth(prg); err != nil {
		return nil, err
	}
	key := weak.Make(tree.File)
	indexes.Store(key, idx)
	runtime.AddCleanup(tree.File, func(k weak.Pointer[file.File]) { indexes.Delete(k) }, key)
	return prg, nil
}

func indexOf(f *file.File) *sourceIndex {
	if f == nil {
		return nil
	}
	if v, ok := indexes.Load(weak.Make(f)); ok {
		return v.(*sourceIndex)
	}
	return nil
}

// find returns the site of a kind at goja's offset.
func (x *sourceIndex) find(offset int, kinds ...siteKind) *site {
	if x == nil {
		return nil
	}
	i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].at) >= offset })
	for ; i < len(x.sites) && int(x.sites[i].at) == offset; i++ {
		for _, k := range kinds {
			if x.sites[i].kind == k {
				return &x.sites[i]
			}
		}
	}
	return nil
}

// literal returns the first site of a kind after goja's offset whose source is that text: goja has no place of its own
// on record for a literal, and reports the one before.
func (x *sourceIndex) literal(offset int, text string, kind siteKind) *site {
	if x == nil {
		return nil
	}
	for i := sort.Search(len(x.sites), func(i int) bool { return int(x.sites[i].at) >= offset }); i < len(
		x.sites); i++ {
		if s := &x.sites[i]; s.kind == kind && x.src[s.start:s.end] == text {
			return s
		}
	}
	return nil
}

// enclosing returns the innermost function around offset.
func (x *sourceIndex) enclosing(offset int) *span {
	if x == nil {
		return nil
	}
	i := sort.Search(len(x.spans), func(i int) bool { return int(x.spans[i].start) > offset }) - 1
	for ; i >= 0; i-- {
		if int(x.spans[i].end) > offset {
			return &x.spans[i]
		}
	}
	return nil
}

// position turns a byte offset into V8's line and column (1-based, UTF-16 units).
func (x *sourceIndex) position(offset int) (line, col int) {
	x.linesOnce.Do(func() {
		x.lineStarts = append(x.lineStarts, 0)
		for i := 0; ; {
			n := strings.IndexByte(x.src[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			x.lineStarts = append(x.lineStarts, i)
		}
	})
	offset = max(0, min(offset, len(x.src)))
	line = sort.Search(len(x.lineStarts), func(i int) bool { return x.lineStarts[i] > offset })
	col = 1
	for _, r := range x.src[x.lineStarts[line-1]:offset] {
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

package syntax

import (
	"runtime"
	"strings"
	"sync"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// partLength is how long a part of a script is at least that is parsed by itself, maxParts how many there are at most.
const partLength, maxParts = 1 << 17, 4

// boundary is where a part may begin. A line that begins like this begins a statement, if what is in front of it is
// whole statements: none of them, and no expression, goes on with var.
const boundary = "\nvar "

// cuts are the places at which a script is cut into parts of about the same length.
func cuts(source string, parts int) (list []int) {
	for i := 1; i < parts; i++ {
		near := max(len(source)/parts*i, 0)
		at := strings.Index(source[near:], boundary)
		if at < 0 {
			break
		}
		if at += near; len(list) == 0 || at > list[len(list)-1] {
			list = append(list, at)
		}
	}
	return list
}

// inParts parses a script that is one function with all modules in it, as a bundler makes it, on several goroutines,
// each of which reads the function with a part of its statements. Nil says that the script must be parsed as a whole,
// also for the sake of its errors: it is another one, or a boundary lies within something, which then has no end.
func inParts(name, source string, at []int) *ast.Program {
	head := strings.IndexByte(source, '{') + 1
	if len(at) == 0 || at[0] < head {
		return nil
	}
	parts := make([]*ast.FunctionLiteral, len(at)+1)
	var others sync.WaitGroup
	for i := range parts {
		from, to, end := head, len(source), ""
		if i > 0 {
			from = at[i-1]
		}
		if i < len(at) {
			to, end = at[i], "\n})"
		}
		read := func() {
			defer func() { _ = recover() }() // whoever parses the whole panics with the same, where that has an owner
			parts[i] = part(name, source, head, from, source[from:to]+end)
		}
		if i < len(at) {
			others.Go(read)
		} else {
			read()
		}
	}
	others.Wait()
	whole, last := parts[0], parts[len(at)]
	for i, f := range parts {
		if f == nil {
			return nil
		}
		if i > 0 {
			whole.Body.List = append(whole.Body.List, f.Body.List...)
			whole.DeclarationList = append(whole.DeclarationList, f.DeclarationList...)
		}
	}
	whole.Body.RightBrace = last.Body.RightBrace
	whole.Source = source[whole.Function-1 : whole.Idx1()-1]
	return &ast.Program{Body: []ast.Statement{&ast.ExpressionStatement{Expression: whole}},
		File: file.NewFile(name, source, 1)}
}

// part reads the head of a script with the text that lies behind a place of it, nil if that is no script of one
// function. What it reads has the positions that it has in the script, but for the head.
func part(name, source string, head, from int, text string) *ast.FunctionLiteral {
	set := new(file.FileSet)
	if base := 1 + from - head; base > 1 {
		set.AddFile("", source[:base-2])
	}
	program, err := parser.ParseFile(set, name, source[:head]+text, 0, parser.WithDisableSourceMaps)
	if err != nil || len(program.Body) != 1 {
		return nil
	}
	s, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	f, ok := s.Expression.(*ast.FunctionLiteral)
	if !ok || int(f.Body.LeftBrace) != from {
		return nil
	}
	return f
}

// partsOf is how many parts a script is parsed in.
func partsOf(source string) int {
	return min(runtime.GOMAXPROCS(0), maxParts, len(source)/partLength)
}

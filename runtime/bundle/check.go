package bundle

import (
	"errors"
	"fmt"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/syntax"
)

// ScriptName is the file name that the script has in the engine.
const ScriptName = "index.js"

// check reads the script with the engine's own parser. What the parser refuses is syntax that esbuild knows and left as
// it is; the message then belongs to a place in the user's file.
func check(source string, m *SourceMap) (*ast.Program, []BuildMessage) {
	program, err := syntax.Parse(ScriptName, source)
	if err == nil {
		return program, nil
	}
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil, []BuildMessage{{Text: err.Error()}}
	}
	// The parser goes on after an error, but what it finds then is mostly a consequence of the first. Only that counts.
	first := list[0]
	return nil, []BuildMessage{m.Message(first.Position.Line, first.Position.Column,
		fmt.Sprintf("The engine can't run this syntax: %s", first.Message))}
}

// Message builds a message for a place in the script (from 1), with the user's file and line if the map has them. The
// caller may also use it for what the engine's compiler refuses after the build.
func (m *SourceMap) Message(line, column int, text string) BuildMessage {
	p, ok := m.Lookup(line, column)
	if !ok {
		return BuildMessage{Text: fmt.Sprintf("%s (generated code, %s:%d:%d)", text, ScriptName, line, column)}
	}
	message := BuildMessage{File: p.File, Line: p.Line, Column: p.Column, Text: text}
	message.LineText, _ = m.SourceLine(p.File, p.Line)
	return message
}

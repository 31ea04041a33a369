package worker

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/v8text"
	"eddy/runtime/rpc"
)

// Exception is what JavaScript threw, told in the user's own files and lines. It is immutable and may leave the loop.
type Exception struct {
	// Name and Message are the error's. For a value that is not an Error, Name is "Error" and Message its text (RT15).
	Name, Message string
	// Stack is the whole text, first line included, as RT15 shows it.
	Stack string
	// Frames are the places, innermost first.
	Frames []v8text.StackFrame
	// Code is a code frame of the user's source around the place, "" if the source is not known.
	Code string
	// Remote says that the error came from another isolate or object.
	Remote bool
	// Flags are the platform's own properties that are set (retryable, overloaded, durableObjectReset; RPC17).
	Flags map[string]bool
	// Failure is the same exception for callers in other isolates, if there may be such a caller.
	Failure *rpc.RemoteError
}

// Error is Name: Message.
func (e *Exception) Error() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// engine is the prepared goja runtime of this isolate.
type engineKey struct{}

func (iso *Isolate) engine() *ecma.Engine {
	e, _ := iso.Value(engineKey{}).(*ecma.Engine)
	return e
}

// ecmaOptions connect the engine to the source map and the loop.
func (iso *Isolate) ecmaOptions() ecma.Options {
	return ecma.Options{
		Texts: v8text.Options{
			MapPosition: func(file string, line, col int) (string, int, int, string, bool) {
				if file != bundle.ScriptName || iso.opts.Script.Bundle == nil {
					return file, line, col, "", true
				}
				p, ok := iso.opts.Script.Bundle.Map.Lookup(line, col)
				if !ok {
					return "", 0, 0, "", false
				}
				return fileURL(p.File), p.Line, p.Column, p.Name, true
			},
			HideFile: func(file string) bool { return file != bundle.ScriptName },
		},
		Post:      func(f func()) { iso.Loop.Post(func() { iso.Loop.Bounded(iso.startLimit(), f, nil) }) },
		Reserve:   iso.Loop.Reserve,
		AllowEval: iso.Flags.Enabled("allow_insecure_inefficient_logged_eval"),
		// Templates compile in suites: under Cloudflare's integration, too, new Function works and eval does not.
		AllowFunctions: iso.opts.Modules[bundle.ModulesName] != nil,
	}
}

func fileURL(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	return "file://" + filepath.ToSlash(path)
}

// Exception describes a thrown value in Go's terms.
func (iso *Isolate) Exception(v goja.Value) *Exception {
	ex := &Exception{Name: "Error"}
	obj, isObj := v.(*goja.Object)
	read := func(name string) (s string) {
		// A getter of the error may itself throw.
		iso.Realm.Try(func() {
			if p := obj.Get(name); p != nil && !goja.IsUndefined(p) {
				s = p.String()
			}
		})
		return shown(s)
	}
	if !isObj {
		iso.Realm.Try(func() { ex.Message = shown(v.String()) })
		ex.Stack = ex.Error()
		return ex
	}
	if n := read("name"); n != "" {
		ex.Name = n
	}
	ex.Message = read("message")
	for _, flag := range []string{"remote", "retryable", "overloaded", "durableObjectReset"} {
		iso.Realm.Try(func() {
			if p := obj.Get(flag); p != nil && p.ToBoolean() {
				if ex.Flags == nil {
					ex.Flags = map[string]bool{}
				}
				ex.Flags[flag] = true
			}
		})
	}
	ex.Remote = ex.Flags["remote"]
	if e := iso.engine(); e != nil {
		ex.Frames = e.StackOf(v)
	}
	if ex.Stack = read("stack"); ex.Stack == "" {
		if ex.Message == "" && read("name") == "" {
			iso.Realm.Try(func() { ex.Message = shown(v.String()) })
		}
		ex.Stack = ex.Error()
	}
	ex.Code = iso.codeFrame(ex.Frames)
	return ex
}

// maxShown is how much of a text of a thrown value is shown: lines, pages and logs copy it many times.
const maxShown = 1 << 20

// shown is a text of a thrown value, or its beginning and how much is left out.
func shown(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return fmt.Sprintf("%s… (%d more bytes)", strings.ToValidUTF8(s[:maxShown], ""), len(s)-maxShown)
}

// codeFrame shows the user's source at the first frame that lies in a file of the user's own, not of a package.
func (iso *Isolate) codeFrame(frames []v8text.StackFrame) string {
	if iso.opts.Script.Bundle == nil {
		return ""
	}
	for _, f := range frames {
		file, ok := strings.CutPrefix(f.File, "file://")
		if !ok || strings.Contains(file, "/node_modules/") {
			continue
		}
		if code := iso.opts.Script.Bundle.Map.Frame(
			bundle.Position{File: file, Line: f.Line, Column: f.Column}); code != "" {
			return code
		}
	}
	return ""
}

// rejected reports promises that nobody handles. They break nothing (GT11); the script hears of them by the event, the
// user by a line.
func (iso *Isolate) rejected(list []eventloop.Rejection) {
	for _, r := range list {
		report := func() { iso.unhandled(r) }
		if r.Scope != nil && !r.Scope.Closed() {
			r.Scope.Run(report)
		} else {
			iso.Loop.Bounded(iso.startLimit(), report, nil)
		}
	}
}

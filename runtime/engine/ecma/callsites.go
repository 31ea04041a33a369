package ecma

import (
	"github.com/dop251/goja"
)

// callSites makes the second argument of Error.prepareStackTrace.
func (e *Engine) callSites(frames []goja.StackFrame, async int) goja.Value {
	if e.callSiteProto == nil {
		e.callSiteProto = e.rt.NewObject()
	}
	list := e.visible(frames, async)
	out := make([]any, len(list))
	for i, f := range list {
		out[i] = e.callSite(f)
	}
	return e.rt.NewArray(out...)
}

func (e *Engine) callSite(f Frame) *goja.Object {
	o := e.rt.CreateObject(e.callSiteProto)
	orNull := func(s string) goja.Value {
		if s == "" {
			return goja.Null()
		}
		return e.rt.ToValue(s)
	}
	typeName, method, isNew := splitFrameName(f.Function)
	answers := map[string]goja.Value{
		"getThis":                  goja.Undefined(),
		"getFunction":              goja.Undefined(),
		"getTypeName":              orNull(typeName),
		"getFunctionName":          orNull(method),
		"getMethodName":            orNull(method),
		"getFileName":              orNull(f.File),
		"getScriptNameOrSourceURL": orNull(f.File),
		"getScriptHash":            e.rt.ToValue(""),
		"getEvalOrigin":            goja.Undefined(),
		"getPromiseIndex":          goja.Null(),
		"getEnclosingLineNumber":   e.rt.ToValue(f.Line),
		"getEnclosingColumnNumber": e.rt.ToValue(f.Column),
		"getPosition":              e.rt.ToValue(0),
		"getLineNumber":            e.rt.ToValue(f.Line),
		"getColumnNumber":          e.rt.ToValue(f.Column),
		"isToplevel":               e.rt.ToValue(typeName == ""),
		"isEval":                   e.rt.ToValue(false),
		"isNative":                 e.rt.ToValue(f.Native),
		"isConstructor":            e.rt.ToValue(isNew),
		"isAsync":                  e.rt.ToValue(f.Async),
		"isPromiseAll":             e.rt.ToValue(false),
		"toString":                 e.rt.ToValue(f.String()),
	}
	for name, v := range answers {
		e.method(o, name, 0, func(goja.FunctionCall) goja.Value { return v })
	}
	return o
}

func splitFrameName(s string) (typeName, method string, isNew bool) {
	if len(s) > 4 && s[:4] == "new " {
		return s[4:], s[4:], true
	}
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '.' {
			return s[:i], s[i+1:], false
		}
	}
	return "", s, false
}

package v8text

import (
	"github.com/dop251/goja"
)

// callSites makes the second argument of Error.prepareStackTrace.
func (t *Texts) callSites(frames []goja.StackFrame, async int) goja.Value {
	if t.callSiteProto == nil {
		t.callSiteProto = t.rt.NewObject()
	}
	list := t.visible(frames, async)
	out := make([]any, len(list))
	for i, f := range list {
		out[i] = t.callSite(f)
	}
	return t.rt.NewArray(out...)
}

func (t *Texts) callSite(f StackFrame) *goja.Object {
	o := t.rt.CreateObject(t.callSiteProto)
	orNull := func(s string) goja.Value {
		if s == "" {
			return goja.Null()
		}
		return t.rt.ToValue(s)
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
		"getScriptHash":            t.rt.ToValue(""),
		"getEvalOrigin":            goja.Undefined(),
		"getPromiseIndex":          goja.Null(),
		"getEnclosingLineNumber":   t.rt.ToValue(f.Line),
		"getEnclosingColumnNumber": t.rt.ToValue(f.Column),
		"getPosition":              t.rt.ToValue(0),
		"getLineNumber":            t.rt.ToValue(f.Line),
		"getColumnNumber":          t.rt.ToValue(f.Column),
		"isToplevel":               t.rt.ToValue(typeName == ""),
		"isEval":                   t.rt.ToValue(false),
		"isNative":                 t.rt.ToValue(f.Native),
		"isConstructor":            t.rt.ToValue(isNew),
		"isAsync":                  t.rt.ToValue(f.Async),
		"isPromiseAll":             t.rt.ToValue(false),
		"toString":                 t.rt.ToValue(f.String()),
	}
	for name, v := range answers {
		t.b.Method(o, name, 0, func(goja.FunctionCall) goja.Value { return v })
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

package inspector

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"

	"eddy/runtime/lazyregexp"
)

// objects are the values that clients have seen and may ask about. Loop goroutine.
type objects struct {
	realm    *realm
	pristine *pristine
	last     int
	kept     map[string]kept
}

// kept is a goja.Value, or a *scopeRef.
type kept struct {
	value any
	group string
}

// keep gives an object an id, until its group is released.
func (o *objects) keep(v any, group string) runtime.RemoteObjectID {
	if o.kept == nil {
		o.kept = map[string]kept{}
	}
	o.last++
	id := strconv.Itoa(o.realm.number) + "." + strconv.Itoa(o.last)
	o.kept[id] = kept{v, group}
	return runtime.RemoteObjectID(id)
}

func (o *objects) release(group string) {
	for id, k := range o.kept {
		if k.group == group {
			delete(o.kept, id)
		}
	}
}

// maxDescription bounds the text of a value that is sent without being asked for.
const maxDescription = 10_000

// remote is how a client sees a value.
func (o *objects) remote(v goja.Value, group string, preview bool) *runtime.RemoteObject {
	out := &runtime.RemoteObject{}
	switch v := v.(type) {
	case nil:
		out.Type = "undefined"
	case *goja.Object:
		o.describe(v, out)
		out.ObjectID = o.keep(v, group)
		if preview && out.Type == "object" {
			out.Preview = o.preview(v, out, true)
		}
	case *goja.Symbol:
		out.Type, out.Description = "symbol", "Symbol("+v.String()+")"
		out.ObjectID = o.keep(v, group)
	default:
		o.primitive(v, out)
	}
	return out
}

// primitive fills in a value that is no object.
func (o *objects) primitive(v goja.Value, out *runtime.RemoteObject) {
	switch x := v.Export().(type) {
	case nil:
		if goja.IsUndefined(v) {
			out.Type = "undefined"
			return
		}
		out.Type, out.Subtype, out.Value = "object", "null", jsontext.Value("null")
	case bool:
		out.Type, out.Value, out.Description = "boolean", encoded(x), v.String()
	case string:
		out.Type, out.Value = "string", encoded(x)
	case int64:
		out.Type, out.Value, out.Description = "number", encoded(x), v.String()
	case float64:
		out.Type, out.Description = "number", v.String()
		switch {
		case math.IsNaN(x), math.IsInf(x, 0), x == 0 && math.Signbit(x):
			if x == 0 {
				out.Description = "-0"
			}
			out.UnserializableValue = runtime.UnserializableValue(out.Description)
		default:
			out.Value = encoded(x)
		}
	default: // *big.Int
		out.Type, out.Description = "bigint", v.String()+"n"
		out.UnserializableValue = runtime.UnserializableValue(out.Description)
	}
}

func encoded(v any) jsontext.Value {
	b, err := json.Marshal(v)
	if err != nil {
		return jsontext.Value("null")
	}
	return b
}

// describe fills in what an object is.
func (o *objects) describe(v *goja.Object, out *runtime.RemoteObject) {
	p := o.pristine
	out.Type, out.ClassName = "object", o.className(v)
	out.Description = out.ClassName
	if _, ok := goja.AssertFunction(v); ok {
		out.Type, out.ClassName = "function", "Function"
		out.Description = cut(o.text(v, p.functionText))
		return
	}
	switch class := v.ClassName(); class {
	case "Array":
		out.Subtype = "array"
		out.Description = out.ClassName + "(" + o.own(v, "length").String() + ")"
		return
	case "Error":
		out.Subtype = "error"
		out.Description = cut(o.errorText(v))
		return
	case "Date":
		out.Subtype, out.Description = "date", o.text(v, p.dateText)
		return
	case "RegExp":
		out.Subtype, out.Description = "regexp", o.text(v, p.regexpText)
		return
	}
	switch kind := o.kind(v); kind {
	case "map", "set":
		out.Subtype = runtime.Subtype(kind)
		out.Description = out.ClassName + "(" + o.text(v, p.size[kind]) + ")"
	case "weakmap", "weakset", "promise", "proxy", "generator", "dataview":
		out.Subtype = runtime.Subtype(kind)
	case "typedarray":
		out.Subtype = "typedarray"
		out.Description = out.ClassName + "(" + o.text(v, p.typedLength) + ")"
	case "arraybuffer":
		out.Subtype = "arraybuffer"
		out.Description = out.ClassName + "(" + o.text(v, p.byteLength) + ")"
	}
}

// kind is the protocol's subtype of an object, "" for a plain one.
func (o *objects) kind(v *goja.Object) string {
	kind, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.kind(goja.Undefined(), v) })
	if thrown != nil {
		return ""
	}
	return kind.String()
}

// text is what a built-in says of an object.
func (o *objects) text(v *goja.Object, f goja.Callable) string {
	text, thrown := o.realm.try(func() (goja.Value, error) { return f(v) })
	if thrown != nil {
		return ""
	}
	return text.String()
}

func cut(text string) string {
	if len(text) <= maxDescription {
		return text
	}
	return strings.ToValidUTF8(text[:maxDescription], "") + "…"
}

// errorText is the stack of an error, else its name and message. Accessors are not run: the engine's own are no
// script's.
func (o *objects) errorText(v *goja.Object) string {
	if stack := o.own(v, "stack"); goja.IsString(stack) && stack.String() != "" {
		return ownFrame.ReplaceAllString(stack.String(), "")
	}
	text := o.className(v)
	if message := o.own(v, "message"); goja.IsString(message) && message.String() != "" {
		text += ": " + message.String()
	}
	return text
}

// ownFrame is a line of a stack that is no function of the user's.
var ownFrame = lazyregexp.New(`\n +at __eddy_[^\n]*`)

// own is the value of an own property, undefined if it is an accessor of a script.
func (o *objects) own(v *goja.Object, key string) goja.Value {
	value, thrown := o.realm.try(func() (goja.Value, error) {
		return o.pristine.own(goja.Undefined(), v, o.realm.rt.ToValue(key))
	})
	if thrown != nil {
		return goja.Undefined()
	}
	return value
}

// className is the name of the class that made an object.
func (o *objects) className(v *goja.Object) string {
	name, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.className(goja.Undefined(), v) })
	if thrown != nil || !goja.IsString(name) || name.String() == "" {
		return "Object"
	}
	return name.String()
}

// byValue is a value as JSON.
func (o *objects) byValue(v goja.Value) (*runtime.RemoteObject, goja.Value) {
	object, ok := v.(*goja.Object)
	if !ok {
		return o.remote(v, "", false), nil
	}
	out := &runtime.RemoteObject{}
	o.describe(object, out)
	text, thrown := o.realm.try(func() (goja.Value, error) { return o.pristine.json(goja.Undefined(), v) })
	if thrown != nil {
		return nil, thrown
	}
	out.Description, out.Value = "", jsontext.Value("{}")
	if goja.IsString(text) {
		out.Value = jsontext.Value(text.String())
	}
	return out, nil
}

// withUncaught is an error as the data of a pause.
func withUncaught(o *runtime.RemoteObject, uncaught bool) jsontext.Value {
	return encoded(struct {
		*runtime.RemoteObject
		Uncaught bool `json:"uncaught"`
	}{o, uncaught})
}

package regexp

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// manyUnits is the length that a text may get by goja's own replacement without a closer look.
const manyUnits = 1 << 20

// boundReplace bounds the length of a text with its replacements. goja copies a template for each match without asking,
// so where the text can be long this package matches; and where it cannot, a template becomes a function that adds up
// the length.
func (e *engine) boundReplace() {
	e.hook("@@replace", false, func(call goja.FunctionCall, native func(goja.FunctionCall) goja.Value) goja.Value {
		if _, own := e.ownOf(call.This); own != nil {
			return native(call)
		}
		if _, object := call.This.(*goja.Object); !object {
			return native(call)
		}
		s := e.ToString(call.Argument(0))
		args := []goja.Value{s, call.Argument(1)}
		f, callable := goja.AssertFunction(args[1])
		if callable && (s.Length() >= manyMatches || e.LongTexts()) {
			args[1] = e.counted(s, f)
		}
		if !callable {
			template := e.ToString(args[1])
			args[1] = template
			each := int64(template.Length())
			if strings.Contains(template.String(), "$") { // $`, $' and groups
				each += int64(s.Length()) * int64(strings.Count(template.String(), "$"))
			}
			if int64(s.Length()+1)*each > manyUnits {
				if o := call.This.(*goja.Object); e.isRegExpObject(o) && e.pristine(o) {
					if own := e.forLong(o); own != nil {
						return e.replaceOwn(o, own, s, goja.FunctionCall{This: o, Arguments: args})
					}
				}
				args[1] = e.templated(s, template)
			}
		}
		return native(goja.FunctionCall{This: call.This, Arguments: args})
	})
}

// manyMatches is the length from which on a text may have so many matches that what a function makes of each is added
// up. Those of a shorter one are, once the script has made a long text.
const manyMatches = 256

// counted makes a function that does what f does, and adds up the length of the text.
func (e *engine) counted(s goja.String, f goja.Callable) goja.Value {
	size := builtin.TextSize{B: e.Builder}
	size.Add(int64(s.Length()))
	return e.Runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		v, err := f(goja.Undefined(), call.Arguments...)
		if err != nil {
			panic(err)
		}
		text := e.ToString(v)
		size.Add(int64(text.Length()))
		e.In.RaiseInterrupt(e.Runtime)
		return text
	})
}

// templated makes a function that does what the template says.
func (e *engine) templated(s, template goja.String) goja.Value {
	size := builtin.TextSize{B: e.Builder}
	size.Add(int64(s.Length()))
	text := template.String()
	if !strings.Contains(text, "$") { // each match gets the same text
		return e.Runtime.ToValue(func(goja.FunctionCall) goja.Value {
			size.Add(int64(template.Length()))
			e.In.RaiseInterrupt(e.Runtime)
			return template
		})
	}
	return e.Runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		args := call.Arguments // match, groups, position, text, perhaps the groups by name
		named, _ := args[len(args)-1].(*goja.Object)
		if named != nil {
			args = args[:len(args)-1]
		}
		groups := len(args) - 2
		position := int(args[groups].ToInteger())
		end := position + e.ToString(args[0]).Length()
		var b goja.StringBuilder
		size.Add(int64(e.substitution(wideText{&b}, template, s, position, min(end, s.Length()),
			func(i int) goja.Value { return args[i] }, groups, named)))
		e.In.RaiseInterrupt(e.Runtime)
		return b.String()
	})
}

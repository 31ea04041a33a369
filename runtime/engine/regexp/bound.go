package regexp

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
)

// manyUnits is the length that a text may get by goja's own replacement without a closer look.
const manyUnits = 1 << 20

// boundReplace bounds the length of a text with its replacements. goja copies a template for each match without asking,
// so a template becomes a function where the text can be long, and the function adds up the length.
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
		if _, callable := goja.AssertFunction(args[1]); !callable {
			template := e.ToString(args[1])
			args[1] = template
			each := int64(template.Length())
			if strings.Contains(template.String(), "$") { // $`, $' and groups
				each += int64(s.Length()) * int64(strings.Count(template.String(), "$"))
			}
			if int64(s.Length()+1)*each > manyUnits {
				args[1] = e.templated(s, template.String())
			}
		}
		return native(goja.FunctionCall{This: call.This, Arguments: args})
	})
}

// templated is a function that does what the template says.
func (e *engine) templated(s goja.String, template string) goja.Value {
	size := builtin.TextSize{B: e.Builder}
	size.Add(int64(s.Length()))
	return e.Runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		args := call.Arguments // match, groups, position, text, perhaps the groups by name
		named, _ := args[len(args)-1].(*goja.Object)
		if named != nil {
			args = args[:len(args)-1]
		}
		groups := len(args) - 2
		position := int(args[groups].ToInteger())
		end := position + e.ToString(args[0]).Length()
		var b strings.Builder
		e.substitution(&b, template, s, position, min(end, s.Length()),
			func(i int) goja.Value { return args[i] }, groups, named)
		size.Add(int64(b.Len()))
		e.In.RaiseInterrupt(e.Runtime)
		return e.Runtime.ToValue(b.String())
	})
}

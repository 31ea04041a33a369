package bounds

import "github.com/dop251/goja"

// listed is how many bytes each index takes when the properties of an object are listed: its name, its place in a list,
// the array or the descriptor that is made of it. The numbers are what the engine was seen to allocate.
var listed = map[string]map[string]int64{
	"Object":  {"keys": 56, "values": 56, "entries": 760, "getOwnPropertyNames": 56, "getOwnPropertyDescriptors": 940},
	"Reflect": {"ownKeys": 56},
}

// boundListing reserves what lists of properties take: strings, arrays and views have as many properties as they are
// long.
func (x *Bounds) boundListing() {
	for path, methods := range listed {
		for name, each := range methods {
			x.wrap(x.b.Object(path), name, func(call goja.FunctionCall,
				next func(goja.FunctionCall) goja.Value) goja.Value {
				length := x.indices(call.Argument(0))
				if length <= wide/16 {
					return next(call)
				}
				x.reserve(int64(length) * each)
				if s, ok := call.Argument(0).(goja.String); ok {
					switch name {
					case "values":
						return x.units(s, func(i int, unit goja.Value) goja.Value { return unit })
					case "entries":
						return x.units(s, func(i int, unit goja.Value) goja.Value {
							return x.rt.NewArray(x.rt.ToValue(i).String(), unit)
						})
					}
				}
				return next(call)
			})
		}
	}
	x.wrap(x.b.Object("Object"), "assign", func(call goja.FunctionCall,
		next func(goja.FunctionCall) goja.Value) goja.Value {
		for _, source := range call.Arguments {
			x.copied(source)
		}
		return next(call)
	})
}

// copied reserves what a copy of an object's properties takes.
func (x *Bounds) copied(source goja.Value) {
	if length := x.indices(source); length > wide/16 {
		x.reserve(int64(length) * 200)
	}
}

// indices is how many properties an object has at least, because of its length.
func (x *Bounds) indices(v goja.Value) int {
	switch v := v.(type) {
	case goja.String:
		return v.Length()
	case *goja.Object:
		if list, dense := x.in.Elements(v); dense {
			return len(list)
		}
		if length, ok := x.view(v); ok {
			return length
		}
	}
	return 0
}

// units makes a list of what of makes of each unit of a text.
func (x *Bounds) units(s goja.String, of func(i int, unit goja.Value) goja.Value) goja.Value {
	list := make([]any, s.Length())
	for i := range list {
		if i%wide == 0 {
			x.in.RaiseInterrupt(x.rt)
		}
		list[i] = of(i, goja.StringFromUTF16([]uint16{s.CharAt(i)}))
	}
	return x.rt.NewArray(list...)
}

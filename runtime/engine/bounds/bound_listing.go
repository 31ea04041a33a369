package bounds

import "github.com/dop251/goja"

// listed is about what each index takes when the properties of an object are listed: its name, its place in a list,
// what is made of it.
var listed = map[string]map[string]int64{
	"Object":  {"keys": 40, "values": 40, "entries": 200, "getOwnPropertyNames": 40, "getOwnPropertyDescriptors": 400},
	"Reflect": {"ownKeys": 40},
}

// boundListing has what lists of properties take told: strings, arrays and views have as many as they are long.
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

// copied has what a copy of an object's properties takes told.
func (x *Bounds) copied(source goja.Value) {
	if length := x.indices(source); length > wide/16 {
		x.reserve(int64(length) * 200)
	}
}

// indices is how many properties an object has at least because it is long.
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

// units is a list of something made of each unit of a text.
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

package gojainternals

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Some of goja's instructions do much more than most of their uses need: a step of for-of makes a result object, and a
// property of a text is looked up in an object. Ours do the frequent case by themselves and hand the rest to goja's,
// before anything has changed. What a script can see is the same.

// maxSafe is the size up to which goja keeps a number as an integer.
const maxSafe = 1 << 53

// fewest is the least of the integers that are made once.
const fewest = -256

// quickFields are what our instructions need besides the machine's.
type quickFields struct {
	apartFields
	pc                  uintptr
	yes, no             goja.Value
	boolean             unsafe.Pointer
	undefined, null     unsafe.Pointer   // kinds
	object              unsafe.Pointer   // the kind of values that are objects
	integers            [1280]goja.Value // from fewest
	global, text        uintptr          // of a runtime; of what it keeps built-ins in: String.prototype
	getStr              uintptr          // in a method table of an object
	accessor            unsafe.Pointer
	arrayCount          uintptr
	items               uintptr // of the machine: the iterators of loops
	itemSize            uintptr
	itemValue, itemIter uintptr
	itemStep            uintptr // what takes a step of for-in
	iterator, next      uintptr // of an iterator's record
	copies              copyFields
	iteration           iterationFields
	arrays              arrayIterFields
	texts               textIterFields
	textObject          unsafe.Pointer   // the kind of objects of texts
	lists               []listIterFields // of Maps and of Sets
	begin, rest         instruction      // a loop's beginning, and what takes the rest of an iterator into an array
}

// arrayIterFields says where an iterator of an array keeps its place.
type arrayIterFields struct {
	object       unsafe.Pointer
	next         uintptr // the code of its method next
	array, index uintptr
	gives        uintptr
	values, keys int64 // of gives
}

func (l *Layout) readQuick(r *reader) {
	q := &l.quick
	q.pc = l.tries.pc
	q.yes, q.no = r.rt.ToValue(true), r.rt.ToValue(false)
	q.boolean = kindOf(q.yes)
	q.undefined, q.null = kindOf(goja.Undefined()), kindOf(goja.Null())
	q.object = kindOf(r.rt.NewObject())
	for i := range q.integers {
		q.integers[i] = r.rt.ToValue(i + fewest)
		if kindOf(q.integers[i]) != l.operands.integer {
			r.fail("integers are of two kinds")
		}
	}
	var global, object reflect.Type
	q.global, global = r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	if r.err != nil {
		return
	}
	q.text, _ = r.field(global, "StringPrototype", reflect.TypeFor[*goja.Object]())
	if _, object = r.field(reflect.TypeFor[goja.Object](), "self", nil); r.err != nil {
		return
	}
	m, ok := object.MethodByName("getStr")
	for i := range object.NumMethod() {
		if object.Method(i).Name == "getStr" {
			q.getStr, ok = uintptr(methodTableHead+i)*unsafe.Sizeof(uintptr(0)), true
			m = object.Method(i)
		}
	}
	if !ok || !stands(reflect.TypeOf(polled.kinds[0].getStr), m.Type) {
		r.fail("%s has no getStr of the form that is known", object)
		return
	}
	l.readArrayIterators(r)
}

func (l *Layout) readArrayIterators(r *reader) {
	q := &l.quick
	probe := r.object("Object.defineProperty([1, 2], 0, { get() {} })")
	if r.err != nil {
		return
	}
	array, data := self(probe)
	q.accessor = kindOf((*(*[]goja.Value)(unsafe.Add(data, l.arrays.values)))[0])
	q.arrayCount, _ = r.field(array.Elem(), "objCount", reflect.TypeFor[int]())
	_, vm := r.field(reflect.TypeFor[goja.Runtime](), "vm", nil)
	if r.err != nil {
		return
	}
	var items, record reflect.Type
	if q.items, items = r.field(vm.Elem(), "iterStack", nil); r.err != nil {
		return
	}
	if items.Kind() != reflect.Slice || items.Elem().Kind() != reflect.Struct {
		r.fail("vm.iterStack is a %s", items)
		return
	}
	q.itemSize = items.Elem().Size()
	q.itemValue, _ = r.field(items.Elem(), "val", reflect.TypeFor[goja.Value]())
	if q.itemIter, record = r.field(items.Elem(), "iter", nil); r.err != nil {
		return
	}
	q.iterator, _ = r.field(record.Elem(), "iterator", reflect.TypeFor[*goja.Object]())
	q.next, _ = r.field(record.Elem(), "next", reflect.TypeFor[func(goja.FunctionCall) goja.Value]())
	iterator := r.object("[1, 2][Symbol.iterator]()")
	native, ok := l.Native(r.object("[][Symbol.iterator]().next"))
	if r.err != nil || !ok {
		r.fail("array iterators have no native next")
		return
	}
	a := &q.arrays
	a.next = codeOf(*native.Call)
	a.object = l.kind(iterator)
	t, at := self(iterator)
	a.array, _ = r.field(t.Elem(), "obj", reflect.TypeFor[*goja.Object]())
	a.index, _ = r.field(t.Elem(), "nextIdx", reflect.TypeFor[int64]())
	var gives reflect.Type
	if a.gives, gives = r.field(t.Elem(), "kind", nil); r.err != nil {
		return
	}
	if gives.Kind() != reflect.Int {
		r.fail("%s.kind is a %s", t, gives)
		return
	}
	a.values = int64(*(*int)(unsafe.Add(at, a.gives)))
	_, at = self(r.object("[1, 2].keys()"))
	a.keys = int64(*(*int)(unsafe.Add(at, a.gives)))
	l.readListIterators(r)
	l.readTextIterators(r)
	l.readTextObjects(r)
	l.readApart(r)
	l.readCopies(r)
	l.readLoops(r)
}

// readLoops finds the instructions that begin a loop and that take the rest of an iterator: there is one of each.
func (l *Layout) readLoops(r *reader) {
	p, err := goja.Compile("probe.js", "(function (x) { const [a, ...b] = x; return b })", true)
	if err != nil {
		r.fail("probe of a loop failed: %v", err)
		return
	}
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		switch reflect.TypeOf(in).Name() {
		case "_iterate", "_iterateP":
			l.quick.begin = in
		case "_newArrayFromIter":
			l.quick.rest = in
		}
	})
	if p, err = goja.Compile("probe.js", "(function (x) { for (const a of x) a() })", true); err != nil {
		r.fail("probe of a loop failed: %v", err)
		return
	}
	l.eachInstruction(p, func(_ *instruction, in instruction) {
		if reflect.TypeOf(in).Name() == "_iterateP" {
			l.quick.begin = in
		}
	})
	if l.quick.rest == nil || l.quick.begin == nil || reflect.TypeOf(l.quick.begin).Name() != "_iterateP" {
		r.fail("loops have no _iterateP and no _newArrayFromIter")
	}
}

// codeOf is the address of the code of a function.
func codeOf(f func(goja.FunctionCall) goja.Value) uintptr {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&f))
	if p == nil {
		return 0
	}
	return *(*uintptr)(p)
}

// integer makes a number of an integer of at most maxSafe.
func (l *Layout) integer(n int64) (v goja.Value) {
	if i := uint64(n - fewest); i < uint64(len(l.quick.integers)) {
		return l.quick.integers[i]
	}
	p := new(int64)
	*p = n
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{l.operands.integer, unsafe.Pointer(p)}
	return v
}

// Integer is a number that goja keeps as an integer.
func (l *Layout) Integer(v goja.Value) (n int64, ok bool) {
	if p := pair(&v); p[0] == l.operands.integer {
		return *(*int64)(p[1]), true
	}
	return 0, false
}

// Float is a number that goja does not keep as an integer.
func (l *Layout) Float(v goja.Value) (f float64, ok bool) {
	if p := pair(&v); p[0] == l.plain.float {
		return *(*float64)(p[1]), true
	}
	return 0, false
}

// Number makes a number of an integer of at most 53 bits.
func (l *Layout) Number(n int64) goja.Value { return l.integer(n) }

// property is goja's own look-up of a property of o for a receiver; nil if there is none.
func (l *Layout) property(o *goja.Object, name string, receiver goja.Value) goja.Value {
	pair := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	slot := unsafe.Add(pair[0], l.quick.getStr) // a function value is a pointer to the address of its code
	get := *(*func(unsafe.Pointer, unistring.String, goja.Value) goja.Value)(unsafe.Pointer(&slot))
	return get(pair[1], unistring.String(name), receiver)
}

// quickenAt puts ours in the place of an instruction of goja's, in, if ours has a cheaper way, and of the steps out of
// the constructor that it makes. next is goja's own behind it; light tells whether a function that it makes may be
// light.
func (l *Layout) quickenAt(code []instruction, i int, in, next instruction, light bool) {
	t := traitsOf(in)
	if t.programs != nil {
		l.leaves(in)
	}
	switch {
	case t.makes > 0 && light:
		if c := l.closureOf(code[i], in, t); c != nil {
			code[i] = c
		}
	case t.makes > 0:
	case asyncMakers[t.pointee]:
		if light && code[i] == in {
			code[i] = &asyncMaker{goja: in, layout: l}
		}
	default:
		if quick := l.quicker(code[i], in, next); quick != nil {
			code[i] = quick
		}
	}
}

// quicker is what takes the place of an instruction, nil if nothing does. next is goja's own behind it.
func (l *Layout) quicker(place, in, next instruction) instruction {
	t := traitsOf(in)
	switch t.pointee {
	case "enterBlock":
		return l.scopeOfBlock(place, in)
	case "enterFunc":
		return l.scopeOfFunction(place, in)
	}
	switch name := t.name; name {
	case "copyStash":
		return &copyOfScope{goja: place, layout: l}
	case "createArgsUnmapped":
		return l.makeArguments(place, int(reflect.ValueOf(in).Uint()))
	case "_enumerate":
		return &enumerate{goja: place, layout: l}
	case "_op_instanceof":
		return &instanceOf{goja: place, layout: l}
	case "_add", "_sub", "_mul":
		return &arithmetic{goja: place, layout: l, op: name[1]}
	case "_and", "_or", "_xor", "_sal", "_sar", "_shr":
		return &integerBits{goja: place, layout: l, operands: 2, op: bitOperators[name]}
	case "_bnot":
		return &integerBits{goja: place, layout: l, operands: 1}
	case "_op_lt", "_op_lte", "_op_gt", "_op_gte", "_op_strict_eq", "_op_strict_neq":
		c := &comparison{goja: place, layout: l, op: orders[name]}
		if next != nil {
			if t := traitsOf(next); t.jumps {
				c.jump, c.by = t.jump, int(reflect.ValueOf(next).Int())
			}
		}
		return c
	case "getProp", "getPropCallee":
		property := reflect.ValueOf(in).String()
		if property != "" && property[0] >= '0' && property[0] <= '9' {
			return nil
		}
		if property == minusSign {
			return &minusProperty{goja: place, layout: l, keep: name == "getPropCallee"}
		}
		return &textProperty{goja: place, layout: l, name: property, keep: name == "getPropCallee",
			length: property == "length"}
	case "loadDynamic", "loadDynamicRef", "loadDynamicCallee":
		return &globalName{goja: place, layout: l, name: unistring.String(reflect.ValueOf(in).String()),
			call: name == "loadDynamicCallee"}
	case "_getElem", "_getKey":
		return &element{goja: place, layout: l}
	case "_getElemCallee":
		return &elementForCall{goja: place, layout: l}
	case "_new":
		return &constructed{goja: place, layout: l, n: int(reflect.ValueOf(in).Uint())}
	case "call":
		return &callOf{goja: place, layout: l, n: int(reflect.ValueOf(in).Uint())}
	case "enterFinally":
		return &finallyEntered{goja: place, layout: l}
	case "_callVariadic":
		return &callOfSpread{goja: place, layout: l}
	case "_iterate", "_iterateP":
		return &beginOfLoop{goja: place, layout: l, keep: name == "_iterate"}
	case "iterNext":
		return &nextOfLoop{goja: place, layout: l, by: int(reflect.ValueOf(in).Int())}
	case "iterGetNextOrUndef":
		return &nextOfPattern{goja: place, layout: l}
	case "_newArrayFromIter":
		return &restOfPattern{goja: place, layout: l}
	case "_copySpread":
		return &copyAll{goja: place, layout: l}
	case "_copyRest":
		return &copyRest{goja: place, layout: l}
	case "_setElem1", "_setElem1Named":
		return &computedProperty{goja: place, layout: l, named: name == "_setElem1Named"}
	case "_newObject":
		return &objectLiteral{goja: place, layout: l}
	case "putProp":
		if name := unistring.String(reflect.ValueOf(in).String()); plainName(name) {
			return &propertyOfLiteral{goja: place, layout: l, name: name}
		}
		return nil
	case "_setElem", "_setElemP", "_setElemStrict", "_setElemStrictP":
		keep, strict := name[len(name)-1] != 'P', strings.Contains(name, "Strict")
		other := &elementSet{minusTold{goja: place, layout: l, of: 3, key: 2, write: strict}, keep}
		return &keyedSet{goja: other, layout: l, keep: keep}
	case "_op_in":
		return &minusTold{goja: place, layout: l, of: 1, key: 2, in: true}
	case "_deleteElem", "_deleteElemStrict":
		return &minusTold{goja: place, layout: l, of: 2, key: 1}
	case "deleteProp", "deletePropStrict":
		if reflect.ValueOf(in).String() == minusSign {
			return &minusTold{goja: place, layout: l, of: 1}
		}
		return nil
	case "setProp", "setPropP", "setPropStrict", "setPropStrictP":
		if reflect.ValueOf(in).String() == minusSign {
			return &minusTold{goja: place, layout: l, of: 2, write: strings.Contains(name, "Strict")}
		}
		if name := unistring.String(reflect.ValueOf(in).String()); plainName(name) {
			return &propertySet{goja: place, layout: l, name: name, keep: t.name[len(t.name)-1] != 'P'}
		}
		return nil
	case "definePropKeyed":
		if name := unistring.String(reflect.ValueOf(in).String()); plainName(name) {
			return &fieldDefined{goja: place, layout: l, name: name}
		}
		return nil
	case "newArray":
		return &arrayLiteral{goja: place, layout: l, n: int(reflect.ValueOf(in).Uint())}
	case "_pushArrayItem":
		return &arrayItem{goja: place, layout: l}
	case "createArgsRestStack":
		return &restArguments{goja: place, layout: l, from: int(reflect.ValueOf(in).Int())}
	case "_pushArraySpread":
		return &spreadOut{goja: place, layout: l}
	case "_pushSpread":
		out := &spreadOut{goja: in, layout: l, arguments: true}
		if hook, watched := place.(*spreading); watched { // which looks at what ours has done
			hook.goja = out
			return nil
		}
		return out
	}
	return nil
}

// plainName tells whether a name is surely no number, which goja puts in front of other names.
func plainName(name unistring.String) bool { return name != "" && (name[0] < '0' || name[0] > '9') }

package kernel

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/native"
)

// sort is what an input holds.
type sort uint8

const (
	sortUnknown sort = iota // nobody may read it
	sortUnread              // it is assigned first
	sortUndefined
	sortBoolean
	sortIndex // an int32 that is not negative
	sortInt   // an int32
	sortWhole // an integer
	sortNumber
	sortArray
	sortFunction
)

// kind is what is known of an input when a kernel begins.
type kind struct {
	sort
	element Element
	list    bool
	fixed   int // the length of an array, -1 where it differs from call to call, or an exact number
	exact   bool
}

// entry is one beginning of a kernel.
type entry struct {
	kernel *Kernel
	frame  Frame
	kinds  []kind
	key    []byte
	params []uint64
	size   int64
	copies []copied
}

// entries are kept, since kernels begin often.
var entries = sync.Pool{New: func() any { return &entry{} }}

// maxFixed is the longest length that code is made for. maxList is the longest plain array that is copied.
const (
	maxFixed   = 4096
	maxLengths = 4 // of one array
	maxList    = 1024
	maxExact   = 8       // a number beside plain arrays that is below it may be an index: code is made for each
	maxCount   = 1 << 24 // above it a number is none of rounds, it is a hash's
)

// read looks at the inputs. It gives false where goja must run the statements.
func (e *entry) read() bool {
	p := e.kernel.plan
	e.kinds, e.key, e.params = e.kinds[:0], e.key[:0], e.params[:0]
	e.size, e.copies = 0, nil
	e.kernel.mu.Lock()
	defer e.kernel.mu.Unlock()
	for n, in := range p.inputs {
		k := kind{sort: sortUnread}
		if !in.declared {
			v := e.frame.Slot(in.slot)
			if v == nil {
				return false
			}
			if in.prop != "" {
				o, is := v.(*goja.Object)
				if !is {
					return false
				}
				if v, is = e.frame.Property(o, in.prop); !is {
					return false
				}
			}
			ok := false
			if k, ok = e.value(n, in, v); !ok {
				return false
			}
		}
		e.kinds = append(e.kinds, k)
		e.key = append(e.key, byte(k.sort), byte(k.element))
		if k.list || k.exact {
			e.key = append(e.key, 1)
		}
		if k.sort == sortArray || k.exact {
			e.key = binary.AppendVarint(e.key, int64(k.fixed))
		}
	}
	return true
}

func (e *entry) value(n int, in *input, v goja.Value) (k kind, ok bool) {
	if in.callee != nil {
		return kind{sort: sortFunction}, e.frame.Made(v, in.callee.source, in.free)
	}
	if o, is := v.(*goja.Object); is {
		return e.object(n, o)
	}
	if x, is := e.frame.Integer(v); is {
		s := sortWhole
		switch {
		case x >= 0 && x < maxExact && len(e.copies) > 0 && !in.assigned:
			return kind{sort: sortIndex, exact: true, fixed: int(x)}, true
		case x >= 0 && x <= maxInt32:
			s = sortIndex
			if x <= maxCount {
				e.size = max(e.size, x)
			}
		case x >= minInt32 && x <= maxInt32:
			s = sortInt
		}
		s = e.kernel.widest(n, s)
		switch s {
		case sortIndex, sortInt:
			e.params = append(e.params, uint64(uint32(x)))
		case sortWhole:
			e.params = append(e.params, uint64(x))
		default:
			e.params = append(e.params, math.Float64bits(float64(x)))
		}
		return kind{sort: s}, true
	}
	if x, is := e.frame.Float(v); is {
		e.params = append(e.params, math.Float64bits(x))
		return kind{sort: e.kernel.widest(n, sortNumber)}, true
	}
	switch v {
	case truths[0]:
		e.params = append(e.params, 0)
		return kind{sort: sortBoolean}, true
	case truths[1]:
		e.params = append(e.params, 1)
		return kind{sort: sortBoolean}, true
	case goja.Undefined():
		return kind{sort: sortUndefined}, true
	}
	return kind{}, true
}

func (e *entry) object(n int, o *goja.Object) (k kind, ok bool) {
	if el, b, is := e.frame.Array(o); is {
		if len(b) > maxLength || !e.intact(el, o) {
			return k, false
		}
		at, reached := native.Offset(b)
		if !reached {
			return k, false
		}
		length := len(b) >> elementsOf[el].shift
		e.size = max(e.size, int64(length))
		e.params = append(e.params, uint64(at), uint64(length))
		return kind{sort: sortArray, element: el, fixed: e.kernel.fixed(n, length)}, true
	}
	if list, is := e.frame.List(o); is && len(list) <= maxList {
		return e.list(n, list)
	}
	return kind{}, true
}

// intact tells whether what the kernel asks of an array is the language's own.
func (e *entry) intact(el Element, o *goja.Object) bool {
	p := e.kernel.plan
	if el != View {
		return !p.lengths || e.frame.Lengths(o)
	}
	for name := range p.views {
		if !e.frame.Methods(o, name) {
			return false
		}
	}
	return true
}

// copied is a plain array whose numbers were copied.
type copied struct {
	input int
	list  []goja.Value
	bytes []byte
	ints  bool
}

// distinct tells that no two of the copies are of one array, which one of them could change.
func (e *entry) distinct() bool {
	for i, a := range e.copies {
		for _, b := range e.copies[:i] {
			if len(a.list) > 0 && len(b.list) > 0 && &a.list[0] == &b.list[0] {
				return false
			}
		}
	}
	return true
}

// giveBack brings the numbers of changed copies into their arrays.
func (e *entry) giveBack(written map[int]bool) {
	for _, c := range e.copies {
		if !written[c.input] {
			continue
		}
		for i := range c.list {
			if c.ints {
				c.list[i] = e.frame.Whole(int64(int32(binary.LittleEndian.Uint32(c.bytes[4*i:]))))
			} else {
				c.list[i] = e.frame.Value(math.Float64frombits(binary.LittleEndian.Uint64(c.bytes[8*i:])))
			}
		}
	}
}

// list copies a plain array of numbers.
func (e *entry) list(n int, list []goja.Value) (k kind, ok bool) {
	b := make([]byte, 0, 8*len(list))
	ints := true
	for _, v := range list {
		if v == nil {
			return kind{}, true
		}
		x, is := v.Export().(int64)
		if !is || x < minInt32 || x > maxInt32 {
			ints = false
			break
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	if !ints {
		b = b[:0]
		for _, v := range list {
			if v == nil {
				return kind{}, true
			}
			switch x := v.Export().(type) {
			case int64:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(x)))
			case float64:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			default:
				return kind{}, true
			}
		}
	}
	at, reached := native.Offset(b)
	if !reached {
		return k, false
	}
	e.copies = append(e.copies, copied{n, list, b, ints})
	e.params = append(e.params, uint64(at), uint64(len(list)))
	k = kind{sort: sortArray, element: Float64, list: true, fixed: e.kernel.fixed(n, len(list))}
	if ints {
		k.element = Int32
	}
	return k, true
}

// widest is what code is made for where an input is this number: what fits to all numbers that it has been.
func (k *Kernel) widest(n int, s sort) sort {
	if k.sorts == nil {
		k.sorts = make([]sort, len(k.plan.inputs))
	}
	s = max(s, k.sorts[n])
	k.sorts[n] = s
	return s
}

// fixed is the length that code is made for: the array's own, unless it had many.
func (k *Kernel) fixed(n, length int) int {
	if k.lengths == nil {
		k.lengths = make([][]int, len(k.plan.inputs))
	}
	known := k.lengths[n]
	if slices.Contains(known, length) && len(known) <= maxLengths {
		return length
	}
	if length <= maxFixed && len(known) < maxLengths {
		k.lengths[n] = append(known, length)
		return length
	}
	k.lengths[n] = make([]int, maxLengths+1)
	return -1
}

// write gives the outputs their values.
func (e *entry) write(v *version, results []uint64) Result {
	status := uint32(results[0])
	results = results[1:]
	var out Result
	switch {
	case status == 0:
		out.Outcome = Ran
	case status == 1:
		out.Outcome = Returned
	default:
		out.Outcome = Threw
		out.Throw = v.throws[status-2]
	}
	out.Offset = float64(int64(results[0]))
	results = results[1:]
	if v.result != nil {
		if status == 1 {
			out.Value = e.decode(*v.result, results)
		}
		if v.result.array < 0 {
			results = results[1:]
		}
	} else if status == 1 {
		out.Value = goja.Undefined()
	}
	e.giveBack(v.written)
	var room [40]goja.Value
	values := room[:0]
	for _, o := range v.outputs {
		values = append(values, e.decode(o, results))
		if o.array < 0 {
			results = results[1:]
		}
	}
	for i, o := range v.outputs {
		switch in := o.input; {
		case status != 0 && in.declared: // it was not reached, and nobody sees it any more
		case in.prop != "":
			e.frame.SetProperty(e.frame.Slot(in.slot).(*goja.Object), in.prop, values[i])
		default:
			e.frame.SetSlot(in.slot, values[i])
		}
	}
	return out
}

// decode is an output's value for JavaScript.
func (e *entry) decode(o output, results []uint64) goja.Value {
	if o.array >= 0 {
		in := e.kernel.plan.inputs[o.array]
		v := e.frame.Slot(in.slot)
		if in.prop != "" {
			v, _ = e.frame.Property(v.(*goja.Object), in.prop)
		}
		return v
	}
	bits := results[0]
	switch {
	case o.boolean:
		return boolean(uint32(bits) != 0)
	case o.rep() == repI32 && o.hi > maxInt32:
		return e.frame.Whole(int64(uint32(bits)))
	case o.rep() == repI32:
		return e.frame.Whole(int64(int32(uint32(bits))))
	case o.rep() == repI64 && o.odd && bits == oddValue:
		return goja.Undefined()
	case o.rep() == repI64:
		return e.frame.Whole(int64(bits))
	}
	return e.frame.Value(math.Float64frombits(bits))
}

var truths = func() (t [2]goja.Value) {
	rt := goja.New()
	return [2]goja.Value{rt.ToValue(false), rt.ToValue(true)}
}()

func boolean(b bool) goja.Value {
	if b {
		return truths[1]
	}
	return truths[0]
}

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
	sortObject
	sortAlias // a property that an earlier input is too
	sortNull
	sortTable
	sortSkipped // a method's that is not called, or a property that is not as it is used
)

// kind is what is known of an input when a kernel begins.
type kind struct {
	sort
	element Element
	list    bool
	odd     bool   // an array may have undefined
	width   int    // of a table's rows
	columns string // of rows that are objects
	fixed   int    // an array's length, -1 where it differs from call to call; an exact number; a callee; another input
	exact   bool
}

// entry is one beginning of a kernel.
type entry struct {
	kernel *Kernel
	frame  Frame
	values []goja.Value
	kinds  []kind
	room   []kind // for kinds that are not yet known to be a version's
	key    []byte
	params []uint64
	size   int64
	copies []copied
	tables []rows
	given  []goja.Value // for outputs
	copied int64        // numbers, and what took as long
}

// entries are kept, since kernels begin often.
var entries = sync.Pool{New: func() any { return &entry{} }}

// maxFixed is the longest length that code is made for. maxList is the longest plain array that is copied.
const (
	maxFixed   = 4096
	maxLengths = 4    // of one array
	maxList    = 1024 // of one that changes
	maxKept    = 1 << 14
	maxExact   = 8       // a number beside plain arrays that is below it may be an index: code is made for each
	maxCount   = 1 << 24 // above it a number is none of rounds, it is a hash's
)

// again is one of the two latest versions if it fits to the inputs, which are read then; nil where neither does.
func (e *entry) again() *version {
	k := e.kernel
	last := k.last.Load()
	if last == nil || e.fits(last) {
		return last
	}
	if other := k.other.Load(); other != nil && e.fits(other) {
		k.other.Store(last)
		k.last.Store(other)
		return other
	}
	return nil
}

// fits looks at the inputs as read does, and tells whether they are those of a version that has code. What only other
// methods would use is not looked at.
func (e *entry) fits(v *version) bool {
	if v.code == nil {
		return false
	}
	p := e.kernel.plan
	e.kinds = v.kinds
	e.empty()
	if cap(e.values) < len(p.inputs) {
		e.values = make([]goja.Value, len(p.inputs))
	}
	e.values = e.values[:len(p.inputs)]
	e.kernel.mu.Lock()
	defer e.kernel.mu.Unlock()
	for _, n := range v.looks {
		x, k, ok := e.look(n, p.inputs[n])
		if !ok || k != v.kinds[n] {
			return false
		}
		e.values[n] = x
	}
	return true
}

// empty lets go of what an earlier look at the inputs has gathered.
func (e *entry) empty() {
	e.params, e.size, e.copies, e.tables, e.copied = e.params[:0], 0, nil, nil, 0
}

// read looks at the inputs. It gives false where goja must run the statements.
func (e *entry) read() bool {
	p := e.kernel.plan
	e.kinds, e.key = e.room[:0], e.key[:0]
	defer func() { e.room = e.kinds }()
	e.empty()
	e.kernel.mu.Lock()
	defer e.kernel.mu.Unlock()
	e.values = e.values[:0]
	for n, in := range p.inputs {
		v, k, ok := e.input(n, in)
		if !ok {
			return false
		}
		e.values = append(e.values, v)
		e.kinds = append(e.kinds, k)
		e.key = append(e.key, byte(k.sort), byte(k.element))
		switch {
		case k.odd:
			e.key = append(e.key, 2)
		case k.list || k.exact:
			e.key = append(e.key, 1)
		}
		if k.sort == sortTable {
			e.key = binary.AppendVarint(e.key, int64(k.width))
			e.key = append(append(e.key, k.columns...), 0)
		}
		if k.sort == sortArray || k.sort == sortTable || k.sort == sortFunction || k.sort == sortAlias || k.exact {
			e.key = binary.AppendVarint(e.key, int64(k.fixed))
		}
	}
	return true
}

// input looks at one.
func (e *entry) input(n int, in *input) (v goja.Value, k kind, ok bool) {
	if in.guards != nil && !slices.ContainsFunc(in.guards, e.holds) {
		return nil, kind{sort: sortSkipped}, true
	}
	return e.look(n, in)
}

// look looks at one whose guard holds.
func (e *entry) look(n int, in *input) (v goja.Value, k kind, ok bool) {
	switch {
	case in.declared:
		return nil, kind{sort: sortUnread}, true
	case in.fresh:
		return nil, kind{sort: sortUndefined}, true
	case in.parent == nil:
		if v = e.frame.Slot(in.slot); v == nil {
			return nil, k, false
		}
	default:
		o, is := e.values[in.parent.index].(*goja.Object)
		if !is || e.kinds[in.parent.index].sort != sortObject {
			return nil, kind{sort: sortSkipped}, true
		}
		for _, twin := range in.twins {
			if e.kinds[twin.index].sort != sortSkipped && e.values[twin.parent.index] == goja.Value(o) {
				k = kind{sort: sortAlias, fixed: twin.index}
				if of := e.kinds[twin.index]; of.sort == sortAlias {
					k.fixed = of.fixed
				}
				if in.assigned && !e.writable(twin) {
					k = kind{sort: sortSkipped}
				}
				return e.values[twin.index], k, true
			}
		}
		own := false
		if v, own = e.frame.Property(o, in.prop); v == nil || !own && in.assigned {
			return nil, kind{sort: sortSkipped}, true
		}
	}
	k, ok = e.value(n, in, v)
	return v, k, ok
}

// holds tells whether those methods are called that a guard asks for.
func (e *entry) holds(g *guard) bool {
	for ; g != nil; g = g.outer {
		if m := e.kinds[g.method.index]; m.sort != sortFunction || m.fixed != g.callee {
			return false
		}
	}
	return true
}

// writable tells whether an input that was looked at is a plain property.
func (e *entry) writable(in *input) bool {
	_, own := e.frame.Property(e.values[in.parent.index].(*goja.Object), in.prop)
	return own
}

func (e *entry) value(n int, in *input, v goja.Value) (k kind, ok bool) {
	for i, fn := range in.callees {
		if e.frame.Made(v, fn.source, in.free) {
			return kind{sort: sortFunction, fixed: i}, true
		}
	}
	if in.callees != nil {
		return kind{}, in.parent != nil
	}
	if o, is := v.(*goja.Object); is {
		return e.object(n, in, o)
	}
	if el, b, is := e.frame.Text(v); is {
		return e.memory(n, el, b)
	}
	if x, is := e.frame.Integer(v); is {
		s := sortWhole
		switch {
		case x >= 0 && (x < maxExact && len(e.copies) > 0 || x <= maxExact && e.kernel.plan.tables) && !in.assigned:
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
	if len(e.kernel.plan.views) > 0 && !in.assigned && (v == truths[0] || v == truths[1]) {
		// It may be an order of bytes, which code is made for.
		k = kind{sort: sortBoolean, exact: true}
		if v == truths[1] {
			k.fixed = 1
		}
		return k, true
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
	case goja.Null():
		return kind{sort: sortNull}, true
	}
	return kind{}, true
}

func (e *entry) object(n int, in *input, o *goja.Object) (k kind, ok bool) {
	if el, b, is := e.frame.Array(o); is {
		if !e.intact(el, o) {
			return k, false
		}
		return e.memory(n, el, b)
	}
	if list, is := e.frame.List(o); is && len(list) <= maxKept {
		if in.table && len(list) > 0 && list[0] != nil {
			if _, row := list[0].(*goja.Object); row {
				return e.table(n, list)
			}
		}
		return e.list(n, list)
	}
	if len(in.children) > 0 {
		return kind{sort: sortObject}, true
	}
	return kind{}, true
}

// memory is an array or a text that is reached where it is.
func (e *entry) memory(n int, el Element, b []byte) (k kind, ok bool) {
	at, reached := native.Offset(b)
	if len(b) > maxLength || !reached {
		return k, false
	}
	length := len(b) >> elementsOf[el].shift
	e.size = max(e.size, int64(length))
	e.params = append(e.params, uint64(at), uint64(length))
	return kind{sort: sortArray, element: el, fixed: e.kernel.fixed(n, length)}, true
}

// intact tells whether what the kernel asks of an array is the language's own.
func (e *entry) intact(el Element, o *goja.Object) bool {
	p := e.kernel.plan
	if el != View {
		for _, name := range p.fills {
			if !e.frame.Fills(o, name) {
				return false
			}
		}
		return !p.lengths || e.frame.Lengths(o)
	}
	for name := range p.views {
		if !e.frame.Methods(o, name) {
			return false
		}
	}
	return true
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
		if out.Throw.Exit > 0 {
			out.Outcome, out.Exit = Exited, out.Throw.Exit-1
			e.frame.Leave(out.Exit)
			break
		}
		out.View = e.values[out.Throw.View]
		if n := out.Throw.Source; n >= 0 {
			out.Source = e.values[n]
		}
	}
	out.Offset = float64(int64(results[0]))
	results = results[1:]
	if v.result != nil {
		if status == 1 {
			out.Value = e.decode(v.result, results)
		}
		results = results[v.result.width():]
	} else if status == 1 {
		out.Value = goja.Undefined()
	}
	e.giveBack(v.written)
	outputs := v.outputs
	if status <= 1 {
		outputs = v.seen
	}
	values := e.given[:0]
	for i := range outputs {
		values = append(values, e.decode(&outputs[i], results[outputs[i].at:]))
	}
	e.given = values
	for i := range outputs {
		o := &outputs[i]
		switch in := o.input; {
		case (status != 0 || in.exit > 0) && in.declared && !slices.Contains(out.Throw.live, in.index):
			// it was not reached, and nobody sees it any more
		case in.exit > 0:
			e.frame.SetScoped(in.slot, values[i])
		case in.parent != nil:
			e.frame.SetProperty(e.values[in.parent.index].(*goja.Object), in.prop, values[i])
		default:
			e.frame.SetSlot(in.slot, values[i])
		}
	}
	return out
}

// width is how many results an output has.
func (o *output) width() int {
	switch {
	case o.array >= 0 || o.null:
		return 0
	case o.mixed:
		return 2
	}
	return 1
}

// decode is an output's value for JavaScript.
func (e *entry) decode(o *output, results []uint64) goja.Value {
	switch {
	case o.array >= 0:
		return e.values[o.array]
	case o.null:
		return goja.Null()
	}
	bits := results[0]
	if o.mixed {
		switch tag := int(int32(uint32(results[1]))); {
		case tag >= tagInput:
			return e.values[tag-tagInput]
		case tag == tagNull:
			return goja.Null()
		case tag == tagBoolean:
			return boolean(math.Float64frombits(bits) != 0)
		}
	}
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
	case o.odd && bits == oddDouble:
		return goja.Undefined()
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

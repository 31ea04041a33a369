package gojainternals

import (
	"sync/atomic"
	"unique"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Most look-ups of a name go along the same chain as one before: an object with the same list of names and the same
// prototype. What such a look-up has found, or that there is nothing, is kept for the runtime. A list that objects
// share never changes, so that an object which has it has these names; the prototypes are watched (watched.go).

// finds are what is known of look-ups in a runtime. They lie behind its machine's tracker.
type finds struct {
	list    *[mostFinds]found
	begun   uint32 // how often something watched has changed, of the finds that count
	changed map[uintptr]uint8
	tried   [64]trial

	iteration iteration
}

// trial is an object with a list of names of its own, for which look-ups went on to its prototypes.
type trial struct {
	mark  uintptr // made of its address and of how many names there are
	times uint8
}

// enoughTrials is after how many of them such a list becomes one that does not change.
const enoughTrials = 8

// mostFinds is how many are kept in a runtime, each at a place that is made of what it is for.
const mostFinds = 2048

// found is what a look-up has found in the prototypes of objects that lack the name.
type found struct {
	key   *byte             // of the name
	own   *unistring.String // of the names that the objects have; nil: they have none
	first *goja.Object      // their prototype
	value goja.Value        // nil: there is none, or rest has a getter
	rest  *goja.Object      // where goja must go on
	begun uint32
	bare  bool // nothing is known: what is found may change without being seen
}

// keyOf is the same place for the same name.
func keyOf(name string) *byte { return unsafe.StringData(unique.Make(name).Value()) }

// findsOf are those of a machine, nil without a tracker.
func (l *Layout) findsOf(vm unsafe.Pointer) *finds {
	tracker := *(*unsafe.Pointer)(unsafe.Add(vm, l.tracker.at))
	if tracker == nil {
		return nil
	}
	return (*finds)(unsafe.Add(tracker, l.tracker.finds))
}

// end ends what is known, since a watched object changes.
func (f *finds) end(o *goja.Object) {
	f.begun++
	if len(f.changed) >= mostFinds {
		f.changed = nil
	}
	if f.changed == nil {
		f.changed = map[uintptr]uint8{}
	}
	f.changed[uintptr(unsafe.Pointer(o))]++
}

// at is the place for a name of the prototypes of objects with such names.
func (f *finds) at(key *byte, own *unistring.String, first *goja.Object) *found {
	if f.list == nil {
		f.list = new([mostFinds]found)
	}
	h := uint64(uintptr(unsafe.Pointer(key))) ^ uint64(uintptr(unsafe.Pointer(own)))*3 ^
		uint64(uintptr(unsafe.Pointer(first)))*5
	return &f.list[h*0x9e3779b97f4a7c15>>53]
}

// is tells whether a find is for that, and nothing has changed since.
func (e *found) is(f *finds, key *byte, own *unistring.String, first *goja.Object) bool {
	return e.key == key && e.own == own && e.first == first && e.begun == f.begun
}

// namesOf are the names that an object with a map has, as far as a find may be for them: ok is false if the list
// may change in place.
func (f *finds) namesOf(o *goja.Object, b *baseMirror) (own *unistring.String, ok bool) {
	if len(b.propNames) == 0 {
		return nil, len(b.values) == 0
	}
	if shared(b.propNames) {
		return unsafe.SliceData(b.propNames), true
	}
	if len(b.propNames) > mostShared {
		return nil, false
	}
	mark := uintptr(unsafe.Pointer(o)) ^ uintptr(len(b.propNames))
	tried := &f.tried[mark>>4%uintptr(len(f.tried))]
	if tried.mark != mark {
		*tried = trial{mark: mark}
	}
	if tried.times++; tried.times < enoughTrials {
		return nil, false
	}
	b.propNames = sharedNames(b.propNames...)
	return unsafe.SliceData(b.propNames), true
}

// find looks a name up in the prototypes of objects that lack it, and keeps what it finds in a place.
func (l *Layout) find(f *finds, e *found, name string, key *byte, own *unistring.String, first *goja.Object) {
	*e = found{own: own, first: first, begun: f.begun}
	for o := first; o != nil; {
		l.settled(o)
		keeps := l.keepers.of(l.kind(o))
		if e.bare = keeps == keepsElsewhere || keeps == keepsFunction || keeps == keepsWords ||
			!l.watch(f, o); e.bare {
			break
		}
		b := l.baseOf(o)
		if v := b.values[unistring.String(name)]; v != nil {
			e.value, e.rest = l.heldIn(o, v)
			break
		}
		if keeps == keepsFound {
			if l.owner(o, name) { // it is not made yet, but will be now
				e.bare = true
				return
			}
			o, _ = l.above(o)
			continue
		}
		o = b.prototype
	}
	e.key = key
}

// seek is what an instruction that looks a name up knows of it, in whichever runtime.
type seek struct {
	key      atomic.Pointer[byte]
	slot     atomic.Uint32 // where what had the name last had it
	index    atomic.Uint32 // where the literal that had the name last had it
	misses   atomic.Uint32 // how often it was not there
	inherits atomic.Bool   // what it came to last lacked the name
}

// own is an object's own value of a name, nil if it has none. at is where it is, if that is known.
func (s *seek) own(b *baseMirror, name unistring.String) (v goja.Value, at *goja.Value) {
	if at = slotAt(b.values, s.slot.Load(), name); at != nil {
		return *at, at
	}
	if v = b.values[name]; v == nil {
		return nil, nil
	}
	if s.inherits.Load() {
		s.inherits.Store(false)
	}
	if len(b.values) > groupSlots { // there are more slots to go through: now and then
		n := s.misses.Load()
		if s.misses.Store(n + 1); n%missesBetween != 0 {
			return v, nil
		}
	}
	if number, ok := slotWith(b.values, name); ok {
		s.slot.Store(number)
		at = slotAt(b.values, number, name)
	}
	return v, at
}

// missesBetween is after how many misses a slot is looked for anew.
const missesBetween = 16

// held is what [Layout.held] is for an object that has the value itself.
func (l *Layout) heldIn(o *goja.Object, v goja.Value) (goja.Value, *goja.Object) {
	if p := pair(&v); p[0] == l.quick.accessor {
		has := (*propertyMirror)(p[1])
		if has.accessor || has.value == nil {
			return nil, o
		}
		return has.value, nil
	}
	return v, nil
}

// keyFor is the key of the instruction's name.
func (s *seek) keyFor(name string) *byte {
	key := s.key.Load()
	if key == nil {
		key = keyOf(name)
		s.key.Store(key)
	}
	return key
}

// of is [Layout.held] of an object.
func (s *seek) of(l *Layout, vm unsafe.Pointer, o *goja.Object, name string) (v goja.Value, rest *goja.Object) {
	var own *unistring.String
	var first *goja.Object
	self := (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	f := l.findsOf(vm)
	if self[0] == unsafe.Pointer(&lazily.literals[0]) {
		z := (*lazyObject)(self[1])
		if at := z.find(name); at != nil {
			return *at, nil
		}
		if f == nil || z.index != len(z.group.names) {
			return l.held(o, name)
		}
		own, first = unsafe.SliceData(z.group.names), l.root(o)
	} else {
		keeps := l.keepers.of(self[0])
		if keeps == keepsFound {
			if v, _ = s.own((*baseMirror)(self[1]), unistring.String(name)); v != nil {
				return l.heldIn(o, v)
			}
		}
		if keeps == keepsElsewhere || keeps == keepsFound || f == nil || name == "prototype" ||
			name == "length" && keeps != keepsWords || keeps == keepsWords && !word(name) {
			return l.held(o, name)
		}
		b := (*baseMirror)(self[1])
		first = b.prototype
		if s.inherits.Load() {
			own = unsafe.SliceData(b.propNames)
			key := s.key.Load()
			if e := f.at(key, own, first); e.is(f, key, own, first) && (own != nil || len(b.values) == 0) {
				if e.bare {
					return l.held(o, name)
				}
				return e.value, e.rest
			}
		}
		if v, _ = s.own(b, unistring.String(name)); v != nil {
			return l.heldIn(o, v)
		}
		if first == nil {
			return nil, nil
		}
		var ok bool
		if own, ok = f.namesOf(o, b); !ok {
			return l.held(o, name)
		}
	}
	key := s.keyFor(name)
	e := f.at(key, own, first)
	if !e.is(f, key, own, first) {
		l.find(f, e, name, key, own, first)
	}
	if e.bare {
		return l.held(o, name)
	}
	if !s.inherits.Load() {
		s.inherits.Store(true)
	}
	return e.value, e.rest
}

// textNames stands for the names of texts.
var textNames unistring.String

// ofText is [Layout.held] of the prototype of texts.
func (s *seek) ofText(l *Layout, vm unsafe.Pointer, proto *goja.Object, name string) (goja.Value, *goja.Object) {
	f := l.findsOf(vm)
	if f == nil {
		return l.held(proto, name)
	}
	key := s.keyFor(name)
	e := f.at(key, &textNames, proto)
	if !e.is(f, key, &textNames, proto) {
		l.find(f, e, name, key, &textNames, proto)
	}
	if e.bare {
		return l.held(proto, name)
	}
	return e.value, e.rest
}

// lacked tells whether an object lacks a name, and its prototypes do; false if that must be found out.
func (s *seek) lacked(l *Layout, vm unsafe.Pointer, o *goja.Object, b *baseMirror, name string) bool {
	if !s.inherits.Load() || b.prototype == nil {
		return false
	}
	f := l.findsOf(vm)
	if f == nil {
		return false
	}
	key, own := s.keyFor(name), unsafe.SliceData(b.propNames)
	e := f.at(key, own, b.prototype)
	if e.is(f, key, own, b.prototype) {
		return e.lacks() && (own != nil || len(b.values) == 0)
	}
	own, ok := f.namesOf(o, b)
	if !ok || b.values[unistring.String(name)] != nil {
		return false
	}
	if e = f.at(key, own, b.prototype); !e.is(f, key, own, b.prototype) {
		l.find(f, e, name, key, own, b.prototype)
	}
	return e.lacks()
}

// lacks tells whether it is known that nothing was found.
func (e *found) lacks() bool { return e.value == nil && e.rest == nil && !e.bare }

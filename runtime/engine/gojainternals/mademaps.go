package gojainternals

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// The map of an object that we make begins within the object, and all such maps have one seed, which each process
// chooses anew: the same names in the same order lie in the same slots, also where there are many. So an instruction
// that adds a name knows what the map would make of it, and writes it into the next slot of a small map without a hash.
// It is a map as the runtime of Go makes it, which goes on with it.

// commonSeed is of the hashes of such maps. A map that has lost all its names has another one.
var commonSeed = uintptr(rand.Uint64())

// emptySlot is the control of a slot that has nothing.
const emptySlot = 0x80

// begun is an empty map that begins at m.
func (m *slotMap) begun() (of map[unistring.String]goja.Value) {
	m.seed = commonSeed
	*(**slotMap)(unsafe.Pointer(&of)) = m
	return of
}

// slotsOf is a map as the runtime of Go has it, nil for none.
func slotsOf(of map[unistring.String]goja.Value) *slotMap { return *(**slotMap)(unsafe.Pointer(&of)) }

// put gives a map that has a number of names one that it lacks. It does nothing, and tells so, where the runtime of Go
// must do it.
func (m *slotMap) put(has int, name unistring.String, control uint8, v goja.Value) bool {
	if m == nil || m.size != 0 || m.seed != commonSeed || has >= groupSlots || m.used != uint64(has) {
		return false
	}
	g := (*slotGroup)(m.dir)
	if g == nil {
		g = emptyGroup()
		m.dir = unsafe.Pointer(g)
	}
	if g.control[has] != emptySlot { // something before it was deleted
		return false
	}
	g.slots[has] = mapSlot{name, v}
	g.control[has] = control
	m.used++
	return true
}

var emptyControl = [groupSlots]uint8{emptySlot, emptySlot, emptySlot, emptySlot, emptySlot, emptySlot, emptySlot,
	emptySlot}

func emptyGroup() *slotGroup {
	return &slotGroup{control: emptyControl}
}

// controlOf is what the slot of a name has in the maps of our seed.
func controlOf(name unistring.String) uint8 {
	m := new(slotMap)
	m.begun()[name] = goja.Undefined()
	return (*slotGroup)(m.dir).control[0]
}

// controls are those of a list of names, made once.
type controls struct{ list atomic.Pointer[[]uint8] }

func (c *controls) of(names []unistring.String) []uint8 {
	if list := c.list.Load(); list != nil {
		return *list
	}
	list := make([]uint8, len(names))
	for i, name := range names {
		list[i] = controlOf(name)
	}
	c.list.Store(&list)
	return list
}

// cloned gives an empty map what a small one has, which has nothing but values under names that are no numbers. It does
// nothing, and tells so, if that is not so.
func (l *Layout) cloned(to, from map[unistring.String]goja.Value) bool {
	m, source := slotsOf(to), slotsOf(from)
	if m == nil || source == nil || m.used != 0 || m.size != 0 || source.size != 0 || source.dir == nil {
		return false
	}
	g := new(slotGroup)
	*g = *(*slotGroup)(source.dir)
	for i := range g.slots {
		if g.control[i] < emptySlot {
			s := &g.slots[i]
			if !plainName(s.key) || s.value == nil || kindOf(s.value) == l.quick.accessor {
				return false
			}
		}
	}
	m.seed, m.dir, m.used = source.seed, unsafe.Pointer(g), source.used
	return true
}

// readMadeMaps proves that the runtime of Go goes on with a map that begins here, and finds in it what was put. It is
// part of each start, so it tries a map of nothing, a small one and a full one.
func (l *Layout) readMadeMaps(r *reader) {
	const most = 2*groupSlots + 1
	var keys [most]unistring.String
	for i := range keys {
		keys[i] = unistring.String("key" + string(rune('a'+i)))
	}
	for _, size := range []int{0, 3, groupSlots} {
		m := new(slotMap)
		of := m.begun()
		for i, key := range keys[:size] {
			if !m.put(i, key, controlOf(key), l.integer(int64(i))) {
				r.fail("maps of %d keys are not as they are in the Go that is known", i)
				return
			}
		}
		for i, key := range keys[size:] {
			of[key] = l.integer(int64(size + i))
		}
		seen := 0
		for range of {
			seen++
		}
		for i, key := range keys {
			if v, ok := of[key]; !ok || v != l.integer(int64(i)) || seen != most || len(of) != most {
				r.fail("maps that have begun with %d keys are not what they were", size)
				return
			}
		}
		for _, key := range keys {
			delete(of, key)
		}
		if len(of) != 0 || m.put(0, keys[0], controlOf(keys[0]), l.integer(0)) {
			r.fail("maps that have lost their keys are not as they are in the Go that is known")
			return
		}
	}
}

package gojainternals

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// goja keeps the properties of an object in a map of Go. An instruction that has found one in some slot of the map
// finds that of the next object mostly in the same slot, where small maps have what came first, and need no hash for
// it: a slot that has the name's key has its value. Where maps keep their slots is known here as it is in the runtime
// of Go, and proved by Read.

// slotMap is a map as the runtime of Go has it.
type slotMap struct {
	used uint64
	seed uintptr        // of its hashes
	dir  unsafe.Pointer // a group, or a list of tables
	size int            // of the list, 0 if it is a group
	_    [4]uint8       // of the tables and of who writes
	_    uint64         // how often it was cleared
}

// slotTable is a table of groups.
type slotTable struct {
	_, _, _ uint16 // used, capacity, growthLeft
	_       uint8  // localDepth
	_       int    // index
	groups  unsafe.Pointer
	mask    uint64 // the number of groups, less one
}

const groupSlots = 8

// slotGroup has the slots of a group, and for each a byte whose first bit tells that it is empty.
type slotGroup struct {
	control [groupSlots]uint8
	slots   [groupSlots]mapSlot
}

type mapSlot struct {
	key   unistring.String
	value goja.Value
}

// sameName tells whether two names are equal. Those that one instruction gave are the same piece of memory.
func sameName(a, b unistring.String) bool {
	return len(a) == len(b) && (unsafe.StringData(string(a)) == unsafe.StringData(string(b)) || a == b)
}

// slotAt is the value in the slot of that number if it has that key, nil if not.
func slotAt(of map[unistring.String]goja.Value, number uint32, key unistring.String) *goja.Value {
	m := *(**slotMap)(unsafe.Pointer(&of))
	if m == nil || m.dir == nil {
		return nil
	}
	at := m.dir
	if m.size != 0 {
		t := *(**slotTable)(m.dir)
		if m.size != 1 || uint64(number/groupSlots) > t.mask {
			return nil
		}
		at = unsafe.Add(t.groups, uintptr(number/groupSlots)*unsafe.Sizeof(slotGroup{}))
	}
	group := (*slotGroup)(at)
	i := number % groupSlots
	if s := &group.slots[i]; group.control[i] < 0x80 && sameName(s.key, key) {
		return &s.value
	}
	return nil
}

// slotWith is the number of the slot that has a key, which the map has. ok is false where it lies elsewhere.
func slotWith(of map[unistring.String]goja.Value, key unistring.String) (number uint32, ok bool) {
	m := *(**slotMap)(unsafe.Pointer(&of))
	groups := 1
	if m.size == 1 {
		groups = int((*(**slotTable)(m.dir)).mask) + 1
	}
	for n := range uint32(groups * groupSlots) {
		if slotAt(of, n, key) != nil {
			return n, true
		}
	}
	return 0, false
}

// readSlots proves that maps keep their slots as it is known here, and that a value is given in place.
func (l *Layout) readSlots(r *reader) {
	for size := 1; size <= 4*groupSlots; size = size*2 - bits.Len(uint(size)&1) + 1 {
		of := map[unistring.String]goja.Value{}
		for i := range size {
			of[unistring.String(fmt.Sprint("key", i))] = r.rt.ToValue(i)
		}
		for i := range size {
			key := unistring.String(fmt.Sprint("key", i))
			n, ok := slotWith(of, key)
			if !ok {
				r.fail("maps of %d keys are not as they are in the Go that is known", size)
				return
			}
			*slotAt(of, n, key) = r.rt.ToValue(-i)
			if v := of[key]; v.ToInteger() != int64(-i) || len(of) != size {
				r.fail("maps of %d keys have their values elsewhere", size)
				return
			}
			delete(of, key)
			if slotAt(of, n, key) != nil {
				r.fail("maps keep what was deleted")
				return
			}
			of[key] = r.rt.ToValue(i)
		}
	}
	l.readMadeMaps(r)
}

package wasm

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/dop251/goja"
	"github.com/tetratelabs/wazero/api"

	"eddy/runtime/engine/webidl"
)

// maxEntries bounds tables, as V8 does.
const maxEntries = 10_000_000

// tableObject is a WebAssembly.Table. wazero's tables cannot be reached from Go, so a small module that imports the
// table reads and writes it.
type tableObject struct {
	s      *space
	src    source
	val    valType
	limits limits
	obj    *goja.Object
	// keep is what must live as long as the table: the instances that share it and the functions in it.
	keep []any
	door api.Module
}

// owned is a module of our own. It ends when its owner is gone.
type owned struct{ mod api.Module }

func closing(mod api.Module) *owned {
	o := &owned{mod}
	runtime.AddCleanup(o, func(m api.Module) { _ = m.Close(context.Background()) }, mod)
	return o
}

func (s *space) wrapTable(src source, val valType, l limits) *tableObject {
	t := &tableObject{s: s, src: src, val: val, limits: l}
	t.obj = s.table.Wrap(t)
	return t
}

// op calls one of the door's functions: get(i), set(i, v), grow(v, n), size().
func (t *tableObject) op(name string, args ...uint64) (uint64, bool) {
	if t.door == nil {
		ref := byte(t.val)
		m, err := theEngine().small(binary(map[byte][]byte{
			1: counted([]byte{0x60, 1, 0x7f, 1, ref}, []byte{0x60, 2, 0x7f, ref, 0},
				[]byte{0x60, 2, ref, 0x7f, 1, 0x7f}, []byte{0x60, 0, 1, 0x7f}),
			2: counted(importOf("t", "0", []byte{1, ref, 0, 0})),
			3: counted([]byte{0}, []byte{1}, []byte{2}, []byte{3}),
			7: counted(exportOf("get", 0, 0), exportOf("set", 0, 1), exportOf("grow", 0, 2), exportOf("size", 0, 3)),
			10: counted(bodyOf([]byte{0x20, 0, 0x25, 0}), bodyOf([]byte{0x20, 0, 0x20, 1, 0x26, 0}),
				bodyOf([]byte{0x20, 0, 0x20, 1, 0xfc, 15, 0}), bodyOf([]byte{0xfc, 16, 0})),
		}), func(string) api.Module { return t.src.link([]byte{byte(kindTable), ref, 0, 0}) })
		if err != nil {
			panic(fmt.Errorf("wasm: table: %w", err))
		}
		t.door = m
		t.keep = append(t.keep, closing(m))
	}
	res, err := t.door.ExportedFunction(name).Call(t.s.ctx, args...)
	if err != nil {
		return 0, false
	}
	if len(res) == 0 {
		return 0, true
	}
	return res[0], true
}

func (t *tableObject) size() uint64 { n, _ := t.op("size"); return n }

// bits converts argument i, a value to put into the table. A missing one becomes the default of the type.
func (t *tableObject) bits(c *webidl.Call, i int, method string) uint64 {
	if i >= len(c.Args) {
		if t.val == funcref {
			return 0
		}
		return t.s.handles.of(goja.Undefined())
	}
	v := c.Arg(i)
	if t.val == funcref && !goja.IsNull(v) {
		f, ok := functionOf(t.s.realm.State(v))
		if !ok {
			t.s.realm.ThrowType(
				"WebAssembly.%s(): Argument %d is invalid for table: function-typed object expected", method, i)
		}
		t.keep = append(t.keep, f)
	}
	return t.s.toWasm(v, t.val)
}

func (s *space) defineTable() {
	s.table = s.realm.Define(webidl.Spec{
		Name: "Table", Tag: "WebAssembly.Table",
		Make: func(c *webidl.Call, proto *goja.Object) *goja.Object {
			d := s.descriptor(c, "Table", "a table descriptor")
			var val valType
			switch e := webidl.Option(d, "element"); {
			case e != nil && (e.String() == "anyfunc" || e.String() == "funcref"):
				val = funcref
			case e != nil && e.String() == "externref":
				val = externref
			default:
				s.realm.ThrowType(
					"WebAssembly.Table(): Descriptor property 'element' must be a WebAssembly reference type")
			}
			l := s.readLimits(d, "Table", maxEntries, math.MaxUint32)
			mod, err := theEngine().small(binary(map[byte][]byte{
				4: counted(encode(func(w *writer) { w.byte(byte(val)); w.limits(l) })),
				7: counted(exportOf("0", kindTable, 0)),
			}), nil)
			if err != nil {
				s.realm.ThrowError("RangeError", "WebAssembly.Table(): %v", err)
			}
			t := s.wrapTable(source{mod, "0"}, val, l)
			t.keep = append(t.keep, closing(mod))
			if init := t.bits(c, 1, "Table"); init != 0 {
				for n := range l.min {
					t.op("set", n, init)
				}
			}
			_ = t.obj.SetPrototype(proto)
			return t.obj
		},
		Members: []webidl.Member{
			webidl.Getter("length",
				func(t *tableObject, c *webidl.Call) goja.Value { return c.Value(int64(t.size())) }),
			webidl.Method("grow", func(t *tableObject, c *webidl.Call) goja.Value {
				delta := s.index(c.Arg(0), "Table.grow", "Argument 0")
				old := t.size()
				limit := uint64(maxEntries)
				if t.limits.hasMax {
					limit = min(limit, t.limits.max)
				}
				if old+delta > limit {
					s.realm.ThrowError("RangeError", "WebAssembly.Table.grow(): failed to grow table by %d", delta)
				}
				t.op("grow", t.bits(c, 1, "Table.grow"), delta)
				return c.Value(int64(old))
			}),
			webidl.Method("set", func(t *tableObject, c *webidl.Call) goja.Value {
				n := s.index(c.Arg(0), "Table.set", "Argument 0")
				if n >= t.size() {
					s.realm.ThrowError(
						"RangeError", "WebAssembly.Table.set(): invalid address %d in %s table of size %d", n,
						t.typeName(), t.size())
				}
				t.op("set", n, t.bits(c, 1, "Table.set"))
				return nil
			}),
			webidl.Method("get", func(t *tableObject, c *webidl.Call) goja.Value {
				n := s.index(c.Arg(0), "Table.get", "Argument 0")
				bits, ok := t.op("get", n)
				if !ok {
					s.realm.ThrowError(
						"RangeError", "WebAssembly.Table.get(): invalid address %d in %s table of size %d", n,
						t.typeName(), t.size())
				}
				saved := s.keeper
				s.keeper = t
				defer func() { s.keeper = saved }()
				return s.fromWasm(bits, t.val)
			}),
		},
	})
}

func (t *tableObject) typeName() string {
	if t.val == funcref {
		return "funcref"
	}
	return valTypeNames[t.val]
}

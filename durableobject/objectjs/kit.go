package objectjs

import (
	"strings"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/worker"
)

// kit is the package's classes on one isolate. Loop goroutine only.
type kit struct {
	objs *Objects
	iso  *worker.Isolate
	rpc  *rpc.Kit

	namespace, loopback          *webidl.Interface
	id, stub, state              *webidl.Interface
	storage, transaction, syncKV *webidl.Interface
	sql, cursor, statement       *webidl.Interface
	alarmInfo, facets, container *webidl.Interface
	snapshot                     *webidl.Interface
	iteratorProto                *goja.Object
	construct                    goja.Callable // Reflect.construct

	// stop ends SQL and lists of keys: the turn that runs has used up its CPU time or its memory, or the isolate is
	// being stopped. SQLite computes on the loop, where the interrupt of the engine does not reach it. Any goroutine.
	stop atomic.Bool
}

type kitKey struct{}

func kitOf(iso *worker.Isolate) *kit {
	k, ok := iso.Value(kitKey{}).(*kit)
	if !ok {
		panic("objectjs: used before Install")
	}
	return k
}

// Install makes the classes of Durable Objects and of RPC on an isolate, and adds the namespaces of its own classes to
// ctx.exports (CL12). Pass it in worker.Options.Install.
func (o *Objects) Install(iso *worker.Isolate) error {
	k := &kit{objs: o, iso: iso, rpc: rpc.Of(iso.Host)}
	k.construct, _ = goja.AssertFunction(iso.Runtime().Get("Reflect").ToObject(iso.Runtime()).Get("construct"))
	k.defineNamespace()
	k.defineState()
	k.defineStorage()
	iso.Loop.OnOverrun(k.stop.Store)
	iso.SetValue(kitKey{}, k)
	iso.AddCtxExports(func(_ *worker.Isolate, into *goja.Object) {
		for _, n := range o.of(iso.Name) {
			_ = into.DefineDataProperty(n.class.Name, k.newLoopback(n), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	})
	k.exportClasses()
	iso.OnIsolateAbort(func(f *rpc.RemoteError) { o.abandon(iso, f) })
	k.receive()
	return nil
}

func (k *kit) encode(v goja.Value) []byte { return clone.EncodeIn(k.iso.Host, v, rpc.Stored{}) }

func (k *kit) decode(b []byte) goja.Value { return clone.DecodeIn(k.iso.Host, b, rpc.Stored{}) }

// bytesOf is a JavaScript string as UTF-8, lone surrogates as three bytes each (ID4, KV7). Symbols throw.
func bytesOf(v goja.Value) string {
	s, ok := v.ToString().(goja.String)
	if !ok {
		return webidl.ToString(v)
	}
	n := s.Length()
	if text := s.String(); len(text) == n || !strings.Contains(text, "\uFFFD") {
		return text // ASCII, or at least without a lone surrogate
	}
	buf := make([]byte, 0, n)
	for i := 0; i < n; i++ {
		u := rune(s.CharAt(i))
		switch {
		case u < 0x80:
			buf = append(buf, byte(u))
			continue
		case u < 0x800:
			buf = append(buf, 0xC0|byte(u>>6), 0x80|byte(u&0x3F))
			continue
		}
		if u >= 0xD800 && u < 0xDC00 && i+1 < n {
			if lo := rune(s.CharAt(i + 1)); lo >= 0xDC00 && lo < 0xE000 {
				r := (u-0xD800)<<10 + (lo - 0xDC00) + 0x10000
				buf = append(buf, 0xF0|byte(r>>18), 0x80|byte(r>>12&0x3F), 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
				i++
				continue
			}
		}
		buf = append(buf, 0xE0|byte(u>>12), 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
	}
	return string(buf)
}

// stringOf undoes bytesOf.
func (k *kit) stringOf(s string) goja.Value {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return k.iso.Runtime().ToValue(s)
	}
	var units []uint16
	for i := 0; i < len(s); {
		c := rune(s[i])
		rest := len(s) - i
		switch {
		case c < 0x80:
			units = append(units, uint16(c))
			i++
		case c < 0xE0 && rest >= 2:
			units = append(units, uint16(c&0x1F<<6|rune(s[i+1]&0x3F)))
			i += 2
		case c < 0xF0 && rest >= 3:
			units = append(units, uint16(c&0x0F<<12|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F)))
			i += 3
		case rest >= 4:
			r := c&0x07<<18 | rune(s[i+1]&0x3F)<<12 | rune(s[i+2]&0x3F)<<6 | rune(s[i+3]&0x3F)
			r -= 0x10000
			units = append(units, uint16(0xD800+r>>10), uint16(0xDC00+r&0x3FF))
			i += 4
		default:
			units = append(units, 0xFFFD)
			i++
		}
	}
	return goja.StringFromUTF16(units)
}

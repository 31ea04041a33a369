package gojainternals

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A watched object is a prototype that look-ups have gone through. It has a method table of ours, by which it is known,
// whose methods that change properties or the prototype give it goja's table back and end what is known of look-ups
// in its runtime ([finds]). So what was found once is found again as long as nothing has changed.

// watchedKind is a kind of objects that can be watched.
type watchedKind struct {
	native unsafe.Pointer // its table when it is not watched
	table  []uintptr
	codes  [watchedMethods]uintptr

	setOwnStr func(unsafe.Pointer, unistring.String, goja.Value, bool) bool
	defineStr func(unsafe.Pointer, unistring.String, goja.PropertyDescriptor, bool) bool
	deleteStr func(unsafe.Pointer, unistring.String, bool) bool
	put       func(unsafe.Pointer, unistring.String, goja.Value, bool, bool, bool) goja.Value
	setProto  func(unsafe.Pointer, *goja.Object, bool) bool
}

const watchedMethods = 5

// mostUnwatched is how often an object is watched anew after it has changed.
const mostUnwatched = 8

// watched are the kinds that Read has found: plain objects, Object.prototype, and those of the other built-ins. A
// method in a method table has no other way to them.
var watched []*watchedKind

// watchedForms have an object of each kind. The first is plain.
var watchedForms = []string{"({})", "Map.prototype", "Array.prototype", "Function.prototype", "RegExp.prototype"}

func (l *Layout) readWatched(r *reader) {
	watched = nil
	for _, form := range watchedForms {
		probe := r.object(form)
		if r.err != nil {
			return
		}
		r.beginsAsObject(probe)
		l.readWatchedKind(r, probe, l.kind(probe))
	}
	l.readWatchedKind(r, r.object("Object.prototype"), unsafe.Pointer(&polled.kinds[0].table[0]))
	if r.err == nil && l.keepers.of(watched[0].native) != keepsAll {
		r.fail("plain objects are not as they are known")
	}
	if w := watchedOf(l.regexps.guarded); w != nil {
		l.regexps.watched = w.kind()
	}
}

func (l *Layout) readWatchedKind(r *reader, probe *goja.Object, native unsafe.Pointer) {
	_, iface := r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil || watchedOf(native) != nil {
		return
	}
	concrete, _ := self(probe)
	at, _ := r.field(concrete.Elem(), "val", reflect.TypeFor[*goja.Object]())
	if r.err == nil && at != polled.object {
		r.fail("%s keeps its object at %d, others at %d", concrete, at, polled.object)
	}
	w := &watchedKind{native: native}
	for i, m := range []struct {
		name string
		to   unsafe.Pointer
	}{
		{"setOwnStr", unsafe.Pointer(&w.setOwnStr)}, {"defineOwnPropertyStr", unsafe.Pointer(&w.defineStr)},
		{"deleteStr", unsafe.Pointer(&w.deleteStr)}, {"_putProp", unsafe.Pointer(&w.put)},
		{"setProto", unsafe.Pointer(&w.setProto)},
	} {
		methodAt(iface, native, m.name, &w.codes[i], m.to)
	}
	w.table, r.err = methodTable(iface, concrete, native, map[string]any{
		"setOwnStr": watchedSetOwn, "defineOwnPropertyStr": watchedDefine, "deleteStr": watchedDelete,
		"_putProp": watchedPut, "setProto": watchedSetProto,
	})
	if r.err != nil {
		return
	}
	l.keepers.add(w.kind(), l.keepers.of(native))
	watched = append(watched, w)
	if slices.Contains(l.regions.plain, native) {
		l.regions.plain = append(l.regions.plain, w.kind())
	}
}

func (w *watchedKind) kind() unsafe.Pointer { return unsafe.Pointer(&w.table[0]) }

// watchedOf finds a kind by its method table, when it is watched and when it is not; nil if it is none of them.
func watchedOf(table unsafe.Pointer) *watchedKind {
	for _, w := range watched {
		if table == w.native || table == w.kind() {
			return w
		}
	}
	return nil
}

// plainKind tells whether objects of a kind are plain ones, watched or not.
func (l *Layout) plainKind(kind unsafe.Pointer) bool {
	return kind == l.states.kind || kind == watched[0].kind()
}

// rootKind tells whether a kind is that of an Object.prototype that polls.
func rootKind(kind unsafe.Pointer) bool {
	return kind == unsafe.Pointer(&polled.kinds[0].table[0]) || kind == watched[len(watched)-1].kind()
}

// watch begins to watch an object of a runtime, or goes on. It reports false if the object cannot be watched, or has
// changed too often.
func (l *Layout) watch(f *finds, o *goja.Object) bool {
	kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	w := watchedOf(*kind)
	if w == nil {
		return false
	}
	if *kind == w.native {
		if f.changed[uintptr(unsafe.Pointer(o))] >= mostUnwatched {
			return false
		}
		*kind = w.kind()
	}
	return true
}

// unwatch is called before a watched object changes, with what is behind it.
func unwatch(p unsafe.Pointer) *watchedKind {
	l := polled.layout
	o := *(**goja.Object)(unsafe.Add(p, polled.object))
	kind := (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))
	w := watchedOf(*kind)
	if w == nil { // it has got a state since its method was looked up, as only plain objects can
		return watched[0]
	}
	if *kind != w.native {
		*kind = w.native
		if f := l.findsOf(l.vm(l.runtimeOf(o))); f != nil {
			f.end(o)
		}
	}
	return w
}

// unwatched gives an object goja's table back if it is watched, for who looks at the table, or writes to its map.
func (l *Layout) unwatched(o *goja.Object) {
	if w := watchedOf(l.kind(o)); w != nil {
		unwatch(l.data(o))
	}
}

func watchedSetOwn(p unsafe.Pointer, n unistring.String, v goja.Value, throw bool) bool {
	return unwatch(p).setOwnStr(p, n, v, throw)
}

func watchedDefine(p unsafe.Pointer, n unistring.String, d goja.PropertyDescriptor, throw bool) bool {
	return unwatch(p).defineStr(p, n, d, throw)
}

func watchedDelete(p unsafe.Pointer, n unistring.String, throw bool) bool {
	return unwatch(p).deleteStr(p, n, throw)
}

func watchedPut(p unsafe.Pointer, n unistring.String, v goja.Value, w, e, c bool) goja.Value {
	return unwatch(p).put(p, n, v, w, e, c)
}

func watchedSetProto(p unsafe.Pointer, proto *goja.Object, throw bool) bool {
	return unwatch(p).setProto(p, proto, throw)
}

package gojainternals

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// Layout says where goja keeps what this package reaches. Its methods are the package's functions; they are cheap, and
// take no lock.
type Layout struct {
	objectSelf uintptr

	natives      map[reflect.Type]nativeFields
	functions    map[reflect.Type]functionFields // of JavaScript functions
	classType    reflect.Type
	errors       errorFields
	regexps      regexpFields
	machine      machineFields
	boundKind    unsafe.Pointer
	boundCall    uintptr
	tries        tryFields
	arrays       arrayFields
	iterators    []iteratorFields // one for Maps and one for Sets
	operands     operandKinds
	frame        frameFields
	program      programFields
	views        viewFields
	bytes        byteFields
	half         []uintptr // the method table of Float16Array's element type
	proxies      *proxyMethods
	resolvers    [2]resolver
	tracker      trackerFields
	awaiting     awaitFields
	shortcut     shortcutFields
	quick        quickFields
	plain        plainFields
	regions      regionFields
	async        asyncFields
	waits        waitFields
	reactions    reactionFields
	thens        thenFields
	states       stateFields
	twins        twinFields
	making       makingFields
	keepers      keepers
	constructors constructorFields
	classes      []unsafe.Pointer          // the kinds of functions that have instances
	stores       map[unsafe.Pointer]string // the method table of a typed array's elements → its constructor
}

var read = sync.OnceValues(readLayout)

// Read finds goja's fields, once for each process. The error names the field that is not as this package expects it: a
// defect of the build, which no user can cause.
func Read() (*Layout, error) { return read() }

func readLayout() (*Layout, error) {
	r := &reader{rt: goja.New()}
	l := &Layout{}
	l.objectSelf, _ = r.field(reflect.TypeFor[goja.Object](), "self", nil)
	if r.err != nil {
		return nil, r.err
	}
	for _, part := range []func(*reader){
		l.readNatives, l.readFunctions, l.readErrors, l.readRegExps, l.readMachine, l.readPrograms, l.readTries,
		l.readFrames, l.readTracker, l.readViews, l.readHalf,
		l.readProxies, l.readPolling, l.readArrays, l.readIterators, l.readOperators,
		l.readAwaits, l.readResolvers, l.readShortcuts, l.readElements, l.readQuick, l.readPlain,
		l.readRegions, l.readReactions, l.readAsync, l.readWaits, l.readThens, l.readLazy, l.readStates,
		l.readLightArrays, l.readLightFunctions, l.readOrdered, l.readTwins, l.readLightNatives,
		l.readKeepers, l.readWatched, l.readSlots,
		l.readScopes, l.readClasses, l.readEnumerations, l.readConstructors, l.readBytes, l.readIterations,
	} {
		if part(r); r.err != nil {
			return nil, r.err
		}
	}
	return l, nil
}

// reader looks for fields and keeps the first error.
type reader struct {
	rt  *goja.Runtime
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("gojainternals: goja's "+format, args...)
	}
}

// field is the offset and type of a field of a struct of goja's; want, if not nil, is the type that it must have.
func (r *reader) field(t reflect.Type, name string, want reflect.Type) (uintptr, reflect.Type) {
	if r.err != nil {
		return 0, nil
	}
	f, ok := t.FieldByName(name)
	if !ok {
		r.fail("%s has no field %s", t, name)
		return 0, nil
	}
	if want != nil && f.Type != want {
		r.fail("%s.%s is a %s, expected %s", t, name, f.Type, want)
		return 0, nil
	}
	// The field may be one of an embedded struct. Its offset counts from there.
	off := uintptr(0)
	for i := range f.Index {
		within := t.FieldByIndex(f.Index[:i+1])
		if i > 0 && t.FieldByIndex(f.Index[:i]).Type.Kind() == reflect.Pointer {
			r.fail("%s.%s is behind a pointer", t, name)
			return 0, nil
		}
		off += within.Offset
	}
	return off, f.Type
}

// object evaluates a probe.
func (r *reader) object(source string) *goja.Object {
	v, err := r.rt.RunString(source)
	if err != nil {
		r.fail("probe %s failed: %v", source, err)
		return r.rt.NewObject()
	}
	o, ok := v.(*goja.Object)
	if !ok {
		r.fail("probe %s is no object", source)
		return r.rt.NewObject()
	}
	return o
}

// self is the type and address of the implementation behind an object. An interface value is a pair of type and data;
// the data of an object is always a pointer to a struct.
func self(o *goja.Object) (reflect.Type, unsafe.Pointer) {
	v := reflect.ValueOf(o).Elem().FieldByName("self").Elem()
	return v.Type(), v.UnsafePointer()
}

// data is the address of the implementation alone, without reflection.
func (l *Layout) data(o *goja.Object) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))[1]
}

// kind identifies the type of the implementation without an allocation: the first word of the pair.
func (l *Layout) kind(o *goja.Object) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(o), l.objectSelf))[0]
}

// SameKind tells whether goja implements two objects by the same type.
func (l *Layout) SameKind(a, b *goja.Object) bool { return l.kind(a) == l.kind(b) }

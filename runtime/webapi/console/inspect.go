package console

import (
	"fmt"
	"math"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/host"
)

// Unlimited is the value of limits that are off.
const Unlimited = math.MaxInt

// CompactFully is the value of Options.Compact that JavaScript calls true.
const CompactFully = -1

// Options are those of util.inspect. Start from [Defaults].
type Options struct {
	ShowHidden bool
	// Depth is how many levels of objects are opened.
	Depth int
	// Colors adds ANSI colours.
	Colors bool
	// CustomInspect calls a value's own Symbol.for("nodejs.util.inspect.custom").
	CustomInspect bool
	ShowProxy     bool
	// MaxArrayLength and MaxStringLength limit entries and characters.
	MaxArrayLength, MaxStringLength int
	BreakLength                     int
	// Compact is how many inner levels may share a line; 0 gives every property a line, see also CompactFully.
	Compact int
	Sorted  bool
	// Less orders properties when Sorted is set; nil is the order of code units.
	Less func(a, b string) bool
	// Getters are the accessors that are called: "", "all", "get" or "set".
	Getters          string
	NumericSeparator bool
	// Function is what custom inspection functions get as util.inspect; nil is one made here.
	Function goja.Value
	// User is the options object of the caller, handed on to custom inspection functions; may be nil.
	User *goja.Object
}

// Defaults are Node's options.
func Defaults() Options {
	return Options{Depth: 2, CustomInspect: true, MaxArrayLength: 100, MaxStringLength: 10000, BreakLength: 80,
		Compact: 3}
}

// Inspect shows a value.
func Inspect(h *host.Host, v goja.Value, o Options) string {
	return finish(newInspector(h, o).value(v, 0, false), o.Colors)
}

func finish(s string, colors bool) string {
	if colors {
		return coloured(s)
	}
	return plain(s)
}

// maxNesting is how deep the inspector goes before it gives up, as V8 gives up when its stack is full. All levels
// around a level indent and copy it, so the work grows with the third power of the depth.
const maxNesting = 500

// maxOutput is the size of text past which only the outlines of objects are shown.
const maxOutput = 1 << 27

type inspector struct {
	Options
	h *host.Host
	*intrinsics
	indent   int
	seen     []*goja.Object
	circular map[*goja.Object]int
	deepest  int
	budget   map[int]int
}

func newInspector(h *host.Host, o Options) *inspector {
	return &inspector{Options: o, h: h, intrinsics: intrinsicsOf(h), budget: map[int]int{}}
}

// value shows any value at a level of nesting; inTyped says that it is the buffer of a typed array that is shown around
// it.
func (i *inspector) value(v goja.Value, level int, inTyped bool) string {
	i.h.Loop.Poll()
	obj, ok := v.(*goja.Object)
	if !ok {
		return i.primitive(v)
	}
	context, proxies := obj, 0
	for {
		target, isProxy := proxyTarget(obj)
		if !isProxy {
			break
		}
		if target == nil {
			return i.wrapProxies(mark("<Revoked Proxy>", styleSpecial), proxies)
		}
		if i.ShowProxy {
			return i.proxy(obj, level)
		}
		obj = target
		proxies++
	}
	if i.platformObject(obj) {
		// The platform makes some of its objects from proxies. They are shown as what they stand for.
		proxies = 0
	}
	if i.CustomInspect {
		if s, done := i.custom(context, obj, level, proxies); done {
			return s
		}
	}
	for _, s := range i.seen {
		if s == obj {
			return mark(fmt.Sprintf("[Circular *%d]", i.reference(obj)), styleSpecial)
		}
	}
	return i.wrapProxies(i.object(obj, level, inTyped), proxies)
}

func (i *inspector) wrapProxies(s string, n int) string {
	return strings.Repeat(mark("Proxy(", styleSpecial), n) + s + strings.Repeat(mark(")", styleSpecial), n)
}

// reference numbers an object that is referred to from inside itself.
func (i *inspector) reference(obj *goja.Object) int {
	if i.circular == nil {
		i.circular = map[*goja.Object]int{}
	}
	n, ok := i.circular[obj]
	if !ok {
		n = len(i.circular) + 1
		i.circular[obj] = n
	}
	return n
}

// proxyTarget tells whether obj is a Proxy, and its target (nil when revoked).
func proxyTarget(obj *goja.Object) (*goja.Object, bool) {
	if obj.ExportType() != gojainternals.ProxyType {
		return nil, false
	}
	p, ok := obj.Export().(goja.Proxy)
	if !ok {
		return nil, false
	}
	return p.Target(), true
}

func (i *inspector) proxy(obj *goja.Object, level int) string {
	if level > i.Depth {
		return mark("Proxy [Array]", styleSpecial)
	}
	p := obj.Export().(goja.Proxy)
	i.indent += 2
	out := []string{i.value(p.Target(), level+1, false), i.value(p.Handler(), level+1, false)}
	i.indent -= 2
	return i.join(layout{output: out, braces: [2]string{"Proxy [", "]"}, grouped: true}, level+1)
}

// custom asks the value's own inspection function; done is false when it has none.
func (i *inspector) custom(context, obj *goja.Object, level, proxies int) (s string, done bool) {
	f, ok := goja.AssertFunction(obj.GetSymbol(i.customSymbol))
	if !ok {
		return "", false
	}
	// Prototypes have the function too, but it is meant for instances.
	if c, ok := obj.Get("constructor").(*goja.Object); ok && c.Get("prototype") == goja.Value(obj) {
		return "", false
	}
	rt := i.h.Runtime()
	var depth goja.Value = goja.Null()
	if i.Depth != Unlimited {
		depth = rt.ToValue(i.Depth - level)
	}
	options := i.optionsObject(depth)
	function := i.Function
	if function == nil {
		function = i.inspectFunction
	}
	res, err := f(context, depth, options, function)
	if err != nil {
		panic(err)
	}
	if res == goja.Value(context) {
		return "", false
	}
	if text, ok := res.(goja.String); ok {
		return strings.ReplaceAll(text.String(), "\n", "\n"+strings.Repeat(" ", i.indent)), true
	}
	return i.value(res, level, false), true
}

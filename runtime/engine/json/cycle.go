package json

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// CircularText is V8's text for the cycle that JSON.stringify met: the first one in property order from its argument.
// constructor gives the name of an object's constructor.
func CircularText(rt *goja.Runtime, argument goja.Value, constructor func(*goja.Object) string) string {
	const title = "Converting circular structure to JSON"
	root, ok := argument.(*goja.Object)
	if !ok {
		return title
	}
	f := cycleFinder{seen: map[*goja.Object]bool{}}
	if ex := rt.Try(func() { f.visit(root, "") }); ex != nil || f.start < 0 {
		return title
	}
	var b strings.Builder
	b.WriteString(title)
	name := func(o *goja.Object) string { return "object with constructor '" + constructor(o) + "'" }
	b.WriteString("\n    --> starting at " + name(f.path[f.start].object))
	line := func(s cycleStep) { b.WriteString("\n    |     " + s.key + " -> " + name(s.object)) }
	// V8 shows the first two steps and the last one.
	n := len(f.path)
	prefix := min(n, f.start+3)
	i := f.start + 1
	for ; i < prefix; i++ {
		line(f.path[i])
	}
	if n > prefix+1 {
		b.WriteString("\n    |     ...")
	}
	for i = max(i, n-1); i < n; i++ {
		line(f.path[i])
	}
	b.WriteString("\n    --- " + f.closing + " closes the circle")
	return b.String()
}

type cycleStep struct {
	object *goja.Object
	key    string
}

type cycleFinder struct {
	path    []cycleStep
	seen    map[*goja.Object]bool // objects from which no cycle can be reached
	start   int
	closing string
}

func (f *cycleFinder) visit(o *goja.Object, key string) bool {
	f.start = -1
	for i, s := range f.path {
		if s.object == o {
			f.start, f.closing = i, key
			return true
		}
	}
	if f.seen[o] {
		return false
	}
	f.path = append(f.path, cycleStep{o, key})
	array := o.ClassName() == "Array"
	for _, k := range o.Keys() {
		child, ok := o.Get(k).(*goja.Object)
		if !ok {
			continue
		}
		if _, callable := goja.AssertFunction(child); callable {
			continue
		}
		text := "property '" + k + "'"
		if _, err := strconv.Atoi(k); array && err == nil {
			text = "index " + k
		}
		if f.visit(child, text) {
			return true
		}
	}
	f.path = f.path[:len(f.path)-1]
	f.seen[o] = true
	return false
}

package console

import (
	"sort"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/lazyregexp"
)

var plainKey = lazyregexp.New(`^[a-zA-Z_][a-zA-Z_0-9]*$`)

// property shows an own property with its key, or an array's element without.
func (i *inspector) property(obj *goja.Object, key goja.Value, level int, extra bool) string {
	p := i.own(obj, key)
	if !p.ok {
		p = property{value: i.rt.ToValue(obj).ToObject(i.rt).Get(key.String()), enumerable: true}
	}
	return i.written(p, obj, key, level, extra)
}

// written shows a property by its descriptor. A getter is called on this.
func (i *inspector) written(p property, this *goja.Object, key goja.Value, level int, extra bool) string {
	text, space := i.propertyValue(p, this, level, extra)
	var name string
	switch k := key.(type) {
	case *goja.Symbol:
		name = mark(escapeControl(symbolText(k)), styleSymbol)
	default:
		s := k.String()
		switch {
		case s == "__proto__":
			name = "['__proto__']"
		case plainKey.MatchString(s):
			name = s
		default:
			name = mark(quote(key), styleString)
		}
	}
	if !p.enumerable {
		name = "[" + name + "]"
	}
	return name + ":" + space + text
}

// propertyValue shows the value of a property, and what stands between key and value.
func (i *inspector) propertyValue(p property, this *goja.Object, level int, extra bool) (text, space string) {
	space = " "
	switch {
	case p.value != nil:
		diff := 2
		if i.Compact == CompactFully && !extra {
			diff = 3
		}
		i.indent += diff
		text = i.value(p.value, level, false)
		if diff == 3 && i.BreakLength < width(text) {
			space = "\n" + strings.Repeat(" ", i.indent)
		}
		i.indent -= diff
	case p.get != nil:
		label := "Getter"
		if p.set != nil {
			label = "Getter/Setter"
		}
		if i.Getters == "all" || i.Getters == "get" && p.set == nil || i.Getters == "set" && p.set != nil {
			return i.called(p.get, this, label, level), space
		}
		text = mark("["+label+"]", styleSpecial)
	case p.set != nil:
		text = mark("[Setter]", styleSpecial)
	default:
		text = mark("undefined", styleUndefined)
	}
	return text, space
}

// called shows what a getter gives.
func (i *inspector) called(get goja.Value, this *goja.Object, label string, level int) string {
	open, end := mark("["+label+":", styleSpecial), mark("]", styleSpecial)
	f, _ := goja.AssertFunction(get)
	v, err := f(this)
	if err != nil {
		thrown := i.h.Realm.ErrorValue(err)
		message := thrown.String()
		if e, ok := thrown.(*goja.Object); ok && i.isError(e) {
			message = e.Get("message").String()
		}
		return open + " <Inspection threw (" + message + ")>" + end
	}
	i.indent += 2
	defer func() { i.indent -= 2 }()
	if obj, ok := v.(*goja.Object); ok {
		return mark("["+label+"]", styleSpecial) + " " + i.value(obj, level, false)
	}
	return open + " " + i.primitive(v) + end
}

// sort orders the properties; an array's elements stay where they are.
func (i *inspector) sort(s *shape) {
	list := s.output
	if s.grouped {
		list = list[len(list)-len(s.keys):]
	}
	less := i.Less
	if less == nil {
		less = func(a, b string) bool { return a < b }
	}
	sort.SliceStable(list, func(a, b int) bool { return less(plain(list[a]), plain(list[b])) })
}

package console

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// iterator shows what an iterator of a Map or a Set would still give. The iterator stays where it is.
func (i *inspector) iterator(s *shape, it gojainternals.Iterator) (string, bool) {
	s.keys = i.keysOf(s.obj)
	tag := s.tag
	if own := it.Of + " Iterator"; tag != own {
		if tag != "" {
			tag += "] ["
		}
		tag += own
	}
	if it.Pairs {
		tag = strings.TrimSuffix(tag, " Iterator") + " Entries"
	}
	s.braces[0] = "[" + tag + "] {"
	s.entries = func(level int) []string {
		items, more := i.ahead(s.obj, it)
		var out []string
		i.indent += 2
		for _, item := range items {
			if !it.Pairs {
				out = append(out, i.value(item, level, false))
				continue
			}
			pair := item.(*goja.Object)
			parts := []string{i.value(pair.Get("0"), level, false), i.value(pair.Get("1"), level, false)}
			out = append(out, i.join(layout{output: parts, braces: [2]string{"[", "]"}, grouped: true}, level))
		}
		i.indent -= 2
		if more > 0 {
			out = append(out, moreItems(more))
		}
		return out
	}
	return "", false
}

// ahead are the items to show that an iterator would give, and how many come after them.
func (i *inspector) ahead(obj *goja.Object, it gojainternals.Iterator) (items []goja.Value, more int) {
	next := i.mapNext
	if it.Of == "Set" {
		next = i.setNext
	}
	limit := max(i.MaxArrayLength, 0)
	i.internals.Ahead(it, func() {
		for {
			i.h.Loop.Poll()
			step := must(next(obj)).(*goja.Object)
			switch {
			case step.Get("done").ToBoolean():
				return
			case len(items) < limit:
				items = append(items, step.Get("value"))
			default:
				more++
			}
		}
	})
	return items, more
}

package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/lazyregexp"
)

// frameStart is where the stack begins in the text of an error.
const frameStart = "\n    at"

var (
	errorName   = lazyregexp.New(`^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)`)
	errorEnding = lazyregexp.New(`^([a-z_A-Z0-9-]*Error)$`)
	moduleName  = lazyregexp.New(`([/\\]node_modules[/\\])([^/\\]+)`)
)

func (i *inspector) isError(obj *goja.Object) bool {
	return obj.ClassName() == "Error" || i.instance(obj, i.errorClass)
}

// stackOf is the error's stack with its first line, or name and message if it has none.
func (i *inspector) stackOf(obj *goja.Object) string {
	stack := obj.Get("stack")
	if name, message, ok := i.h.Realm.DOMExceptionParts(obj); ok {
		// The stack was taken before the error had its name.
		text := name
		if message != "" {
			text += ": " + message
		}
		if s, ok := stack.(goja.String); ok {
			if at := strings.Index(s.String(), "\n"); at >= 0 {
				text += s.String()[at:]
			}
		}
		return text
	}
	if s, ok := stack.(goja.String); ok && s.Length() > 0 {
		return strings.TrimRight(s.String(), "\n")
	}
	if o, ok := stack.(*goja.Object); ok {
		return plain(i.value(o, Unlimited, false))
	}
	return must(i.errorText(obj)).String()
}

// failure is the text of an error. It is the stack, with additions where that says too little. failure also decides
// which properties are shown after it.
func (i *inspector) failure(s *shape) string {
	obj := s.obj
	name := "Error"
	if v := obj.Get("name"); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
		name = v.String()
	}
	stack := i.stackOf(obj)
	i.dropRepeated(s, stack)
	has := func(key string) bool {
		return slices.ContainsFunc(s.keys, func(k goja.Value) bool { return k.String() == key })
	}
	if obj.Get("cause") != nil && !has("cause") {
		s.keys = append(s.keys, i.rt.ToValue("cause"))
	}
	if list, ok := obj.Get("errors").(*goja.Object); ok && list.ClassName() == "Array" && !has("errors") {
		s.keys = append(s.keys, i.rt.ToValue("errors"))
	}
	stack = improved(stack, s.class, name, s.tag)

	from := 0
	if message, ok := obj.Get("message").(goja.String); ok && message.Length() > 0 {
		if at := strings.Index(stack, message.String()); at > 0 {
			from = at + len(message.String())
		}
	}
	if at := strings.Index(stack[from:], frameStart); at < 0 {
		stack = "[" + stack + "]"
	} else {
		head, frames := stack[:from+at], strings.Split(stack[from+at+1:], "\n")
		frames = i.withoutCauseFrames(obj, frames)
		for k := range frames {
			frames[k] = moduleName.ReplaceAllString(frames[k], "${1}"+mark("${2}", styleModule))
		}
		stack = head + "\n" + strings.Join(frames, "\n")
	}
	if i.indent > 0 {
		stack = strings.ReplaceAll(stack, "\n", "\n"+strings.Repeat(" ", i.indent))
	}
	return stack
}

// dropRepeated hides own properties that the stack says already.
func (i *inspector) dropRepeated(s *shape, stack string) {
	if i.ShowHidden {
		return
	}
	_, _, dom := i.h.Realm.DOMExceptionParts(s.obj)
	s.keys = slices.DeleteFunc(s.keys, func(key goja.Value) bool {
		switch name := key.String(); name {
		case "code":
			return dom
		case "name", "message", "stack":
			if dom {
				return true
			}
			v, ok := s.obj.Get(name).(goja.String)
			return !ok || strings.Contains(stack, v.String())
		}
		return false
	})
}

// improved puts the class into the first line where that tells more than the name.
func improved(stack string, class *string, name, tag string) string {
	n := len(name)
	regular := strings.HasSuffix(name, "Error") && strings.HasPrefix(stack, name) &&
		(len(stack) == n || stack[n] == ':' || stack[n] == '\n')
	if class != nil && !regular {
		return stack
	}
	fallback := "Error"
	if class == nil {
		found := errorName.FindStringSubmatch(stack)
		if found == nil {
			found = errorEnding.FindStringSubmatch(stack)
		}
		n = 0
		if found != nil {
			fallback, n = found[1], len(found[1])
		}
	}
	p := strings.TrimSuffix(prefix(class, tag, fallback, ""), " ")
	switch {
	case name == p:
		return stack
	case !strings.Contains(p, name):
		return p + " [" + name + "]" + stack[n:]
	case n == 0:
		return p + ": " + stack
	}
	return p + stack[n:]
}

// withoutCauseFrames leaves out the frames that the stack of the cause has too.
func (i *inspector) withoutCauseFrames(obj *goja.Object, frames []string) []string {
	cause, ok := obj.Get("cause").(*goja.Object)
	if !ok || !i.isError(cause) {
		return frames
	}
	stack := i.stackOf(cause)
	at := strings.Index(stack, frameStart)
	if at < 0 {
		return frames
	}
	from, n := commonRun(frames, strings.Split(stack[at+1:], "\n"))
	if n == 0 {
		return frames
	}
	note := mark(fmt.Sprintf("    ... %d lines matching cause stack trace ...", n-2), styleUndefined)
	return slices.Replace(slices.Clone(frames), from+1, from+n-1, note)
}

// commonRun finds the first run of more than three lines of a that stands in b too.
func commonRun(a, b []string) (from, n int) {
	for k := 0; k < len(a)-3; k++ {
		at := slices.Index(b, a[k])
		if at < 0 || len(b)-at <= 3 {
			continue
		}
		n := 1
		for n < min(len(a)-k, len(b)-at) && a[k+n] == b[at+n] {
			n++
		}
		if n > 3 {
			return k, n
		}
	}
	return 0, 0
}

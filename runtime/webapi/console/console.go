package console

import (
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// groupIndent is what a group shifts its lines by.
const groupIndent = "  "

// printer is the console of one isolate.
type printer struct {
	// args are those of the method that prints now.
	args   []goja.Value
	h      *host.Host
	indent string
	counts map[string]int
	timers map[string]time.Time
}

// Install defines the global console.
func Install(h *host.Host) {
	p := &printer{h: h, counts: map[string]int{}, timers: map[string]time.Time{}}
	intrinsicsOf(h)
	rt := h.Runtime()
	console := rt.NewObject()
	method := func(name string, f func(args []goja.Value)) {
		_ = console.Set(name, h.Realm.Function(name, func(fc goja.FunctionCall) goja.Value {
			f(fc.Arguments)
			return goja.Undefined()
		}))
	}
	for _, level := range []host.ConsoleLevel{
		host.LevelDebug, host.LevelError, host.LevelInfo, host.LevelLog, host.LevelWarn} {
		method(string(level), func(args []goja.Value) { p.log(level, args) })
	}
	method("dir", func(args []goja.Value) { p.dir(args) })
	method("dirxml", func(args []goja.Value) { p.log(host.LevelLog, args) })
	method("table", func(args []goja.Value) { p.table(args) })
	method("trace", func(args []goja.Value) { p.trace(args) })
	group := func(args []goja.Value) {
		if len(args) > 0 {
			p.log(host.LevelLog, args)
		}
		p.indent += groupIndent
	}
	method("group", group)
	method("groupCollapsed", group)
	method("groupEnd", func([]goja.Value) { p.indent = strings.TrimSuffix(p.indent, groupIndent) })
	// These methods concern a browser's tools and do nothing here.
	for _, name := range []string{"clear", "profile", "profileEnd", "timeStamp"} {
		method(name, func([]goja.Value) {})
	}
	method("count", func(args []goja.Value) {
		label := labelOf(args)
		p.counts[label]++
		p.print(host.LevelLog, label+": "+strconv.Itoa(p.counts[label]))
	})
	method("countReset", func(args []goja.Value) {
		label := labelOf(args)
		if _, ok := p.counts[label]; !ok {
			p.print(host.LevelWarn, "Count for '"+label+"' does not exist")
		}
		delete(p.counts, label)
	})
	method("assert", func(args []goja.Value) { p.assert(args) })
	method("time", func(args []goja.Value) {
		label := labelOf(args)
		if _, ok := p.timers[label]; ok {
			p.print(host.LevelWarn, "Timer '"+label+"' already exists")
			return
		}
		p.timers[label] = h.Loop.Clock().Now()
	})
	method("timeEnd", func(args []goja.Value) { p.elapsed(args, true) })
	method("timeLog", func(args []goja.Value) { p.elapsed(args, false) })
	_ = console.DefineDataPropertySymbol(
		goja.SymToStringTag, rt.ToValue("console"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = rt.GlobalObject().DefineDataProperty("console", console, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

func labelOf(args []goja.Value) string {
	if len(args) == 0 || goja.IsUndefined(args[0]) {
		return "default"
	}
	return webidl.ToString(args[0])
}

// log formats and prints. If formatting throws (a custom inspection function, a toString), the error is printed and
// not thrown: logging must not fail the program.
func (p *printer) log(level host.ConsoleLevel, args []goja.Value) {
	p.args = args
	reserve(p.h, args)
	p.guarded(level, func() string { return format(p.h, args, Defaults()) })
	p.args = nil
}

func (p *printer) guarded(level host.ConsoleLevel, text func() string) {
	var s string
	if thrown := p.h.Realm.Try(func() { s = text() }); thrown != nil {
		what := thrown.String()
		if obj, ok := thrown.(*goja.Object); ok {
			if stack, ok := obj.Get("stack").(goja.String); ok {
				what = stack.String()
			}
		}
		s = "<Formatting threw (" + what + ")>"
	}
	p.print(level, s)
}

// print hands marked text to the host.
func (p *printer) print(level host.ConsoleLevel, marked string) {
	if p.h.Log == nil {
		return
	}
	if p.indent != "" {
		marked = p.indent + strings.ReplaceAll(marked, "\n", "\n"+p.indent)
	}
	e := host.ConsoleLine{
		Level: level, Time: p.h.Loop.Clock().Now(), Text: plain(marked), Args: p.args, Scope: p.h.Loop.Scope()}
	if e.Text != marked {
		e.Coloured = coloured(marked)
	}
	p.h.Log(e)
}

func (p *printer) dir(args []goja.Value) {
	if len(args) == 0 {
		p.print(host.LevelLog, mark("undefined", styleUndefined))
		return
	}
	o := Defaults()
	if len(args) > 1 {
		options, _ := args[1].(*goja.Object)
		o = o.Override(options)
	}
	o.CustomInspect = false
	p.guarded(host.LevelLog, func() string { return newInspector(p.h, o).value(args[0], 0, false) })
}

// trace prints where it was called. Node has it on stderr, but it is no failure.
func (p *printer) trace(args []goja.Value) {
	stack := ""
	if s, ok := p.h.Realm.NewError("Error", "").Get("stack").(goja.String); ok {
		for line := range strings.Lines(s.String()) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "at ") && !strings.Contains(line, "(native)") {
				stack += "\n    " + line
			}
		}
	}
	p.guarded(host.LevelLog, func() string {
		if len(args) == 0 {
			return "Trace" + stack
		}
		return "Trace: " + format(p.h, args, Defaults()) + stack
	})
}

func (p *printer) assert(args []goja.Value) {
	if len(args) > 0 && args[0].ToBoolean() {
		return
	}
	rest := args[min(1, len(args)):]
	p.guarded(host.LevelError, func() string {
		if len(rest) == 0 {
			return "Assertion failed"
		}
		if first, ok := rest[0].(goja.String); ok {
			// The text may have placeholders, so it stays the first argument.
			with := append([]goja.Value{p.h.Runtime().ToValue("Assertion failed: " + first.String())}, rest[1:]...)
			return format(p.h, with, Defaults())
		}
		return "Assertion failed " + format(p.h, rest, Defaults())
	})
}

// elapsed prints the time since console.time, by the loop's clock.
func (p *printer) elapsed(args []goja.Value, end bool) {
	label := labelOf(args)
	start, ok := p.timers[label]
	if !ok {
		p.print(host.LevelWarn, "Timer '"+label+"' does not exist")
		return
	}
	text := label + ": " + duration(p.h.Loop.Clock().Now().Sub(start))
	if end {
		delete(p.timers, label)
	} else if len(args) > 1 {
		p.guarded(host.LevelLog, func() string { return text + " " + format(p.h, args[1:], Defaults()) })
		return
	}
	p.print(host.LevelLog, text)
}

// duration is "12.345ms", "1.234s", "1:02.345 (m:ss.mmm)" or "1:02:03 (h:mm:ss)".
func duration(d time.Duration) string {
	fixed := func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }
	two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
	switch {
	case d < time.Second:
		ms := strings.TrimRight(fixed(float64(d)/float64(time.Millisecond)), "0")
		return strings.TrimSuffix(ms, ".") + "ms"
	case d < time.Minute:
		return fixed(d.Seconds()) + "s"
	case d < time.Hour:
		s := d % time.Minute
		return strconv.Itoa(int(d/time.Minute)) + ":" + two(int(s.Seconds())) + fixed((s % time.Second).Seconds())[1:] +
			" (m:ss.mmm)"
	}
	d = d.Round(time.Second)
	return strconv.Itoa(int(d/time.Hour)) + ":" + two(int(d%time.Hour/time.Minute)) + ":" +
		two(int(d%time.Minute/time.Second)) + " (h:mm:ss)"
}

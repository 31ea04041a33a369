package worker

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
)

const (
	printedDepth = 8
	printedText  = 1024 // bytes of one text
	cutMark      = "…"
)

// Printable is a JSON array of values, for people and for comparison: of about limit bytes, beyond which it is cut,
// with "…" in place of what is missing. Types that JSON lacks are named. The values are copies (of RPC, of storage): it
// calls no code of a script's.
func Printable(r *webidl.Realm, values []goja.Value, limit int) string {
	p := printer{realm: r, left: limit}
	p.list(len(values), func(i int) goja.Value { return values[i] }, printedDepth)
	return p.out.String()
}

// printedArguments bounds what is noted of the arguments of a call.
const printedArguments = 4 << 10

// NoteArguments notes those of an RPC call. The entry may be nil.
func (iso *Isolate) NoteArguments(e *journal.Entry, args []goja.Value) {
	if e != nil && len(args) > 0 {
		e.RPCArguments = Printable(iso.Realm, args, printedArguments)
	}
}

type printer struct {
	realm *webidl.Realm
	out   bytes.Buffer
	left  int
}

func (p *printer) text(s string) {
	if len(s) > printedText {
		s = s[:printedText] + cutMark
	}
	from := p.out.Len()
	enc := json.NewEncoder(&p.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text always encodes, what is no UTF-8 as U+FFFD
	p.out.Truncate(p.out.Len() - 1)
	p.left -= p.out.Len() - from
}

func (p *printer) raw(s string) {
	p.out.WriteString(s)
	p.left -= len(s)
}

func (p *printer) list(n int, at func(int) goja.Value, depth int) {
	p.raw("[")
	for i := range n {
		if i > 0 {
			p.raw(",")
		}
		if p.left <= 0 {
			p.text(cutMark)
			break
		}
		p.value(at(i), depth)
	}
	p.raw("]")
}

func (p *printer) value(v goja.Value, depth int) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		p.raw("null")
		return
	}
	if obj, ok := v.(*goja.Object); ok {
		p.object(obj, depth)
		return
	}
	switch x := webidl.Primitive(v).(type) {
	case bool:
		p.raw(strconv.FormatBool(x))
	case int64:
		p.raw(strconv.FormatInt(x, 10))
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			p.text(v.String())
			return
		}
		b, _ := json.Marshal(x) // it is finite
		p.raw(string(b))
	default:
		p.text(v.String())
	}
}

func (p *printer) object(o *goja.Object, depth int) {
	class := o.ClassName()
	switch {
	case depth == 0:
		p.text(cutMark)
		return
	case o.ExportType() == gojainternals.ProxyType || p.realm.State(o) != nil || class == "Function":
		p.text("[" + class + "]")
		return
	}
	if b, ok := p.realm.Bytes(o); ok {
		cut := len(b) > printedText/2
		text := base64.StdEncoding.EncodeToString(b[:min(len(b), printedText/2)])
		if cut {
			text += cutMark
		}
		p.raw(`{"base64":`)
		p.text(text)
		p.raw("}")
		return
	}
	if kind := o.ExportType().Kind(); class == "Object" && kind == reflect.Slice { // the engine calls both Object
		class = "Set"
		if _, ok := o.Export().([][2]any); ok {
			class = "Map"
		}
	}
	switch class {
	case "Array":
		p.list(int(o.Get("length").ToInteger()), func(i int) goja.Value { return o.Get(strconv.Itoa(i)) }, depth-1)
		return
	case "Date":
		if t, ok := o.Export().(time.Time); ok {
			p.text(t.UTC().Format("2006-01-02T15:04:05.000Z"))
			return
		}
	case "Error":
		p.text(o.Get("name").String() + ": " + o.Get("message").String())
		return
	case "Map", "Set", "RegExp", "Boolean", "Number", "String", "BigInt":
		b, err := json.Marshal(o.Export())
		if err != nil || len(b) > printedText {
			p.text("[" + class + "]")
			return
		}
		p.raw(`{"` + class + `":` + string(b) + "}")
		return
	}
	p.raw("{")
	for i, name := range o.Keys() {
		if i > 0 {
			p.raw(",")
		}
		if p.left <= 0 {
			p.raw(`"` + cutMark + `":true`)
			break
		}
		p.text(name)
		p.raw(":")
		p.value(o.Get(name), depth-1)
	}
	p.raw("}")
}

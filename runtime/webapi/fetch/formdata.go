package fetch

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/url"
)

// FormData is the state of a FormData object: entries in order.
type FormData struct {
	k       *classes
	entries []formEntry
}

// formEntry has a file or a text.
type formEntry struct {
	name string
	text string
	file *goja.Object
}

func (k *classes) entryValue(e formEntry) goja.Value {
	if e.file != nil {
		return e.file
	}
	return k.h.Runtime().ToValue(e.text)
}

func (f *FormData) encode(boundary string) []byte {
	parts := make([]part, 0, len(f.entries))
	for _, e := range f.entries {
		if e.file == nil {
			parts = append(parts, part{name: e.name, data: []byte(e.text)})
			continue
		}
		file, _ := webidl.StateOf[*File](f.k.h.Realm, e.file)
		parts = append(parts,
			part{name: e.name, isFile: true, filename: file.Name, contentType: file.Type, data: file.Data})
	}
	b, err := encodeMultipart(parts, boundary)
	if err != nil {
		f.k.h.Realm.ThrowType("%s", err)
	}
	return b
}

// parseForm makes the entries of a body of that Content-Type.
func (k *classes) parseForm(body []byte, contentType string) *FormData {
	out := &FormData{k: k}
	m, _ := parseMIME(contentType)
	switch m.essence() {
	case "multipart/form-data":
		boundary, ok := m.param("boundary")
		if !ok {
			k.h.Realm.ThrowType("No boundary string in Content-Type header. The multipart/form-data MIME type " +
				"requires a boundary parameter, e.g. 'Content-Type: multipart/form-data; boundary=\"abcd\"'. See RFC " +
				"7578, section 4.")
		}
		parts, err := parseMultipart(body, boundary)
		if err != nil {
			k.h.Realm.ThrowType("%s", err)
		}
		for _, p := range parts {
			e := formEntry{name: encoding.DecodeUTF8([]byte(p.name))}
			if p.isFile && (k.h.Flag == nil || k.h.Enabled("formdata_parser_supports_files")) {
				e.file = k.newFile(
					append([]byte(nil), p.data...), encoding.DecodeUTF8([]byte(p.filename)), p.contentType)
			} else {
				e.text = encoding.DecodeUTF8(p.data)
			}
			out.entries = append(out.entries, e)
		}
	case "application/x-www-form-urlencoded":
		if cs, ok := m.param("charset"); ok {
			switch strings.ToLower(cs) {
			case "utf-8", "utf8", "unicode-1-1-utf-8":
			default:
				k.h.Realm.ThrowType("Non-utf-8 application/x-www-form-urlencoded body.")
			}
		}
		for _, p := range url.ParseForm(encoding.DecodeUTF8(body)) {
			out.entries = append(out.entries, formEntry{name: p.Name, text: p.Value})
		}
	default:
		k.h.Realm.ThrowType("Unrecognized Content-Type header value. FormData can only parse the following MIME " +
			"types: multipart/form-data, application/x-www-form-urlencoded")
	}
	return out
}

func (k *classes) newFile(data []byte, name, typ string) *goja.Object {
	return k.file.Wrap(&File{Blob: Blob{Data: data, Type: typ}, Name: name, LastModified: k.now()})
}

// formArg reads (name, value, filename?) of append and set.
func (k *classes) formArg(c *webidl.Call) formEntry {
	e := formEntry{name: c.USVString(0)}
	v := c.Require(1, "File or Blob or string")
	blob, isBlob := webidl.StateOf[Blobber](k.h.Realm, v)
	_, isFile := blob.(*File)
	switch {
	case isFile && c.Missing(2):
		e.file = v.(*goja.Object)
	case isBlob:
		name := e.name
		if !c.Missing(2) {
			name = c.USVString(2)
		}
		e.file = k.newFile(blob.BaseBlob().Data, name, blob.BaseBlob().Type)
	default: // as on the platform, a name for the file is ignored then
		e.text = webidl.USVString(v)
	}
	return e
}

func (k *classes) defineFormData() {
	rt := k.h.Runtime()
	walk := func(item func(e formEntry) goja.Value) func(*FormData, *webidl.Call) goja.Value {
		return func(f *FormData, _ *webidl.Call) goja.Value {
			return k.iterateLive(func(i int) (goja.Value, bool) {
				if i >= len(f.entries) {
					return nil, false
				}
				return item(f.entries[i]), true
			})
		}
	}
	pair := func(e formEntry) goja.Value { return k.h.Realm.Array(rt.ToValue(e.name), k.entryValue(e)) }
	k.formData = k.h.Realm.Define(webidl.Spec{
		Name: "FormData",
		New: func(c *webidl.Call) any {
			if !c.Missing(0) {
				c.ThrowType("Failed to construct 'FormData': the constructor takes no form element here.")
			}
			return &FormData{k: k}
		},
		Members: []webidl.Member{
			webidl.Method("append", func(f *FormData, c *webidl.Call) goja.Value {
				f.entries = append(f.entries, k.formArg(c))
				return nil
			}),
			webidl.Method("delete", func(f *FormData, c *webidl.Call) goja.Value {
				name := c.USVString(0)
				f.entries = slices.DeleteFunc(f.entries, func(e formEntry) bool { return e.name == name })
				return nil
			}),
			webidl.Method("get", func(f *FormData, c *webidl.Call) goja.Value {
				name := c.USVString(0)
				for _, e := range f.entries {
					if e.name == name {
						return k.entryValue(e)
					}
				}
				return goja.Null()
			}),
			webidl.Method("getAll", func(f *FormData, c *webidl.Call) goja.Value {
				name := c.USVString(0)
				var all []any
				for _, e := range f.entries {
					if e.name == name {
						all = append(all, k.entryValue(e))
					}
				}
				return rt.NewArray(all...)
			}),
			webidl.Method("has", func(f *FormData, c *webidl.Call) goja.Value {
				name := c.USVString(0)
				return c.Value(slices.ContainsFunc(f.entries, func(e formEntry) bool { return e.name == name }))
			}),
			webidl.Method("set", func(f *FormData, c *webidl.Call) goja.Value {
				n := k.formArg(c)
				i := slices.IndexFunc(f.entries, func(e formEntry) bool { return e.name == n.name })
				if i < 0 {
					f.entries = append(f.entries, n)
					return nil
				}
				f.entries[i] = n
				rest := slices.DeleteFunc(f.entries[i+1:], func(e formEntry) bool { return e.name == n.name })
				f.entries = f.entries[:i+1+len(rest)]
				return nil
			}),
			webidl.Method("entries", walk(pair)),
			webidl.Method("keys", walk(func(e formEntry) goja.Value { return rt.ToValue(e.name) })),
			webidl.Method("values", walk(k.entryValue)),
			webidl.Method("forEach", func(f *FormData, c *webidl.Call) goja.Value {
				fn := c.Function(0)
				for i := 0; i < len(f.entries); i++ {
					e := f.entries[i]
					if _, err := fn(c.Arg(1), k.entryValue(e), rt.ToValue(e.name), c.This); err != nil {
						panic(err)
					}
				}
				return nil
			}),
			webidl.SymbolMethod(goja.SymIterator, "entries", walk(pair)),
		},
	}).Install()
}

package fetch

import (
	"math"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/streams"
)

// maxBlob is the platform's limit for one Blob, in bytes.
const maxBlob = 128 << 20

// Blob is the state of a Blob. The bytes are shared between slices and never changed.
type Blob struct {
	Data []byte
	Type string
}

// File is the state of a File.
type File struct {
	Blob
	Name string
	// LastModified is in milliseconds since 1970.
	LastModified float64
}

// Blobber is the state of a Blob or File.
type Blobber interface{ BaseBlob() *Blob }

// BaseBlob implements [Blobber].
func (b *Blob) BaseBlob() *Blob { return b }

// BlobOf is the blob behind a Blob or File object.
func BlobOf(h *host.Host, v goja.Value) (*Blob, bool) {
	b, ok := webidl.StateOf[Blobber](h.Realm, v)
	if !ok {
		return nil, false
	}
	return b.BaseBlob(), true
}

// NewBlob makes a Blob object that owns data.
func NewBlob(h *host.Host, data []byte, typ string) *goja.Object {
	return of(h).blob.Wrap(&Blob{Data: data, Type: typ})
}

// NormalType is the type that a Blob keeps of one it was given: empty for types with control characters, else in lower
// case.
func NormalType(t string) string {
	for i := range len(t) {
		if t[i] < 0x20 || t[i] >= 0x80 {
			return ""
		}
	}
	return strings.ToLower(t)
}

// parts concatenates the sequence of blob parts in argument 0.
func (k *classes) parts(c *webidl.Call) []byte {
	if c.Missing(0) {
		return nil
	}
	list, ok := c.Arg(0).(*goja.Object)
	if !ok {
		c.ThrowNotOfType(0, "Array")
	}
	var items []goja.Value
	c.Runtime().ForOf(list, func(v goja.Value) bool {
		items = append(items, v)
		return true
	})
	if len(items) == 1 {
		if b, ok := BlobOf(k.h, items[0]); ok {
			return b.Data
		}
	}
	var out []byte
	for _, v := range items {
		var piece []byte
		if b, ok := BlobOf(k.h, v); ok {
			piece = b.Data
		} else if view, ok := k.h.Realm.BufferView(v); ok {
			if k.h.Enabled("no_resizable_array_buffer_in_blob") && resizable(view.Object) {
				c.ThrowType("Cannot create a Blob with a resizable ArrayBuffer")
			}
			piece = view.Bytes()
		} else {
			piece = k.utf8(v)
		}
		if len(out)+len(piece) > maxBlob {
			c.Realm().ThrowError("RangeError", "Blob size %d exceeds limit %d", len(out)+len(piece), maxBlob)
		}
		if grown := len(out) + len(piece); grown > cap(out) {
			k.h.Realm.Need(2 * grown)
		}
		out = append(out, piece...)
	}
	return out
}

func resizable(buffer *goja.Object) bool {
	v := buffer.Get("resizable")
	return v != nil && v.ToBoolean()
}

func blobOptions(c *webidl.Call, i int) (o *goja.Object, typ string) {
	o = c.Object(i, "Options")
	if v := webidl.Option(o, "type"); v != nil {
		typ = NormalType(webidl.ToString(v))
	}
	if webidl.Option(o, "endings") != nil {
		c.Realm().ThrowError("Error", "The 'endings' field on 'Options' is not implemented.")
	}
	return o, typ
}

// slice is Blob.slice: negative positions count from the end.
func (b *Blob) slice(r *webidl.Realm, c *webidl.Call) *Blob {
	n := len(b.Data)
	at := func(i, missing int) int {
		if c.Missing(i) {
			return missing
		}
		p := int(r.Int32(c.Arg(i)))
		if p < 0 {
			p += n
		}
		return min(max(p, 0), n)
	}
	start := at(0, 0)
	end := max(at(1, n), start)
	typ := ""
	if !c.Missing(2) {
		typ = NormalType(c.String(2))
	}
	return &Blob{Data: b.Data[start:end:end], Type: typ}
}

func (k *classes) defineBlob() {
	r := k.h.Realm
	clone := func(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }
	k.blob = r.Define(webidl.Spec{
		Name: "Blob",
		New: func(c *webidl.Call) any {
			_, typ := blobOptions(c, 1)
			return &Blob{Data: k.parts(c), Type: typ}
		},
		Members: []webidl.Member{
			webidl.Getter("size",
				func(b Blobber, c *webidl.Call) goja.Value { return c.Value(len(b.BaseBlob().Data)) }),
			webidl.Getter("type", func(b Blobber, c *webidl.Call) goja.Value { return c.Value(b.BaseBlob().Type) }),
			webidl.Method("slice",
				func(b Blobber, c *webidl.Call) goja.Value { return k.blob.Wrap(b.BaseBlob().slice(r, c)) }),
			webidl.Async("arrayBuffer", func(b Blobber, _ *webidl.Call) goja.Value {
				r.Need(len(b.BaseBlob().Data))
				return r.ArrayBuffer(clone(b.BaseBlob().Data))
			}),
			webidl.Async("bytes", func(b Blobber, _ *webidl.Call) goja.Value {
				r.Need(len(b.BaseBlob().Data))
				return r.Uint8Array(clone(b.BaseBlob().Data))
			}),
			webidl.Async("text", func(b Blobber, c *webidl.Call) goja.Value {
				r.Need(3 * len(b.BaseBlob().Data))
				return c.Value(encoding.DecodeUTF8(b.BaseBlob().Data))
			}),
			webidl.Method("stream", func(b Blobber, _ *webidl.Call) goja.Value {
				return streams.FromBytes(k.h, b.BaseBlob().Data)
			}),
		},
	}).Install()
	k.file = r.Define(webidl.Spec{
		Name: "File", Parent: k.blob,
		New: func(c *webidl.Call) any {
			data := k.parts(c)
			if len(c.Args) < 2 {
				c.ThrowNotOfType(1, "string")
			}
			o, typ := blobOptions(c, 2)
			f := &File{Blob: Blob{Data: data, Type: typ}, Name: c.USVString(1), LastModified: k.now()}
			if v := webidl.Option(o, "lastModified"); v != nil {
				if f.LastModified = v.ToNumber().ToFloat(); math.IsNaN(f.LastModified) {
					f.LastModified = 0
				}
			}
			return f
		},
		Members: []webidl.Member{
			webidl.Getter("name", func(f *File, c *webidl.Call) goja.Value { return c.Value(f.Name) }),
			webidl.Getter("lastModified", func(f *File, c *webidl.Call) goja.Value { return c.Value(f.LastModified) }),
		},
	}).Install()
}

// now is the time in milliseconds since 1970.
func (k *classes) now() float64 { return float64(k.h.Loop.Time().UnixMilli()) }

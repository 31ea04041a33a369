package encoding

import (
	"unicode/utf8"

	"github.com/dop251/goja"

	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/webidl"
)

// manyUnits is the length from which on the bytes of a text are counted before they are made.
const manyUnits = 1 << 17

// encoder is a TextEncoder's state: it has none.
type encoder struct{}

// defineTextEncoder makes https://encoding.spec.whatwg.org/#interface-textencoder.
func defineTextEncoder(r *webidl.Realm) *webidl.Interface {
	return r.Define(webidl.Spec{
		Name: "TextEncoder",
		New:  func(*webidl.Call) any { return &encoder{} },
		Members: []webidl.Member{
			webidl.Method("encode", func(_ *encoder, c *webidl.Call) goja.Value {
				if c.Missing(0) {
					return r.Uint8Array(nil)
				}
				s := webidl.StringOf(c.Arg(0))
				if s.Length() >= manyUnits {
					r.Need(builtin.UTF8Length(s))
				}
				return r.Uint8Array(builtin.UTF8Bytes(s))
			}),
			webidl.Method("encodeInto", func(_ *encoder, c *webidl.Call) goja.Value {
				source := c.String(0)
				view, ok := r.BufferView(c.Arg(1))
				if !ok || view.Kind != "Uint8Array" {
					c.ThrowNotOfType(1, "Uint8Array")
				}
				read, written := encodeInto(view.Bytes(), source)
				o := c.Runtime().NewObject()
				_ = o.Set("read", read)
				_ = o.Set("written", written)
				return o
			}),
			webidl.Getter("encoding", func(_ *encoder, c *webidl.Call) goja.Value { return c.Value("utf-8") }),
		},
	})
}

// encodeInto copies whole characters and tells how many UTF-16 units it read and how many bytes it wrote.
func encodeInto(dst []byte, src string) (read, written int) {
	for i, r := range src {
		n := utf8.RuneLen(r)
		if written+n > len(dst) {
			return read, written
		}
		written += copy(dst[written:], src[i:i+n])
		read++
		if n == 4 {
			read++
		}
	}
	return read, written
}

// defineTextDecoder makes https://encoding.spec.whatwg.org/#interface-textdecoder.
func defineTextDecoder(r *webidl.Realm) *webidl.Interface {
	return r.Define(webidl.Spec{
		Name: "TextDecoder",
		New:  func(c *webidl.Call) any { return construct(r, "TextDecoder", c.Arg(0), c.Arg(1)) },
		Members: []webidl.Member{
			webidl.Method("decode", func(d *decoder, c *webidl.Call) goja.Value {
				var in []byte
				if !c.Missing(0) {
					view, ok := r.BufferView(c.Arg(0))
					if !ok {
						c.ThrowNotOfType(0, "Array")
					}
					in = view.Bytes()
				}
				stream := webidl.Option(c.Object(1, "DecodeOptions"), "stream")
				r.Need(3 * len(in))
				text, err := d.decode(in, stream == nil || !stream.ToBoolean())
				if err != nil {
					c.ThrowType("%s", err)
				}
				return c.Value(text)
			}),
			webidl.Getter("encoding", func(d *decoder, c *webidl.Call) goja.Value { return c.Value(d.name) }),
			webidl.Getter("fatal", func(d *decoder, c *webidl.Call) goja.Value { return c.Value(d.fatal) }),
			webidl.Getter("ignoreBOM", func(d *decoder, c *webidl.Call) goja.Value { return c.Value(d.ignoreBOM) }),
		},
	})
}

// construct makes the decoder that the constructor arguments of class iface ask for, or throws.
func construct(r *webidl.Realm, iface string, labelArg, optionsArg goja.Value) *decoder {
	label := "utf-8"
	if !goja.IsUndefined(labelArg) {
		label = webidl.ToString(labelArg)
	}
	name := canonical(label)
	if name == "" {
		r.ThrowError("RangeError", "\"%s\" is not a valid encoding.", label)
	}
	options, ok := optionsArg.(*goja.Object)
	if !ok && !goja.IsUndefined(optionsArg) && !goja.IsNull(optionsArg) {
		r.ThrowType("Failed to construct '%s': constructor parameter 2 is not of type 'ConstructorOptions'.", iface)
	}
	option := func(key string) bool {
		v := webidl.Option(options, key)
		return v != nil && v.ToBoolean()
	}
	return newDecoder(name, option("fatal"), option("ignoreBOM"))
}

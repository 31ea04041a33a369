package encoding

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// errMalformed is what a fatal decoder fails with.
var errMalformed = errors.New("Failed to decode input.")

// output collects what a machine decodes. Errors become U+FFFD or, in a fatal decoder, stop it.
type output struct {
	text  []byte
	fatal bool
	bad   bool
}

func (o *output) rune(r rune) { o.text = utf8.AppendRune(o.text, r) }

// malformed reports one error; false means that the decoder must stop.
func (o *output) malformed() bool {
	if o.fatal {
		o.bad = true
		return false
	}
	o.text = append(o.text, "\uFFFD"...)
	return true
}

// machine is the decoder of one encoding (https://encoding.spec.whatwg.org/#decoder). It keeps what is left of a
// character between calls and is back in its first state after a call with last set.
type machine interface {
	decode(o *output, in []byte, last bool)
	reset()
}

// decoder is a TextDecoder's state.
type decoder struct {
	name      string
	fatal     bool
	ignoreBOM bool

	m machine
	// bomSeen says that the beginning of the stream has passed, so that a byte order mark is an ordinary character now.
	bomSeen bool
	// running says that the last call was made with stream set.
	running bool
}

func newDecoder(name string, fatal, ignoreBOM bool) *decoder {
	return &decoder{name: name, fatal: fatal, ignoreBOM: ignoreBOM, m: newMachine(name)}
}

// decode takes the next bytes; last ends the stream. After an error the decoder begins anew.
func (d *decoder) decode(in []byte, last bool) (string, error) {
	if !d.running {
		d.bomSeen = false
	}
	d.running = !last
	if len(in) > 0 && d.pristine() && (d.name == "utf-8" && utf8.Valid(in) || isASCII(in)) {
		begins := !d.bomSeen
		d.bomSeen = true
		if begins && !d.ignoreBOM && d.name == "utf-8" {
			in = bytes.TrimPrefix(in, []byte("\uFEFF"))
		}
		return string(in), nil
	}
	o := output{fatal: d.fatal, text: make([]byte, 0, len(in)+len(in)/8+8)}
	d.m.decode(&o, in, last)
	if o.bad {
		d.m.reset()
		d.running = false
		return "", errMalformed
	}
	text := o.text
	if !d.bomSeen && len(text) > 0 {
		d.bomSeen = true
		if !d.ignoreBOM && d.hasBOM() && len(text) >= 3 && string(text[:3]) == "\uFEFF" {
			text = text[3:]
		}
	}
	return string(text), nil
}

// pristine tells whether ASCII stands for itself now: nothing is left over from earlier calls.
func (d *decoder) pristine() bool {
	switch m := d.m.(type) {
	case *utf8Machine:
		return m.have == 0
	case *singleMachine:
		return true
	}
	return false
}

// hasBOM tells whether the encoding has a byte order mark. Only the Unicode encodings have one.
func (d *decoder) hasBOM() bool {
	return d.name == "utf-8" || d.name == "utf-16le" || d.name == "utf-16be"
}

func isASCII[T string | []byte](b T) bool {
	for len(b) >= 8 {
		if (uint64(b[0])|uint64(b[1])|uint64(b[2])|uint64(b[3])|uint64(b[4])|uint64(b[5])|uint64(b[6])|uint64(
			b[7]))&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for i := range len(b) {
		if b[i] >= 0x80 {
			return false
		}
	}
	return true
}

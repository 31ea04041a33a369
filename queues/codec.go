package queues

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// coder writes or reads the binary form of events and snapshots: one walk over the fields serves both directions, so
// they cannot differ. Integers are varints, strings and bodies are prefixed with their length.
type coder struct {
	b       []byte
	pos     int // reading: next byte
	end     int // reading: end of the current event
	reading bool
	err     error
}

var errFormat = errors.New("malformed event")

func (c *coder) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s at byte %d", errFormat, what, c.pos)
	}
}

func (c *coder) uint(v *uint64) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	if c.err != nil {
		return
	}
	n, size := binary.Uvarint(c.b[c.pos:c.end])
	if size <= 0 {
		c.fail("number")
		return
	}
	*v = n
	c.pos += size
}

func (c *coder) int(v *int64) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, *v)
		return
	}
	if c.err != nil {
		return
	}
	n, size := binary.Varint(c.b[c.pos:c.end])
	if size <= 0 {
		c.fail("number")
		return
	}
	*v = n
	c.pos += size
}

func codeInt[T ~int | ~int32 | ~uint8 | ~uint16 | ~uint32](c *coder, v *T) {
	n := int64(*v)
	c.int(&n)
	if c.reading {
		if int64(T(n)) != n {
			c.fail("number out of range")
			return
		}
		*v = T(n)
	}
}

// duration is in whole milliseconds.
func (c *coder) duration(v *time.Duration) {
	n := v.Milliseconds()
	c.int(&n)
	if c.reading {
		if *v = time.Duration(n) * time.Millisecond; v.Milliseconds() != n {
			c.fail("duration out of range")
		}
	}
}

func (c *coder) time(v *time.Time) {
	var n int64
	if !v.IsZero() {
		n = millis(*v)
	}
	c.int(&n)
	if c.reading {
		*v = fromMillis(n)
	}
}

func (c *coder) bool(v *bool) {
	var n uint64
	if *v {
		n = 1
	}
	c.uint(&n)
	*v = n != 0
}

func (c *coder) id(v *ID) {
	if !c.reading {
		c.b = append(c.b, v[:]...)
		return
	}
	if c.err != nil || c.end-c.pos < len(v) {
		c.fail("id")
		return
	}
	c.pos += copy(v[:], c.b[c.pos:])
}

func (c *coder) string(v *string) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(len(*v)))
		c.b = append(c.b, *v...)
		return
	}
	var off uint32
	var p []byte
	c.body(&p, &off)
	*v = string(p)
}

// body codes bytes and says where in the buffer they are. A reader gets a slice of the buffer.
func (c *coder) body(v *[]byte, off *uint32) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(len(*v)))
		*off = uint32(len(c.b))
		c.b = append(c.b, *v...)
		return
	}
	var n uint64
	c.uint(&n)
	if c.err != nil || n > uint64(c.end-c.pos) {
		c.fail("length")
		return
	}
	*off = uint32(c.pos)
	*v = c.b[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
}

// count codes the length of a list of which every element takes at least one byte.
func (c *coder) count(n int) int {
	v := uint64(n)
	c.uint(&v)
	if c.reading && (c.err != nil || v > uint64(c.end-c.pos)) {
		c.fail("count")
		return 0
	}
	return int(v)
}

// numbers codes message numbers as differences.
func (c *coder) numbers(v *[]uint64) {
	n := c.count(len(*v))
	if c.reading {
		*v = make([]uint64, n)
	}
	var last uint64
	for i := range *v {
		d := int64((*v)[i] - last)
		c.int(&d)
		if c.reading {
			(*v)[i] = last + uint64(d)
		}
		last = (*v)[i]
	}
}

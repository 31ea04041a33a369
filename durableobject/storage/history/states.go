package history

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// stateHead is the size of a state's head: the frame, the time, the number of pages that the database had, and the
// number of pages that follow.
const stateHead = 4 + 8 + 4 + 4

// state is the head of one remembered state. In a payload its pages follow it.
type state struct {
	frame uint32
	at    int64 // Unix nanoseconds
	pages uint32
	count uint32
}

// payloadWriter writes the states of a batch.
type payloadWriter struct {
	a     *adding
	buf   *bufio.Writer
	flate *flate.Writer
	page  [pageSize]byte
}

// writers keeps payload writers for later batches, because making a compressor is expensive.
var writers = sync.Pool{New: func() any {
	w := &payloadWriter{buf: bufio.NewWriterSize(nil, 32<<10)}
	var err error
	if w.flate, err = flate.NewWriter(w.buf, flate.BestSpeed); err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func (h *file) begin(b *batch) *payloadWriter {
	w := writers.Get().(*payloadWriter)
	w.a = h.add(b)
	w.buf.Reset(w.a)
	w.flate.Reset(w.buf)
	return w
}

// state writes one state; read fetches each of its pages.
func (w *payloadWriter) state(s state, pages []uint32, read func(page uint32, into []byte) error) error {
	var head [stateHead]byte
	binary.BigEndian.PutUint32(head[0:], s.frame)
	binary.BigEndian.PutUint64(head[4:], uint64(s.at))
	binary.BigEndian.PutUint32(head[12:], s.pages)
	binary.BigEndian.PutUint32(head[16:], uint32(len(pages)))
	if _, err := w.flate.Write(head[:]); err != nil {
		return err
	}
	for _, n := range pages {
		var number [4]byte
		binary.BigEndian.PutUint32(number[:], n)
		if err := read(n, w.page[:]); err != nil {
			return err
		}
		if _, err := w.flate.Write(number[:]); err != nil {
			return err
		}
		if _, err := w.flate.Write(w.page[:]); err != nil {
			return err
		}
	}
	if w.a.b.first == 0 {
		w.a.b.first = s.at
	}
	w.a.b.last = s.at
	return nil
}

func (w *payloadWriter) finish() error {
	err := w.flate.Close()
	if err == nil {
		err = w.buf.Flush()
	}
	if err == nil {
		err = w.a.finish()
	}
	w.a = nil
	writers.Put(w)
	return err
}

// errDamaged says that a batch is not what was written.
var errDamaged = errors.New("the history is damaged")

// states calls each for every state of a batch until each returns false. The function next reads the next page of that
// state; each may leave pages unread.
func (h *file) states(b *batch, each func(s state, next func(into []byte) (page uint32, err error)) (bool,
	error)) error {
	if b.payload == 0 {
		return nil
	}
	section := func() io.Reader { return io.NewSectionReader(h, b.offset+batchHead, int64(b.payload)) }
	crc := crc32.New(castagnoli)
	if _, err := io.Copy(crc, section()); err != nil {
		return err
	}
	if crc.Sum32() != b.sum {
		return fmt.Errorf("%s: %w", h.Name(), errDamaged)
	}
	r := flate.NewReader(bufio.NewReader(section()))
	defer r.Close()
	for {
		var head [stateHead]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return ignoreEOF(err)
		}
		s := state{binary.BigEndian.Uint32(head[0:]), int64(binary.BigEndian.Uint64(head[4:])),
			binary.BigEndian.Uint32(head[12:]), binary.BigEndian.Uint32(head[16:])}
		left := s.count
		more, err := each(s, func(into []byte) (uint32, error) {
			if left == 0 {
				return 0, io.EOF
			}
			left--
			var number [4]byte
			if _, err := io.ReadFull(r, number[:]); err != nil {
				return 0, err
			}
			_, err := io.ReadFull(r, into[:pageSize])
			return binary.BigEndian.Uint32(number[:]), err
		})
		if err != nil || !more {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, int64(left)*(4+pageSize)); err != nil {
			return err
		}
	}
}

package history

import (
	"errors"
	"io"
	"os"
	"time"
)

// wantsTrim reports whether the history is longer than it may be, with some room
// so that it is not merged again and again.
func (f *File) wantsTrim(h *file, now time.Time) bool {
	if h.end-h.base > f.Bytes {
		return true
	}
	second, err := h.batchAt(fileHead + h.base)
	return err == nil && second != nil && now.Sub(time.Unix(0, second.last)) > f.Keep+f.Keep/30
}

// trim merges the oldest batches into one that holds all pages.
func (f *File) trim(now time.Time) error {
	h, err := openFile(f.Path)
	if err != nil || h == nil {
		return err
	}
	defer h.Close()
	cut, err := f.cut(h, now)
	if err != nil || cut == nil {
		return err
	}
	pages, err := os.CreateTemp("", "eddy-history-*")
	if err != nil {
		return err
	}
	defer os.Remove(pages.Name())
	defer pages.Close()
	if err := h.write(cut.position(), pages); err != nil {
		return err
	}
	st, err := pages.Stat()
	if err != nil {
		return err
	}
	fresh := f.Path + ".new"
	to, err := createFile(fresh, h.identity)
	if err != nil {
		return err
	}
	b := *cut
	b.whole, b.from, b.first = true, b.to, 0
	count := uint32(st.Size() / pageSize)
	p := to.begin(&b)
	err = p.state(state{b.to, b.last, count, count}, numbers(count), func(n uint32, into []byte) error {
		_, err := pages.ReadAt(into[:pageSize], int64(n-1)*pageSize)
		return err
	})
	if err == nil {
		err = p.finish()
	}
	if err == nil {
		rest := cut.offset + cut.length()
		_, err = io.Copy(io.NewOffsetWriter(to, to.end), io.NewSectionReader(h, rest, h.end-rest))
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return os.Rename(fresh, f.Path)
}

// cut is the last batch to be merged: what comes after it fits half of the limit
// and is not too old. Nil means nothing.
func (f *File) cut(h *file, now time.Time) (*batch, error) {
	var cut *batch
	oldest := now.Add(-f.Keep).UnixNano()
	err := h.each(func(b *batch) (bool, error) {
		after := h.end - b.offset - b.length()
		tooMuch := h.end-h.base > f.Bytes && after > f.Bytes/2
		if b.last > oldest && !tooMuch && cut != nil {
			return false, nil
		}
		if b.last <= oldest || tooMuch || cut == nil {
			cut = b
		}
		return true, nil
	})
	if cut != nil && cut.offset == fileHead {
		return nil, err // the first alone
	}
	return cut, err
}

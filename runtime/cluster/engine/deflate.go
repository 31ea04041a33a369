package engine

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"
)

// deflateBytes is from which length on data is deflated: a page of a database is mostly the same as before, and what
// is short lies in the row itself.
const deflateBytes = 1024

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is one
	}
	return w
}}

// deflated is the data in fewer bytes, nil if that saves less than a quarter.
func deflated(data []byte) []byte {
	if len(data) < deflateBytes {
		return nil
	}
	var b bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil || b.Len() > len(data)/4*3 { // a buffer takes all
		return nil
	}
	return b.Bytes()
}

// inflated gives the data back.
func inflated(small []byte) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), MaxValue+1))
	if err == nil && len(data) > MaxValue {
		err = errors.New("its data is longer than a value may be")
	}
	return data, err
}

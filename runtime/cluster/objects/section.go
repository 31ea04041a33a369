package objects

import (
	"context"
	"io"

	"eddy/runtime/cluster/engine"
)

// Open reads the bytes of a value from one up to another. The value stays until it is closed, also if the index forgets
// it; call it while the index is known to name it.
func (st *Stay) Open(name string, from, to int64) io.ReadCloser {
	st.b.mu.Lock()
	defer st.b.mu.Unlock()
	st.b.reads[name]++
	return &section{st: st, name: name, at: from, to: to}
}

// section is a part of a value that is being read, a piece at a time.
type section struct {
	st     *Stay
	name   string
	at, to int64
	piece  []byte // what was read and not taken yet
	closed bool
}

// Read implements [io.Reader].
func (s *section) Read(p []byte) (int, error) {
	if s.at >= s.to {
		return 0, io.EOF
	}
	if len(s.piece) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.piece[:min(int64(len(s.piece)), s.to-s.at)])
	s.piece = s.piece[n:]
	s.at += int64(n)
	return n, nil
}

// next reads the piece that has the next byte.
func (s *section) next() error {
	key := s.st.b.valuePiece(s.name, s.at/pieceBytes)
	r := only(key)
	err := s.st.o.shard.Read(context.Background(), r.From, r.To, func(_ engine.Key, v engine.Value) error {
		s.piece = v.Data
		return nil
	})
	skip := s.at % pieceBytes
	if err == nil && int64(len(s.piece)) <= skip { // another owner has removed it, or it was damaged
		return io.ErrUnexpectedEOF
	}
	if err == nil {
		s.piece = s.piece[skip:]
	}
	return err
}

// Close implements [io.Closer].
func (s *section) Close() error {
	b := s.st.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if b.reads[s.name]--; b.reads[s.name] > 0 {
		return nil
	}
	delete(b.reads, s.name)
	if b.gone[s.name] {
		delete(b.gone, s.name)
		s.st.commit(b.without(s.name))
	}
	return nil
}

package streams_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/webapi/streams"
)

// Ends that are attended take a thousand chunks to the other side before a timer fires, and the one that is not there
// holds nobody.
func TestConduitHandsTheClockOver(t *testing.T) {
	v := clock.NewVirtual(time.Unix(0, 0), 1)
	r, w := streams.NewConduit(v)
	timer := v.AfterFunc(time.Second, func() { t.Error("the timer came first") })
	begin := v.Hold("a test")
	leaveReader, leaveWriter := r.Attend(), w.Attend()
	begin()
	go func() {
		defer leaveWriter()
		for range 1000 {
			if err := w.Write([]byte("chunk")); err != nil {
				t.Error(err)
			}
		}
		_ = w.Close()
	}()
	data, err := io.ReadAll(r)
	if err != nil || len(data) != 5000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	timer.Stop()
	leaveReader()
	// A reader that waits for a writer who never comes lets time go on.
	r, _ = streams.NewConduit(v)
	leave := r.Attend()
	over := make(chan struct{})
	go func() { defer close(over); defer leave(); _, _ = r.Read(make([]byte, 1)) }()
	fired := make(chan struct{})
	v.AfterFunc(time.Second, func() { close(fired) })
	<-fired
	_ = r.Close()
	<-over
}

// The ends of a conduit see each other's end as those of io.Pipe do.
func TestConduitEnds(t *testing.T) {
	lost := errors.New("lost")
	buf := make([]byte, 4)
	t.Run("the writer closes", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		_ = w.Close()
		w.Abort(lost) // the first end counts
		if _, err := r.Read(buf); err != io.EOF {
			t.Error(err)
		}
		if err := w.Write(buf); err != io.ErrClosedPipe {
			t.Error(err)
		}
	})
	t.Run("the writer aborts while the reader waits", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		go w.Abort(lost)
		if _, err := r.Read(buf); err != lost {
			t.Error(err)
		}
	})
	t.Run("the reader closes while the writer waits", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		failed := make(chan error)
		go func() { failed <- w.Write([]byte("longer")) }()
		if n, err := r.Read(buf); n != 4 || err != nil {
			t.Error(n, err)
		}
		_ = r.Close()
		if err := <-failed; err != io.ErrClosedPipe {
			t.Error(err)
		}
		if _, err := r.Read(buf); err != io.ErrClosedPipe {
			t.Error(err)
		}
	})
}

// pieces notes each Write that it gets; during the first it calls meanwhile.
type pieces struct {
	list      []string
	meanwhile func()
}

func (p *pieces) Write(b []byte) (int, error) {
	if len(p.list) == 0 && p.meanwhile != nil {
		p.meanwhile()
	}
	p.list = append(p.list, string(b))
	return len(b), nil
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// io.Copy gets each Write in one piece, however long it is, and a Write does not end before its bytes are written on,
// even if an end is closed meanwhile: who has written may use them again.
func TestConduitCopies(t *testing.T) {
	lost := errors.New("lost")
	long := strings.Repeat("x", 100_000)
	write := func(w *streams.ConduitWriter) <-chan error {
		done := make(chan error, 1)
		go func() {
			buf := []byte(long)
			err := w.Write(buf)
			clear(buf)
			if err == nil {
				if err = w.Write(append(buf[:0], "short"...)); err == nil {
					err = w.Close()
				}
			}
			done <- err
		}()
		return done
	}
	t.Run("to the end", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		done, to := write(w), &pieces{}
		if n, err := io.Copy(to, r); n != 100_005 || err != nil {
			t.Error(n, err)
		}
		if err := <-done; err != nil || !slices.Equal(to.list, []string{long, "short"}) {
			t.Error(err, len(to.list))
		}
	})
	t.Run("the reader closes during a write", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		done, to := write(w), &pieces{meanwhile: func() { _ = r.Close() }}
		if _, err := io.Copy(to, r); err != io.ErrClosedPipe {
			t.Error(err)
		}
		if err := <-done; err != io.ErrClosedPipe || !slices.Equal(to.list, []string{long}) {
			t.Error(err, len(to.list))
		}
	})
	t.Run("the writer aborts during a write", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		done, to := write(w), &pieces{meanwhile: func() { w.Abort(lost) }}
		if _, err := io.Copy(to, r); err != lost {
			t.Error(err)
		}
		if err := <-done; err != io.ErrClosedPipe || !slices.Equal(to.list, []string{long}) {
			t.Error(err, len(to.list))
		}
	})
	t.Run("a write fails", func(t *testing.T) {
		r, w := streams.NewConduit(clock.Real{})
		done := write(w)
		if _, err := io.Copy(failing{lost}, r); err != lost {
			t.Error(err)
		}
		_ = r.Close()
		if err := <-done; err != io.ErrClosedPipe {
			t.Error(err)
		}
	})
}

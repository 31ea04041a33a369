package fetch

import (
	"io"
	"sync"

	"eddy/runtime/clock"
)

// upload is the body of an outgoing request that a script writes. The request holds the clock while it waits for the
// network. It does not while the transport waits for the script, which may itself wait for the clock.
type upload struct {
	r     *io.PipeReader
	w     *io.PipeWriter
	clock clock.Clock

	mu struct {
		sync.Mutex
		release func() // nil while the clock is not held
		over    bool
	}
}

func newUpload(c clock.Clock) *upload {
	u := &upload{clock: c}
	u.r, u.w = io.Pipe()
	u.hold(true)
	return u
}

func (u *upload) hold(on bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !on && u.mu.release != nil:
		u.mu.release()
		u.mu.release = nil
	case on && u.mu.release == nil && !u.mu.over:
		u.mu.release = u.clock.Hold("the upload of a body")
	}
}

// answered ends the hold: the response is there, or the failure.
func (u *upload) answered() {
	u.hold(false)
	u.mu.Lock()
	u.mu.over = true
	u.mu.Unlock()
}

// Read implements io.Reader, for the transport.
func (u *upload) Read(p []byte) (int, error) {
	u.hold(false)
	defer u.hold(true)
	return u.r.Read(p)
}

// uploadReader is the transport's end.
type uploadReader struct{ *upload }

// Close implements io.Closer.
func (u uploadReader) Close() error { return u.r.Close() }

// uploadSink is the script's end.
type uploadSink struct{ *upload }

// Write implements streams.Sink. The hold begins before the transport is woken, because otherwise nobody would hold
// the clock in between.
func (u uploadSink) Write(p []byte) error {
	u.hold(true)
	_, err := u.w.Write(p)
	return err
}

// Close implements streams.Sink.
func (u uploadSink) Close() error {
	u.hold(true)
	return u.w.Close()
}

// Abort implements streams.Sink.
func (u uploadSink) Abort(err error) {
	u.hold(true)
	_ = u.w.CloseWithError(err)
}

package worker

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"eddy/runtime/webapi/websocket"
)

// Response is what a fetch handler answered, in Go's terms.
type Response struct {
	Status     int
	StatusText string
	Header     http.Header
	// Body is never nil. It must be closed; closing it early cancels a body that JavaScript is still writing.
	Body io.ReadCloser
	// Null says that the body is null rather than empty.
	Null bool
	// Length in bytes, -1 when unknown.
	Length int64
	// Waits says that Body may still have to be made. Then a reader in this process must not hold the clock.
	Waits bool
	// Encoding is the content coding that Body is under already.
	Encoding string
	// Encode is the content coding the sender must put on the body.
	Encode string
	// WebSocket is the client end of a 101 response, nil if there is none. Whoever takes it must call Release when the
	// connection is over: until then the invocation lives.
	WebSocket *websocket.End
	// Release is set with WebSocket; any goroutine, once.
	Release func()
	// failed holds the exception with which the script that writes Body gave it up. It is nil if no script writes Body.
	failed *atomic.Pointer[Exception]
	// Isolate is the isolate that answered.
	Isolate *Isolate
	bytes   bytesBody // what Body is, if it is in memory
}

// Failed returns the exception of a body that failed before anything of it could be read, or nil. It waits only for the
// turns that the isolate has begun, because a body that is merely late has not failed. It must not be called on the
// loop goroutine.
func (r *Response) Failed(ctx context.Context) *Exception {
	if r.failed == nil {
		return nil
	}
	if err := r.Isolate.Loop.Do(ctx, func() {}); err != nil {
		return nil
	}
	return r.failed.Load()
}

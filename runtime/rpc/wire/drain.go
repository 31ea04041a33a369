package wire

import (
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/streams"
)

// drain is a sink that was given away.
type drain struct {
	w    *Wire
	id   uint64
	to   streams.Sink
	busy bool // guarded by the mu of w: a write waits for the sink
}

// serve writes or closes, and answers. It runs on a goroutine of its own, since sinks wait.
func (d *drain) serve(f *frame) {
	var err error
	if f.kind == kindFinish {
		err = d.to.Close()
	} else {
		err = d.to.Write(f.data)
	}
	d.w.mu.Lock()
	d.busy = false
	if f.kind == kindFinish {
		delete(d.w.writable, d.id)
	}
	d.w.mu.Unlock()
	answer := &frame{kind: kindWritten, id: d.id}
	if err != nil {
		answer.failure = failureOf(rpc.FailureOf(err))
	}
	d.w.out.put(answer)
}

// end aborts it, because its writer has gone.
func (d *drain) end() { go d.to.Abort(nil) }

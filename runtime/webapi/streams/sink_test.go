package streams_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/streams"
)

func TestNewWritable(t *testing.T) {
	r := runner(t)
	sink := &recorder{}
	give(r, "s", func() any { return streams.NewWritable(r.Host, sink, streams.WritableOptions{}) })
	r.Expect(`const w = s.getWriter(); await w.write(new Uint8Array([97])); await w.write('é');
			await w.write(new ArrayBuffer(0)); await w.close();
		return s instanceof WritableStream`, "true")
	if got := sink.text(); got != "a,é,close" {
		t.Errorf("sink saw %s", got)
	}
	r.On(func() {
		v := r.Host.Runtime().Get("s")
		if !streams.IsWritable(r.Host, v) || streams.Is(r.Host, v) || !streams.WritableLocked(r.Host, v) {
			t.Error("not known as a locked WritableStream")
		}
	})
	give(r, "s", func() any {
		return streams.NewWritable(r.Host, &recorder{fail: errors.New("full")}, streams.WritableOptions{})
	})
	r.Expect(`const w = s.getWriter(); w.closed.catch(() => {}); await w.write('x')`, "throws Error: full")
	aborted := &recorder{}
	give(r, "s", func() any { return streams.NewWritable(r.Host, aborted, streams.WritableOptions{}) })
	r.Expect(`await s.abort(new TypeError('enough'))`, "undefined")
	if got := aborted.text(); got != "abort TypeError: enough" {
		t.Errorf("sink saw %s", got)
	}
	give(r, "s", func() any { return streams.NewWritable(r.Host, aborted, streams.WritableOptions{}) })
	r.Expect(`const w = s.getWriter(); w.closed.catch(() => {}); await w.write({})`,
		"throws TypeError: This WritableStream only supports writing byte types.")
}

func TestWriterReachesTheStreamPastTheClasses(t *testing.T) {
	r := runner(t)
	give(r, "send", func() any {
		return func(c goja.FunctionCall) goja.Value {
			w := streams.NewWriter(r.Host, c.Argument(0))
			w.Write([]byte("ab"))
			return w.Close()
		}
	})
	r.Expect(`const log = []; WritableStream.prototype.getWriter = () => log.push('trapped');
		await send(new WritableStream({ write(c) { log.push(c); }, close() { log.push('close'); } }));
			return log.join(' ')`, "97,98 close")
}

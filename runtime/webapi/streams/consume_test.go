package streams_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

// give defines a global on the runner's isolate.
func give(r *webapitest.Runner, name string, v func() any) {
	r.On(func() { _ = r.Host.Runtime().Set(name, v()) })
}

// readAll defines readAll(stream, limit): the promise of its text.
func readAll(r *webapitest.Runner) {
	give(r, "readAll", func() any {
		return func(c goja.FunctionCall) goja.Value {
			p, resolve, reject := r.Host.Runtime().NewPromise()
			streams.ReadAll(r.Host, c.Argument(0), c.Argument(1).ToInteger(), func(b []byte, failure goja.Value) {
				if failure != nil {
					_ = reject(failure)
					return
				}
				_ = resolve(string(b))
			})
			return r.Host.Runtime().ToValue(p)
		}
	})
}

func TestNativeStreamReadsInChunks(t *testing.T) {
	r := runner(t)
	give(r, "s", func() any {
		return streams.FromReader(r.Host, io.NopCloser(strings.NewReader("hello")), streams.ReaderOptions{Length: -1})
	})
	r.Expect(collect+`return new Uint8Array((await collect(s))[0]).join()`, "104,101,108,108,111")
}

func TestReadAllOfEveryKindOfStream(t *testing.T) {
	r := runner(t)
	readAll(r)
	give(r, "reader", func() any {
		return streams.FromReader(
			r.Host, io.NopCloser(iotest.OneByteReader(strings.NewReader("abc"))), streams.ReaderOptions{Length: 3})
	})
	give(r, "bytes", func() any { return streams.FromBytes(r.Host, []byte("def")) })
	r.Expect(`return await readAll(reader) + await readAll(bytes) +
		await readAll(new ReadableStream(
			{ start(c) { c.enqueue(new Uint8Array([65])); c.enqueue(new Uint8Array([66]).buffer); c.close(); } }))`,
		"abcdefAB")
	r.Expect(`return await readAll(new ReadableStream({ start(c) { c.enqueue('text'); } }))`,
		"throws TypeError: This ReadableStream did not return bytes.")
	r.Expect(`return await readAll(new ReadableStream({ start(c) { c.enqueue(new Uint8Array(9)); } }), 8)`,
		"throws TypeError: Memory limit exceeded before EOF.")
}

func TestReaderFailureReachesTheConsumer(t *testing.T) {
	r := runner(t)
	readAll(r)
	give(r, "s", func() any {
		return streams.FromReader(
			r.Host, io.NopCloser(iotest.ErrReader(errors.New("line cut"))), streams.ReaderOptions{Length: -1})
	})
	r.Expect(`return await readAll(s)`, "throws Error: line cut")
	r.Expect(`return s.locked`, "true")
}

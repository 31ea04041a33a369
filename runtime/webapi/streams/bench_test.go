package streams_test

import (
	"bytes"
	"io"
	"testing"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"

	"github.com/dop251/goja"
)

const mebibyte = 1 << 20

// benchJS runs body, which must move one mebibyte, once per iteration.
func benchJS(b *testing.B, body string) {
	r := runner(b)
	r.Eval(`globalThis.chunks = (size = 65536) => { let left = 1 << 20; return new ReadableStream({ pull(c) {
		if (left === 0) { c.close(); return; } left -= size; c.enqueue(new Uint8Array(size)); } }); }`)
	b.SetBytes(mebibyte)
	b.ReportAllocs()
	for b.Loop() {
		r.Eval(body)
	}
}

func BenchmarkTransform(b *testing.B) {
	benchJS(b, `const r = chunks().pipeThrough(new TransformStream({ transform(c, k) { k.enqueue(c); } })).getReader();
		while (!(await r.read()).done);`)
}

func BenchmarkPipeTo(b *testing.B) {
	benchJS(b, `await chunks().pipeTo(new WritableStream({ write() {} }))`)
}

func BenchmarkIdentity(b *testing.B) {
	benchJS(b, `const r = chunks().pipeThrough(new IdentityTransformStream()).getReader(); `+
		`while (!(await r.read()).done);`)
}

// Small chunks show the cost of one read.
func BenchmarkReadSmallChunks(b *testing.B) {
	benchJS(b, `const r = chunks(1024).getReader(); while (!(await r.read()).done);`)
}

// A queue that is filled before it is read must not become slow.
func BenchmarkLongQueue(b *testing.B) {
	benchJS(b, `const s = new ReadableStream({ start(c) { for (let i = 0; i < 10000; i++) c.enqueue(i); c.close(); } });
		const r = s.getReader(); while (!(await r.read()).done);`)
}

func BenchmarkReadAllNative(b *testing.B) {
	r := runner(b)
	data := make([]byte, mebibyte)
	b.SetBytes(mebibyte)
	b.ReportAllocs()
	for b.Loop() {
		done := make(chan int)
		r.On(func() {
			s := streams.FromReader(
				r.Host, io.NopCloser(bytes.NewReader(data)), streams.ReaderOptions{Length: mebibyte})
			streams.ReadAll(r.Host, s, 0, func(got []byte, _ goja.Value) { go func() { done <- len(got) }() })
		})
		if n := <-done; n != mebibyte {
			b.Fatal(n)
		}
	}
}

// What the first stream of an isolate costs, after the first isolate of the process.
func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		webapitest.New(b, streams.Install, func(h *host.Host) { streams.Class(h, "ReadableStream") })
	}
}

package streams_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

// recorder is a sink that writes down what happens to it.
type recorder struct {
	mu   sync.Mutex
	log  []string
	fail error
}

func (s *recorder) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, text)
}

func (s *recorder) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, ",")
}

func (s *recorder) Write(p []byte) error { s.note(string(p)); return s.fail }
func (s *recorder) Close() error         { s.note("close"); return nil }
func (s *recorder) Abort(err error)      { s.note("abort " + err.Error()) }

// pump defines pump(stream): a promise of what the sink saw, rejected with what the pump failed with.
func pump(r *webapitest.Runner, fail error) *recorder {
	sink := &recorder{fail: fail}
	give(r, "pump", func() any {
		return func(c goja.FunctionCall) goja.Value {
			p, resolve, reject := r.Host.Runtime().NewPromise()
			streams.Pump(r.Host, c.Argument(0), sink, func(failure goja.Value) {
				if failure != nil {
					_ = reject(failure)
					return
				}
				_ = resolve(sink.text())
			})
			return r.Host.Runtime().ToValue(p)
		}
	})
	return sink
}

const textStream = `const bytes = (s) => new Uint8Array([...s].map((c) => c.charCodeAt(0)));
const text = (...parts) => new ReadableStream(
	{ pull(c) { if (parts.length) c.enqueue(bytes(parts.shift())); else c.close(); } });`

func TestPumpFromEveryKindOfStream(t *testing.T) {
	r := runner(t)
	sink := pump(r, nil)
	r.Expect(textStream+`return await pump(text('a', 'b'))`, "a,b,close")
	give(r, "reader", func() any {
		return streams.FromReader(r.Host, io.NopCloser(strings.NewReader("reader")), streams.ReaderOptions{Length: -1})
	})
	give(r, "data", func() any { return streams.FromBytes(r.Host, []byte("data")) })
	r.Expect(`await pump(reader); return await pump(data)`, "a,b,close,reader,close,data,close")
	// Strings count as their UTF-8.
	r.Expect(`return await pump(new ReadableStream({ start(c) { c.enqueue('é'); c.close(); } }))`,
		"a,b,close,reader,close,data,close,é,close")
	r.Expect(`return [reader.locked, data.locked].join()`, "true,true")
	_ = sink
}

func TestPumpFailures(t *testing.T) {
	r := runner(t)
	sink := pump(r, nil)
	r.Expect(`await pump(new ReadableStream({ pull(c) { c.error(new RangeError('broken')); } }))`,
		"throws RangeError: broken")
	r.Expect(`await pump(new ReadableStream({ start(c) { c.enqueue({}); } }))`,
		"throws TypeError: This ReadableStream did not return bytes.")
	give(r, "reader", func() any {
		return streams.FromReader(r.Host, io.NopCloser(iotest.ErrReader(errors.New("line cut"))), streams.ReaderOptions{
			Length: -1, Failure: func(err error) goja.Value { return r.Host.Realm.TypeError("network: %s", err) }})
	})
	r.Expect(`await pump(reader)`, "throws TypeError: network: line cut")
	if got, want := sink.text(),
		"abort RangeError: broken,abort TypeError: This ReadableStream did not return bytes.,abort line "+
			"cut"; got != want {
		t.Errorf("sink saw %s, want %s", got, want)
	}

	r = runner(t)
	sink = pump(r, errors.New("disk full"))
	r.Expect(textStream+`let why; const s =
			new ReadableStream({ pull(c) { c.enqueue(bytes('x')); }, cancel(e) { why = e.message; } });
		const e = await pump(s).catch((e) => e); return [e.message, why].join()`, "disk full,disk full")
	if got, want := sink.text(), "x,abort Error: disk full"; got != want {
		t.Errorf("sink saw %s, want %s", got, want)
	}
}

// A scope that ends takes the pumps it started with it.
func TestPumpEndsWithItsScope(t *testing.T) {
	r := runner(t)
	sink := &recorder{}
	aborted := make(chan struct{})
	r.On(func() {
		v, err := r.Host.Runtime().RunString(`new ReadableStream()`)
		if err != nil {
			t.Fatal(err)
		}
		streams.Pump(r.Host, v, signalling{sink, aborted}, func(goja.Value) { t.Error("came back to a closed scope") })
	})
	r.On(func() { r.Scope.Close(errors.New("client went away")) })
	<-aborted
	if got := sink.text(); got != "abort client went away" {
		t.Errorf("sink saw %s", got)
	}
}

// signalling closes a channel on Abort.
type signalling struct {
	*recorder
	aborted chan struct{}
}

func (s signalling) Abort(err error) { s.recorder.Abort(err); close(s.aborted) }

func TestNativeTakesOnlyUntouchedStreams(t *testing.T) {
	r := runner(t)
	r.On(func() {
		s := streams.FromReader(r.Host, io.NopCloser(strings.NewReader("body")), streams.ReaderOptions{Length: 4})
		if n, ok := streams.ExpectedLength(r.Host, s); n != 4 || !ok {
			t.Errorf("expected length %d, %v", n, ok)
		}
		body, ok := streams.Native(r.Host, s)
		if !ok || !streams.Locked(r.Host, s) || !streams.Disturbed(r.Host, s) {
			t.Fatalf("not taken: %v", ok)
		}
		if text, err := io.ReadAll(body); string(text) != "body" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if _, ok := streams.Native(r.Host, s); ok {
			t.Error("taken twice")
		}
		data := streams.FromBytes(r.Host, []byte("data"))
		left, right := streams.Tee(r.Host, data)
		for _, branch := range []*goja.Object{left, right} {
			body, ok := streams.Native(r.Host, branch)
			if !ok {
				t.Fatal("a branch of a buffer is not native")
			}
			if text, _ := io.ReadAll(body); string(text) != "data" {
				t.Errorf("%q", text)
			}
		}
		plain, err := r.Host.Runtime().RunString(`new ReadableStream()`)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := streams.Native(r.Host, plain); ok {
			t.Error("a JavaScript stream has no reader")
		}
	})
}

func TestDetachLeavesAHusk(t *testing.T) {
	r := runner(t)
	readAll(r)
	give(r, "detach", func() any {
		return func(c goja.FunctionCall) goja.Value { return streams.Detach(r.Host, c.Argument(0)) }
	})
	r.Expect(textStream+`const s = text('a', 'b'); const t = detach(s);
		return [s.locked, t.locked, await readAll(t)].join()`, "true,false,ab")
	r.Expect(`const its = new IdentityTransformStream(); const old = its.readable; const t = detach(old);
		const w = its.writable.getWriter(); w.write('x'); w.close();
			return [await readAll(t), its.readable === old].join()`, "x,true")
	give(r, "native", func() any {
		return streams.FromReader(r.Host, io.NopCloser(strings.NewReader("n")), streams.ReaderOptions{Length: -1})
	})
	r.Expect(`const t = detach(native); const { value } = await t.getReader().read(); return value`, "110")
}

// changing changes the script's chunk before it looks at what it got.
type changing struct {
	*recorder
	change func()
}

func (s changing) Write(p []byte) error {
	s.change()
	return s.recorder.Write(p)
}

// What a script does to a chunk after it has given it does not reach the sink, though each chunk is copied to where the
// one before was; one that is too long for that is written as any other.
func TestPumpCopiesChunks(t *testing.T) {
	r := runner(t)
	sink := &recorder{}
	done := make(chan struct{})
	r.On(func() {
		rt := r.Host.Runtime()
		v, err := rt.RunString(`var chunk = new Uint8Array(3), sizes = [3, 2, 300000, 1];
			new ReadableStream({ pull(c) {
				if (sizes.length === 0) return c.close();
				chunk = new Uint8Array(sizes.shift()).fill(97);
				c.enqueue(chunk);
			} }, { highWaterMark: 0 })`)
		if err != nil {
			t.Fatal(err)
		}
		change := func() {
			r.On(func() {
				if _, err := rt.RunString(`chunk.fill(98)`); err != nil {
					t.Error(err)
				}
			})
		}
		streams.Pump(r.Host, v, changing{sink, change}, func(goja.Value) { close(done) })
	})
	<-done
	if got, want := sink.text(), "aaa,aa,"+strings.Repeat("a", 300_000)+",a,close"; got != want {
		t.Errorf("the sink has %d bytes: %.40s", len(got), got)
	}
}

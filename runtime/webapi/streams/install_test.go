package streams_test

import (
	"strings"
	"testing"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

// The shape of the classes as the reference shows it: names, enumerable members, functions of length 0.
func TestClassShapes(t *testing.T) {
	r := runner(t)
	r.Eval(`globalThis.shape = (C) => {
		const members = Object.entries(Object.getOwnPropertyDescriptors(C.prototype)).filter(
			([k]) => k !== 'constructor')
			.map(([k, d]) => k + (d.get ? '=' : '/' + d.value.length) + (d.enumerable ? '' : '!'));
		return C.name + C.length + ' ' + Object.prototype.toString.call(C.prototype) + ' ' + members.sort().join();
	}`)
	for class, members := range map[string]string{
		"ReadableStream":                   "cancel/0,getReader/0,locked=,pipeThrough/0,pipeTo/0,tee/0,values/0",
		"ReadableStreamDefaultReader":      "cancel/0,closed=,read/0,releaseLock/0",
		"ReadableStreamBYOBReader":         "cancel/0,closed=,read/0,readAtLeast/0,releaseLock/0",
		"ReadableStreamDefaultController":  "close/0,desiredSize=,enqueue/0,error/0",
		"ReadableByteStreamController":     "byobRequest=,close/0,desiredSize=,enqueue/0,error/0",
		"ReadableStreamBYOBRequest":        "atLeast=,respond/0,respondWithNewView/0,view=",
		"WritableStream":                   "abort/0,close/0,getWriter/0,locked=",
		"WritableStreamDefaultWriter":      "abort/0,close/0,closed=,desiredSize=,ready=,releaseLock/0,write/0",
		"WritableStreamDefaultController":  "error/0,signal=",
		"TransformStream":                  "readable=,writable=",
		"TransformStreamDefaultController": "desiredSize=,enqueue/0,error/0,terminate/0",
		"ByteLengthQueuingStrategy":        "highWaterMark=,size=",
		"CountQueuingStrategy":             "highWaterMark=,size=",
		"IdentityTransformStream":          "readable=,writable=",
		"FixedLengthStream":                "",
	} {
		r.Expect(`return shape(`+class+`)`, class+"0 [object "+class+"] "+members)
	}
	for _, class := range strings.Fields("ReadableStreamDefaultController ReadableByteStreamController " +
		"ReadableStreamBYOBRequest WritableStreamDefaultController TransformStreamDefaultController") {
		r.Expect(`new `+class+`()`, "throws TypeError: Illegal constructor")
	}
	r.Expect(`return Object.getOwnPropertyDescriptor(ReadableStream.prototype, 'locked').get.call({})`,
		"throws TypeError: Illegal invocation: function called with incorrect `this` reference. See "+
			"https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details.")
}

func TestConstructorArguments(t *testing.T) {
	r := runner(t)
	r.Expect(`new ReadableStream({ type: 'x' })`, `throws TypeError: "x" is not a valid type of ReadableStream.`)
	r.Expect(`new ReadableStream(5)`, "throws TypeError: Failed to construct 'ReadableStream': constructor parameter "+
		"1 is not of type 'UnderlyingSource'.")
	r.Expect(`new ReadableStream({}, { highWaterMark: -1 })`,
		"throws TypeError: The value cannot be converted because it is negative and this API expects a positive "+
			"bigint.")
	r.Expect(`new ReadableStream({}, { highWaterMark: 'x' })`,
		"throws TypeError: The value cannot be converted because it is not an integer.")
	r.Expect(`new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 0 })`,
		"throws TypeError: The autoAllocateChunkSize option cannot be zero.")
	r.Expect(`new TransformStream({ readableType: 'x' })`,
		"throws TypeError: transformer.readableType must be undefined.")
	r.Expect(`new ReadableStream().getReader({ mode: 'x' })`,
		"throws TypeError: mode must be undefined or 'byob' in call to getReader().")
	r.Expect(`new ReadableStream().getReader({ mode: 'byob' })`,
		"throws TypeError: This ReadableStream does not support BYOB reads.")
	// What start throws fails the stream, not the constructor.
	r.Expect(`await new ReadableStream({ start() { throw new Error('no'); } }).getReader().read()`, "throws Error: no")
}

func TestFlaggedClassIsAbsentByDefault(t *testing.T) {
	runner(t).Expect(`return typeof ReadableStreamDrainingReader`, "undefined")
	r := webapitest.New(t, func(h *host.Host) {
		h.Flag = func(name string) bool { return name == "expose_draining_reader" }
		streams.Install(h)
	})
	r.Expect(`return new ReadableStreamDrainingReader(new FixedLengthStream(5).readable).expectedLength`, "5")
}

// A Worker that never touches a stream does not pay for them.
func TestScriptRunsOnFirstUse(t *testing.T) {
	r := runner(t)
	r.On(func() {
		if streams.Is(r.Host, r.Host.Runtime().NewObject()) ||
			streams.IsWritable(r.Host, r.Host.Runtime().GlobalObject()) {
			t.Error("an object is a stream")
		}
	})
	r.Expect(`return "ReadableStream" in globalThis`, "true")
	r.On(func() {
		if streams.Ran(r.Host) {
			t.Error("the script ran before a stream was used")
		}
	})
	r.Expect(`ReadableStream; return typeof ReadableStream`, "function")
	r.On(func() {
		if !streams.Ran(r.Host) {
			t.Error("the script did not run")
		}
	})
}

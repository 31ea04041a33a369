package webapi

import (
	"strings"
	"testing"

	"eddy/runtime/webapi/webapitest"
)

// Every web API of the platform is installed (RT4): each global exists, and a class has its name and does not
// show up when the global object is enumerated.
func TestInstall(t *testing.T) {
	functions := strings.Fields(
		`atob btoa setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone
		reportError fetch addEventListener removeEventListener dispatchEvent`)
	objects := strings.Fields("caches crypto navigator performance scheduler self origin console")
	classes := strings.Fields(`DOMException Event ExtendableEvent CustomEvent PromiseRejectionEvent FetchEvent TailEvent
		ScheduledEvent MessageEvent CloseEvent ErrorEvent EventSource EventTarget MessageChannel MessagePort
		ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest
		ReadableStreamDefaultController ReadableByteStreamController WritableStream WritableStreamDefaultWriter
		WritableStreamDefaultController TransformStream TransformStreamDefaultController ByteLengthQueuingStrategy
		CountQueuingStrategy CompressionStream DecompressionStream TextEncoderStream TextDecoderStream TextEncoder ` +
		`TextDecoder
		Headers Request Response WebSocket WebSocketPair WebSocketRequestResponsePair AbortController AbortSignal URL
		URLSearchParams URLPattern Blob File FormData Crypto SubtleCrypto CryptoKey CacheStorage Cache FixedLengthStream
		IdentityTransformStream HTMLRewriter Navigator Performance`)
	r := webapitest.New(t, Install)
	for _, name := range functions {
		r.Expect("return typeof "+name, "function")
	}
	for _, name := range objects {
		r.Expect("return typeof "+name+` !== "undefined"`, "true")
	}
	for _, name := range classes {
		r.Expect("return typeof "+name+" + "+name+".name", "function"+name)
	}
	r.Expect("return typeof TraceEvent + (TraceEvent === TailEvent)", "functiontrue")
	r.Expect(`const seen = new Set(Object.keys(globalThis)); return "`+strings.Join(classes, " ")+
		`".split(" ").filter((name) => seen.has(name)).join()`, "")
}

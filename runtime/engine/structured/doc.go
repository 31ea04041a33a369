// Package structured turns JavaScript values into bytes and back, in the wire
// format of V8's value serializer (version 15). The same bytes carry queue
// bodies of content type v8 (P-21), values in a Durable Object's storage
// (KV10, KV17), RPC arguments (RPC8) and structuredClone itself.
//
// # Nouns
//
//   - A [Codec] belongs to one goja runtime. It remembers the intrinsics (Map,
//     Date, typed array getters …) as they were when it was made, so a program
//     that patches its globals later does not change what is written. Make it
//     after the platform has installed its own built-ins and before user code.
//   - A [Delegate] knows platform objects (Headers, Request, streams, stubs). The
//     codec knows none of them; it asks its delegates in the order they were added.
//   - An [Encoder] or [Decoder] lives for one call of Encode or Decode. Delegates
//     receive it to write and read the payload of their objects.
//   - A refusal is a DataCloneError with the text that the platform gives
//     (RPC10, KV10, ID12).
//
// # Life cycle and threads
//
// A codec, like every JavaScript value it touches, is used only on the
// goroutine that owns the runtime. Encode may run user code (getters) and may
// therefore throw; every failure comes back as *goja.Exception, so a caller
// inside a native function can panic with it and a caller outside can print
// it. Decode runs no user code.
//
// # Differences from V8 that cannot be seen from JavaScript
//
// V8 chooses between dense and sparse arrays, and between small integers and
// doubles, by how it happens to hold the value. This package chooses by
// content: an array is dense when it has no holes, an array of numbers of
// which one is no small integer is written as doubles throughout, and a
// number is an integer when it fits 31 bits and is not -0.
package structured

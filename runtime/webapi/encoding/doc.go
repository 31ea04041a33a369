// Package encoding is the Encoding Standard on an isolate: TextEncoder, TextDecoder, their streams, and atob and btoa.
//
// A decoder is one of few kinds: UTF-8 and UTF-16 directly; single-byte encodings through the tables of x/text; and the
// multi-byte ones (gb18030 and gbk, big5, euc-jp, iso-2022-jp, shift_jis, euc-kr) as the standard's own state machines,
// because x/text takes other bytes for errors and cannot be fed in parts the way the standard says. The state machines
// take their indexes out of x/text once, when such an encoding is first used.
//
// Everything runs on the loop goroutine; decoders have no knowledge of JavaScript.
package encoding

package structured

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// DelegateKind says why a delegate is asked about an object.
type DelegateKind int

const (
	// KindObject is an object whose prototype is not Object.prototype: a
	// platform object or an instance of a user's class.
	KindObject DelegateKind = iota
	// KindFunction is anything callable, class constructors included (RPC9).
	KindFunction
	// KindProxy is a Proxy of a non-callable target.
	KindProxy
	// KindError is a native Error (or a platform class built on it).
	KindError
)

// HostObject says how a platform object is serialized.
type HostObject struct {
	// Tag names the type on the wire. One of the Tag constants.
	Tag uint32
	// Write writes the payload with the encoder's raw methods and WriteValue.
	// It may panic with a JavaScript value to throw it.
	Write func(e *Encoder)
	// Refusal, when not empty, is the whole text of the DataCloneError to throw
	// instead, e.g. "ReadableStream can only be serialized for RPC.".
	Refusal string
	// Class is the name to use when both Write and Refusal are unset: the type does not support serialization at all
	// (RPC10).
	Class string
}

// Delegate knows platform objects. Both methods run on the runtime's goroutine.
type Delegate interface {
	// Describe tells how obj is serialized, or false if it is none of this
	// delegate's objects. It must not run user code. context is
	// EncodeOptions.Context, which lets the answer depend on where the bytes
	// go: a function is an RPC stub on the wire but refused by storage.
	Describe(obj *goja.Object, kind DelegateKind, context any) (HostObject, bool)
	// Read builds the object for tag, or returns nil if the tag is not one of
	// this delegate's. It reads exactly what Write wrote.
	Read(d *Decoder, tag uint32) *goja.Object
}

// Refuser is the state of a platform object that is never serialized: Refusal is HostObject's.
type Refuser interface{ Refusal() string }

// Refused is the state of an object whose class is written in JavaScript and that is never serialized.
type Refused string

// Refusal implements [Refuser].
func (r Refused) Refusal() string { return string(r) }

// Options configures a Codec.
type Options struct {
	// NewDOMException makes the exception that a refusal throws. If it is nil, a plain Error with that name is thrown.
	NewDOMException func(name, message string) *goja.Object
}

// TransferredBuffer is what a transferred ArrayBuffer held.
type TransferredBuffer struct {
	Data []byte
	// Max is the maxByteLength of a resizable buffer, -1 for one of fixed length.
	Max int64
}

// Codec serializes the values of one runtime. See the package comment for when to make it. It belongs to the runtime's
// goroutine.
type Codec struct {
	vm        *goja.Runtime
	opts      Options
	in        *intrinsics
	layout    *gojainternals.Layout
	delegates []Delegate
	shapes    gojainternals.LastShapes // of what was read
	// LengthTracking, if set, tells whether a view on a resizable buffer follows the buffer's length: no script can ask
	// a view that.
	LengthTracking func(view *goja.Object) bool
	// Need, if set, is told before so many bytes are taken, and now and then while values are written and read. It may
	// panic to end that.
	Need func(bytes int64)
}

// Need is told of manyBytes; manyValues values take about as much.
const manyBytes, manyValues = 1 << 20, 1 << 12

// meter counts what one encoding or decoding takes.
type meter struct{ values, told int }

// value counts a value.
func (m *meter) value(c *Codec) {
	if m.values++; m.values%manyValues == 0 && c.Need != nil {
		c.Need(manyBytes)
	}
}

// room tells Need of a buffer that is about to have so many bytes, whenever they have doubled.
func (m *meter) room(c *Codec, bytes int) {
	if bytes < manyBytes || bytes < m.told {
		return
	}
	m.told = 2 * bytes
	if c.Need != nil {
		c.Need(int64(m.told))
	}
}

// New makes the codec of vm and remembers the intrinsics of vm.
func New(vm *goja.Runtime, opts Options) *Codec {
	layout, err := gojainternals.Read()
	if err != nil {
		panic(err) // then it fails at every start and in every test
	}
	return &Codec{vm: vm, opts: opts, in: captureIntrinsics(vm), layout: layout}
}

// AddDelegate adds a delegate. Delegates are asked in the order they were added.
func (c *Codec) AddDelegate(d Delegate) { c.delegates = append(c.delegates, d) }

// Runtime returns the runtime the codec was made for.
func (c *Codec) Runtime() *goja.Runtime { return c.vm }

// EncodeOptions says where the bytes go.
type EncodeOptions struct {
	// RefuseClassInstances makes an object whose prototype is not
	// Object.prototype an error, as RPC does (RPC10). Storage, queues and
	// structuredClone write such an object as a plain one (KV10, P-21).
	RefuseClassInstances bool
	// EnhancedErrors writes Errors with their name and all own properties
	// (RPC15, flag enhanced_error_serialization).
	EnhancedErrors bool
	// Transfer lists ArrayBuffers (or views of them) to move instead of copy.
	// They are detached when encoding has succeeded.
	Transfer []goja.Value
	// Context is handed to delegates.
	Context any
}

// Encoded is the outcome of Encode.
type Encoded struct {
	Data []byte
	// Transferred holds the contents of EncodeOptions.Transfer, to be passed to
	// Decode.
	Transferred []TransferredBuffer
}

// Encode serializes v. The error is always a *goja.Exception whose value is
// what JavaScript would catch: a DataCloneError, or what a getter threw.
func (c *Codec) Encode(v goja.Value, opts EncodeOptions) (Encoded, error) {
	e := &Encoder{codec: c, opts: opts, buf: make([]byte, 0, 64)}
	if ex := c.vm.Try(func() {
		e.buf = append(e.buf, tagVersion, latestVersion)
		e.registerTransfers(opts.Transfer)
		e.WriteValue(v)
	}); ex != nil {
		return Encoded{}, ex
	}
	return Encoded{Data: e.buf, Transferred: e.releaseTransfers()}, nil
}

// DecodeOptions says where the bytes came from.
type DecodeOptions struct {
	// DropErrorStacks keeps the stack of an enhanced error as it was captured here, and does not restore the one that
	// was written.
	DropErrorStacks bool
	// Transferred is Encoded.Transferred.
	Transferred []TransferredBuffer
	// Context is handed to delegates through Decoder.Context.
	Context any
}

// Decode rebuilds the value that data holds. Untrusted data is safe: it costs
// memory in proportion to its length and fails with a *goja.Exception.
func (c *Codec) Decode(data []byte, opts DecodeOptions) (goja.Value, error) {
	d := &Decoder{codec: c, opts: opts, data: data}
	var v goja.Value
	if ex := c.vm.Try(func() {
		d.readHeader()
		v = d.ReadValue()
	}); ex != nil {
		return nil, ex
	}
	return v, nil
}

// Clone is structuredClone(v, {transfer}).
func (c *Codec) Clone(v goja.Value, transfer []goja.Value, opts EncodeOptions) (goja.Value, error) {
	opts.Transfer = transfer
	enc, err := c.Encode(v, opts)
	if err != nil {
		return nil, err
	}
	return c.Decode(enc.Data, DecodeOptions{Transferred: enc.Transferred, Context: opts.Context})
}

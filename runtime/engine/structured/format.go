package structured

// Wire format versions. Version 15 added Error.cause and resizable buffers;
// 13 and 14 are still read because databases and queues of earlier releases
// hold them.
const (
	minVersion    = 13
	latestVersion = 15
)

// Tags of values, one byte each.
const (
	tagVersion           = 0xFF
	tagPadding           = 0
	tagVerifyCount       = '?'
	tagHole              = '-'
	tagUndefined         = '_'
	tagNull              = '0'
	tagTrue              = 'T'
	tagFalse             = 'F'
	tagInt32             = 'I'
	tagUint32            = 'U'
	tagDouble            = 'N'
	tagBigInt            = 'Z'
	tagUTF8String        = 'S'
	tagOneByteString     = '"'
	tagTwoByteString     = 'c'
	tagReference         = '^'
	tagBeginObject       = 'o'
	tagEndObject         = '{'
	tagBeginSparseArray  = 'a'
	tagEndSparseArray    = '@'
	tagBeginDenseArray   = 'A'
	tagEndDenseArray     = '$'
	tagDate              = 'D'
	tagTrueObject        = 'y'
	tagFalseObject       = 'x'
	tagNumberObject      = 'n'
	tagBigIntObject      = 'z'
	tagStringObject      = 's'
	tagRegExp            = 'R'
	tagBeginMap          = ';'
	tagEndMap            = ':'
	tagBeginSet          = '\''
	tagEndSet            = ','
	tagArrayBuffer       = 'B'
	tagResizableBuffer   = '~'
	tagBufferTransfer    = 't'
	tagArrayBufferView   = 'V'
	tagHostObject        = '\\'
	tagError             = 'r'
	tagSharedArrayBuffer = 'u'
)

// Sub-tags of an Error.
const (
	errEvalError      = 'E'
	errRangeError     = 'R'
	errReferenceError = 'F'
	errSyntaxError    = 'S'
	errTypeError      = 'T'
	errURIError       = 'U'
	errMessage        = 'm'
	errCause          = 'c'
	errStack          = 's'
	errEnd            = '.'
)

// Flags that follow an ArrayBufferView since version 14.
const (
	viewLengthTracking = 1 << 0
	viewOnResizable    = 1 << 1
)

// Small integers are 31 bits wide where pointers are compressed, as on the
// platform; larger integers are written as doubles.
const (
	minSmallInt = -1 << 30
	maxSmallInt = 1<<30 - 1
)

// Beyond this nesting the platform's stack is exhausted (3,000 levels pass there, 4,000 do not). Reading allows
// somewhat more than writing produces.
const (
	maxEncodeDepth = 3500
	maxDecodeDepth = 4000
)

// Host object tags that the platform has given out. They are written into
// databases and queues, so a number never changes its meaning.
const (
	TagRPCStub        uint32 = 1
	TagWritableStream uint32 = 2
	TagReadableStream uint32 = 3
	TagHeaders        uint32 = 4
	TagRequest        uint32 = 5
	TagResponse       uint32 = 6
	TagDOMException   uint32 = 7 // it is only read: the first form, which was written for some weeks
	TagDOMExceptionV2 uint32 = 8
	TagAbortSignal    uint32 = 9
	TagNativeError    uint32 = 10 // this package handles it, see EncodeOptions.EnhancedErrors
	TagServiceStub    uint32 = 11
	TagActorClass     uint32 = 12
	TagR2Bucket       uint32 = 13
	TagKVNamespace    uint32 = 14
	TagBlob           uint32 = 15
	TagSocket         uint32 = 16
	TagWrappedBinding uint32 = 17
	// TagObjectSnapshot is eddy's own number: nothing with it is ever stored.
	TagObjectSnapshot uint32 = 64
)

// viewKind describes one kind of ArrayBufferView.
type viewKind struct {
	tag      byte
	name     string // the constructor's global name
	elemSize int
}

// viewKinds lists every view of the format; tag '?' is DataView.
var viewKinds = []viewKind{
	{'b', "Int8Array", 1},
	{'B', "Uint8Array", 1},
	{'C', "Uint8ClampedArray", 1},
	{'w', "Int16Array", 2},
	{'W', "Uint16Array", 2},
	{'d', "Int32Array", 4},
	{'D', "Uint32Array", 4},
	{'h', "Float16Array", 2},
	{'f', "Float32Array", 4},
	{'F', "Float64Array", 8},
	{'q', "BigInt64Array", 8},
	{'Q', "BigUint64Array", 8},
	{'?', "DataView", 1},
}

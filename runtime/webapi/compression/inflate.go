package compression

import (
	"errors"
	"math/bits"
)

// inflater decodes deflated data (RFC 1951) that comes in pieces. A step that lacks input gives back what it has taken
// since the last keep, so between two pieces the state is always one in which a step can begin.
type inflater struct {
	// in is the input not consumed yet, with pos and the bits already taken from it into hold.
	in   []byte
	pos  int
	hold uint64
	held uint
	// kept is the input's state at the last keep.
	kept struct {
		pos  int
		hold uint64
		held uint
	}

	step func(*inflater) error
	last bool // the current block is the last one

	// window is the output; at least its last windowSize bytes are kept between calls.
	window []byte

	stored       int // bytes left of a stored block
	literals     huffman
	distances    huffman
	dynamic      [320]byte
	lengthCodes  huffman
	nlit, ndist  int
	nlen, filled int
}

const windowSize = 32 << 10

// feed decodes what it can of in. rest is what came after the end of the data.
func (f *inflater) feed(in []byte) (out, rest []byte, err error) {
	if f.step == nil {
		f.step = (*inflater).blockHeader
	}
	f.in, f.pos = append(f.in[f.pos:], in...), 0
	if n := len(f.window); n > 4*windowSize { // this happens seldom, so that small pieces stay cheap
		f.window = append(f.window[:0], f.window[n-windowSize:]...)
	}
	start := len(f.window)
	for !f.done() {
		f.keep()
		if err := f.step(f); err != nil {
			if !errors.Is(err, errMore) {
				return nil, nil, err
			}
			f.pos, f.hold, f.held = f.kept.pos, f.kept.hold, f.kept.held
			break
		}
	}
	if f.done() {
		// Whole bytes that were taken ahead go back.
		f.pos -= int(f.held / 8)
		f.hold, f.held = 0, 0
		rest = f.in[f.pos:]
		f.in, f.pos = nil, 0
	}
	return append([]byte(nil), f.window[start:]...), rest, nil
}

// keep makes what was taken so far final.
func (f *inflater) keep() { f.kept.pos, f.kept.hold, f.kept.held = f.pos, f.hold, f.held }

// done tells whether the last block has ended.
func (f *inflater) done() bool { return f.last && f.step == nil }

// need makes at least n bits, 32 at most, available in hold.
func (f *inflater) need(n uint) error {
	for f.held < n {
		if f.pos == len(f.in) {
			return errMore
		}
		f.hold |= uint64(f.in[f.pos]) << f.held
		f.held += 8
		f.pos++
	}
	return nil
}

func (f *inflater) take(n uint) uint {
	v := uint(f.hold & (1<<n - 1))
	f.hold >>= n
	f.held -= n
	return v
}

func (f *inflater) bits(n uint) (uint, error) {
	if err := f.need(n); err != nil {
		return 0, err
	}
	return f.take(n), nil
}

func (f *inflater) blockHeader() error {
	h, err := f.bits(3)
	if err != nil {
		return err
	}
	last := h&1 != 0
	switch h >> 1 {
	case 0:
		f.take(f.held % 8)
		v, err := f.bits(32)
		if err != nil {
			return err
		}
		if uint16(v) != ^uint16(v>>16) {
			return errBad
		}
		f.stored = int(uint16(v))
		f.step = (*inflater).storedData
	case 1:
		f.literals, f.distances = fixedLiterals, fixedDistances
		f.step = (*inflater).symbols
	case 2:
		v, err := f.bits(14)
		if err != nil {
			return err
		}
		f.nlit, f.ndist, f.nlen = int(v&31)+257, int(v>>5&31)+1, int(v>>10)+4
		if f.nlit > 286 || f.ndist > 30 {
			return errBad
		}
		f.step = (*inflater).codeLengthCode
	default:
		return errBad
	}
	f.last = last
	return nil
}

// endBlock goes on to the next block, or to the end.
func (f *inflater) endBlock() {
	f.step = (*inflater).blockHeader
	if f.last {
		f.step = nil
	}
}

func (f *inflater) storedData() error {
	// The bits held are whole bytes here.
	for f.stored > 0 && f.held > 0 {
		f.window = append(f.window, byte(f.take(8)))
		f.stored--
	}
	n := min(f.stored, len(f.in)-f.pos)
	f.window = append(f.window, f.in[f.pos:f.pos+n]...)
	f.pos += n
	f.stored -= n
	f.keep()
	if f.stored == 0 {
		f.endBlock()
		return nil
	}
	return errMore
}

var codeLengthOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

func (f *inflater) codeLengthCode() error {
	var lengths [19]byte
	for i := range f.nlen {
		v, err := f.bits(3)
		if err != nil {
			return err
		}
		lengths[codeLengthOrder[i]] = byte(v)
	}
	var ok bool
	if f.lengthCodes, ok = newHuffman(lengths[:], false); !ok {
		return errBad
	}
	f.filled = 0
	f.step = (*inflater).codeLengths
	return nil
}

// codeLengths decodes one entry of the code lengths of a dynamic block, and after the last one makes the codes.
func (f *inflater) codeLengths() error {
	total := f.nlit + f.ndist
	if f.filled < total {
		return f.codeLength(total)
	}
	if f.dynamic[256] == 0 {
		return errBad // the block could never end
	}
	var ok bool
	if f.literals, ok = newHuffman(f.dynamic[:f.nlit], true); !ok {
		return errBad
	}
	if f.distances, ok = newHuffman(f.dynamic[f.nlit:total], true); !ok {
		return errBad
	}
	f.step = (*inflater).symbols
	return nil
}

func (f *inflater) codeLength(total int) error {
	sym, err := f.decode(&f.lengthCodes)
	if err != nil {
		return err
	}
	if sym < 16 {
		f.dynamic[f.filled] = byte(sym)
		f.filled++
		return nil
	}
	var value byte
	base, extra := 3, uint(2)
	switch sym {
	case 16:
		if f.filled == 0 {
			return errBad
		}
		value = f.dynamic[f.filled-1]
	case 17:
		extra = 3
	case 18:
		base, extra = 11, 7
	}
	v, err := f.bits(extra)
	if err != nil {
		return err
	}
	n := base + int(v)
	if f.filled+n > total {
		return errBad
	}
	for range n {
		f.dynamic[f.filled] = value
		f.filled++
	}
	return nil
}

var (
	lengthBase = [29]int{
		3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
		258}
	lengthExtra = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase    = [30]int{
		1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
		6145, 8193, 12289, 16385, 24577}
)

// symbols decodes literals and matches until the end of the block.
func (f *inflater) symbols() error {
	for {
		f.keep()
		sym, err := f.decode(&f.literals)
		switch {
		case err != nil:
			return err
		case sym < 256:
			f.window = append(f.window, byte(sym))
		case sym == 256:
			f.endBlock()
			return nil
		default:
			if err := f.copyMatch(sym - 257); err != nil {
				return err
			}
		}
	}
}

func (f *inflater) copyMatch(code int) error {
	if code >= len(lengthBase) {
		return errBad
	}
	v, err := f.bits(lengthExtra[code])
	if err != nil {
		return err
	}
	length := lengthBase[code] + int(v)
	code, err = f.decode(&f.distances)
	if err != nil {
		return err
	}
	if code >= len(distBase) {
		return errBad
	}
	extra := uint(0)
	if code > 3 {
		extra = uint(code/2 - 1)
	}
	if v, err = f.bits(extra); err != nil {
		return err
	}
	distance := distBase[code] + int(v)
	if distance > len(f.window) {
		return errBad
	}
	for length > 0 { // source and target may overlap
		from := len(f.window) - distance
		n := min(length, distance)
		f.window = append(f.window, f.window[from:from+n]...)
		length -= n
	}
	return nil
}

// huffman is a code as a table over the next width bits: symbol<<4 | length, 0 where no code is.
type huffman struct {
	table []uint16
	width uint
}

// newHuffman makes the code of the given lengths. An incomplete code is refused, except, when lone is set, one with at
// most one symbol.
func newHuffman(lengths []byte, lone bool) (huffman, bool) {
	var count [16]int
	width, used := 0, 0
	for _, l := range lengths {
		count[l]++
		if l > 0 {
			width = max(width, int(l))
			used++
		}
	}
	if used == 0 {
		return huffman{}, lone
	}
	var next [16]int
	code, left := 0, 1
	for l := 1; l <= 15; l++ {
		left = left<<1 - count[l]
		if left < 0 {
			return huffman{}, false
		}
		if l > 1 {
			code = (code + count[l-1]) << 1
		}
		next[l] = code
	}
	if left > 0 && !(lone && used == 1 && width == 1) {
		return huffman{}, false
	}
	h := huffman{table: make([]uint16, 1<<width), width: uint(width)}
	for sym, l := range lengths {
		if l == 0 {
			continue
		}
		reversed := int(bits.Reverse16(uint16(next[l])) >> (16 - l))
		next[l]++
		for i := reversed; i < len(h.table); i += 1 << l {
			h.table[i] = uint16(sym)<<4 | uint16(l)
		}
	}
	return h, true
}

// decode takes one symbol off the input.
func (f *inflater) decode(h *huffman) (int, error) {
	more := f.need(h.width)
	if h.width == 0 {
		return 0, errBad
	}
	entry := h.table[f.hold&(1<<h.width-1)]
	length := uint(entry & 15)
	if length == 0 || length > f.held {
		if more != nil {
			return 0, more
		}
		return 0, errBad
	}
	f.take(length)
	return int(entry >> 4), nil
}

var fixedLiterals, fixedDistances = func() (huffman, huffman) {
	var lit [288]byte
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	var dist [32]byte
	for i := range dist {
		dist[i] = 5
	}
	l, _ := newHuffman(lit[:], false)
	d, _ := newHuffman(dist[:], false)
	return l, d
}()

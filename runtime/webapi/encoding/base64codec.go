package encoding

import "encoding/binary"

// The standard library looks up each digit by itself, and each one's byte. Here two digits are one look-up, and four
// digits are joined before anybody asks whether they are any.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// pairs has the two digits of twelve bits, the first one below.
var pairs = func() (t [1 << 12]uint16) {
	for i := range t {
		t[i] = uint16(digits[i>>6]) | uint16(digits[i&63])<<8
	}
	return t
}()

// notDigit stands in places for what is no digit.
const notDigit = 1 << 31

// places has the bits of a digit at each of the four places.
var places = func() (t [4][256]uint32) {
	for place := range t {
		for c := range t[place] {
			t[place][c] = notDigit
		}
		for bits := range len(digits) {
			t[place][digits[bits]] = uint32(bits) << (18 - 6*place)
		}
	}
	return t
}()

// encodeBase64 is base64 with padding.
func encodeBase64[T string | []byte](from T) []byte {
	to := make([]byte, (len(from)+2)/3*4)
	i, j := 0, 0
	for ; i+6 <= len(from); i, j = i+6, j+8 {
		bits := uint64(from[i])<<40 | uint64(from[i+1])<<32 | uint64(from[i+2])<<24 | uint64(from[i+3])<<16 |
			uint64(from[i+4])<<8 | uint64(from[i+5])
		binary.LittleEndian.PutUint64(to[j:], uint64(pairs[bits>>36])|uint64(pairs[bits>>24&0xfff])<<16|
			uint64(pairs[bits>>12&0xfff])<<32|uint64(pairs[bits&0xfff])<<48)
	}
	for ; i < len(from); i, j = i+3, j+4 {
		bits, n := uint32(from[i])<<16, len(from)-i
		if n > 1 {
			bits |= uint32(from[i+1]) << 8
		}
		if n > 2 {
			bits |= uint32(from[i+2])
		}
		binary.LittleEndian.PutUint32(to[j:], uint32(pairs[bits>>12])|uint32(pairs[bits&0xfff])<<16)
		for ; n < 3; n++ {
			to[j+n+1] = '='
		}
	}
	return to
}

// decodeBase64 takes digits without white space, with padding or without. Bits that are left at the end do not count.
// ascii tells whether all bytes are characters of ASCII.
func decodeBase64(s string) (to []byte, ascii, ok bool) {
	if len(s)%4 == 0 {
		for i := 0; i < 2 && len(s) > 0 && s[len(s)-1] == '='; i++ {
			s = s[:len(s)-1]
		}
	}
	if len(s)%4 == 1 {
		return nil, false, false
	}
	n := len(s) * 3 / 4
	to = make([]byte, n+2) // a step writes up to two bytes too many
	var seen uint32
	i, j := 0, 0
	for ; i+8 <= len(s); i, j = i+8, j+6 {
		q := s[i : i+8]
		high := places[0][q[0]] | places[1][q[1]] | places[2][q[2]] | places[3][q[3]]
		low := places[0][q[4]] | places[1][q[5]] | places[2][q[6]] | places[3][q[7]]
		seen |= high | low
		binary.BigEndian.PutUint64(to[j:], uint64(high)<<40|uint64(low)<<16)
	}
	for ; i+4 <= len(s); i, j = i+4, j+3 {
		bits := places[0][s[i]] | places[1][s[i+1]] | places[2][s[i+2]] | places[3][s[i+3]]
		seen |= bits
		binary.BigEndian.PutUint32(to[j:], bits<<8)
	}
	if rest := len(s) - i; rest > 0 {
		bits := places[0][s[i]] | places[1][s[i+1]]
		if rest == 3 {
			bits |= places[2][s[i+2]]
		}
		for k := range rest - 1 {
			to[j+k] = byte(bits >> (16 - 8*k))
			seen |= uint32(to[j+k]) << 16
		}
		seen |= bits & notDigit
	}
	return to[:n], seen&0x808080 == 0, seen&notDigit == 0
}

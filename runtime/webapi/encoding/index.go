package encoding

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// These are the indexes of the standard, taken out of x/text's decoders one pointer at a time. Each takes some
// milliseconds and is made once for each process.
var (
	big5Index = sync.OnceValue(func() []rune {
		return extract(traditionalchinese.Big5, 126*157, func(p int) []byte {
			return pair(0x81+p/157, p%157, 0x3F, 0x40, 0x62)
		})
	})
	// jis0208Index has the rows that only Shift_JIS can reach, too.
	jis0208Index = sync.OnceValue(func() []rune {
		return extract(japanese.ShiftJIS, 11280, func(p int) []byte {
			lead := 0x81 + p/188
			if lead > 0x9F {
				lead += 0x40
			}
			return pair(lead, p%188, 0x3F, 0x40, 0x41)
		})
	})
	jis0212Index = sync.OnceValue(func() []rune {
		return extract(japanese.EUCJP, 94*94, func(p int) []byte {
			return []byte{0x8F, byte(0xA1 + p/94), byte(0xA1 + p%94)}
		})
	})
	eucKRIndex = sync.OnceValue(func() []rune {
		return extract(korean.EUCKR, 126*190, func(p int) []byte {
			return []byte{byte(0x81 + p/190), byte(0x41 + p%190)}
		})
	})
	gbIndex = sync.OnceValue(func() *gbTables {
		t := &gbTables{
			two: extract(simplifiedchinese.GB18030, 126*190, func(p int) []byte {
				return pair(0x81+p/190, p%190, 0x3F, 0x40, 0x41)
			}),
			four: extract(simplifiedchinese.GB18030, 39420, func(p int) []byte {
				return []byte{byte(0x81 + p/12600), byte(0x30 + p/1260%10), byte(0x81 + p/10%126), byte(0x30 + p%10)}
			}),
		}
		for bytes, r := range gbCorrections {
			trail := bytes & 0xFF
			offset := 0x41
			if trail < 0x7F {
				offset = 0x40
			}
			t.two[(bytes>>8-0x81)*190+trail-offset] = r
		}
		return t
	})
)

// pair is a lead byte and a trail byte. The trail bytes have a gap: the first count cells count up from low, the
// others from high.
func pair(lead, cell, count, low, high int) []byte {
	if cell < count {
		return []byte{byte(lead), byte(low + cell)}
	}
	return []byte{byte(lead), byte(high + cell)}
}

func extract(e encoding.Encoding, n int, bytes func(pointer int) []byte) []rune {
	index := make([]rune, n)
	d := e.NewDecoder()
	var dst [16]byte
	for p := range index {
		src := bytes(p)
		d.Reset()
		nDst, nSrc, err := d.Transform(dst[:], src, true)
		if err != nil || nSrc != len(src) {
			continue
		}
		r, size := utf8.DecodeRune(dst[:nDst])
		if size == nDst && (r != utf8.RuneError || isReplacement(src)) {
			index[p] = r
		}
	}
	return index
}

// isReplacement tells whether the bytes encode U+FFFD itself, which only gb18030 can.
func isReplacement(src []byte) bool {
	return len(src) == 4 && string(src) == "\x84\x31\xa4\x37"
}

package logstore

import (
	"bytes"
	"testing"
)

// FuzzMark: any bytes are a mark or refused, and a mark that is written again says the same.
func FuzzMark(f *testing.F) {
	whole := (&mark{newest: 3, sealed: map[uint32]int64{1: 10, 2: 20}, closed: true, size: 30, seq: 7}).encode()
	f.Add(whole)
	f.Add((&mark{newest: 1}).encode())
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(markHead + "sum 00000000\n"))
	// The fuzzer cannot guess a checksum: it also writes what the sum is made of.
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, text := range [][]byte{text, sealed(text)} {
			m, err := parseMark(text)
			if err != nil {
				continue
			}
			again, err := parseMark(m.encode())
			if err != nil || !bytes.Equal(again.encode(), m.encode()) {
				t.Fatalf("%q is written as %q: %v", text, m.encode(), err)
			}
		}
	})
}

// sealed puts a sum that holds under lines.
func sealed(lines []byte) []byte {
	lines = append([]byte(markHead), lines...)
	return append(lines, []byte(sumLine(lines))...)
}

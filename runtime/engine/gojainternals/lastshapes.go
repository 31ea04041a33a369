package gojainternals

import "hash/maphash"

// LastShapes are those of the objects that were read last, by their depth: what one text has, the next one mostly has
// too.
type LastShapes [8]struct {
	shape *Shape
	last  uint64 // a hash of the names of the last object that was of no shape
	score int8   // falls with each object that is of none
}

const (
	firstScore = 2
	mostScore  = 8
)

var shapeSeed = maphash.MakeSeed()

// At is the shape that an object of a depth may have, nil for none.
func (s *LastShapes) At(depth int) *Shape {
	if depth < len(s) && s[depth].score > 0 && s[depth].shape.Pays() {
		return s[depth].shape
	}
	return nil
}

// Hit says that an object was of the shape.
func (s *LastShapes) Hit(depth int) {
	if k := &s[depth]; k.score < mostScore {
		k.score++
	}
}

// Learn says that an object was of no shape. Names that come twice, one after the other, become one.
func (s *LastShapes) Learn(l *Layout, depth int, names []Name) {
	if depth >= len(s) {
		return
	}
	k := &s[depth]
	if k.score > 0 {
		k.score--
	}
	var h maphash.Hash
	h.SetSeed(shapeSeed)
	for _, name := range names[:min(len(names), manyHashed)] {
		h.WriteString(string(name))
		h.WriteByte(0)
	}
	hash := h.Sum64()
	again := hash == k.last
	if k.last = hash; !again || k.score > 0 {
		return
	}
	if k.shape == nil || !sameNames(k.shape.Names(), names) {
		k.shape = l.NewShape(names)
	}
	if k.shape != nil {
		k.score = firstScore
	}
}

// manyHashed is from how many names on there is no shape.
const manyHashed = 16

func sameNames(a, b []Name) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

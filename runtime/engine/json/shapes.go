package json

import (
	"hash/maphash"

	"eddy/runtime/engine/gojainternals"
)

// shapes are those of the objects that were read last, by their depth: what one text has, the next one mostly has too.
type shapes [8]struct {
	shape *gojainternals.Shape
	last  uint64 // a hash of the names of the last object that was of no shape
	score int8   // falls with each object that is of none
}

const (
	firstScore = 2
	mostScore  = 8
)

var seed = maphash.MakeSeed()

// at is the shape that an object of a depth may have, nil for none.
func (s *shapes) at(depth int) *gojainternals.Shape {
	if depth < len(s) && s[depth].score > 0 && s[depth].shape.Pays() {
		return s[depth].shape
	}
	return nil
}

// hit says that an object was of the shape.
func (s *shapes) hit(depth int) {
	if k := &s[depth]; k.score < mostScore {
		k.score++
	}
}

// learn says that an object was of no shape. Names that come twice, one after the other, become one.
func (s *shapes) learn(in *gojainternals.Layout, depth int, names []gojainternals.Name) {
	if depth >= len(s) {
		return
	}
	k := &s[depth]
	if k.score > 0 {
		k.score--
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, name := range names[:min(len(names), manyHashed)] {
		h.WriteString(string(name))
		h.WriteByte(0)
	}
	hash := h.Sum64()
	again := hash == k.last
	if k.last = hash; !again || k.score > 0 {
		return
	}
	if k.shape == nil || !same(k.shape.Names(), names) {
		k.shape = in.NewShape(names)
	}
	if k.shape != nil {
		k.score = firstScore
	}
}

// manyHashed is from how many names on there is no shape.
const manyHashed = 16

func same(a, b []gojainternals.Name) bool {
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

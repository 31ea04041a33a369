package worker

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"time"

	"github.com/dop251/goja"
)

// seedMath makes Math.random come from the isolate's source of randomness, eight bytes a number, if there is one or if
// the journal notes what scripts get.
func (iso *Isolate) seedMath(rt *goja.Runtime) {
	from := iso.opts.Random
	if from == nil && iso.opts.Journal == nil {
		return
	}
	rt.SetRandSource(func() float64 {
		var b [8]byte
		if from == nil {
			binary.LittleEndian.PutUint64(b[:], rand.Uint64())
		} else if _, err := io.ReadFull(from, b[:]); err != nil {
			panic(err)
		}
		if e := iso.Recording(); e != nil {
			e.NoteRandom(b[:])
		}
		return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
	})
}

// seen notes what a script sees on the clock.
func (iso *Isolate) seen(now time.Time) time.Time {
	if e := iso.Recording(); e != nil {
		if ms := e.NoteLook(now.UnixMilli()); ms != now.UnixMilli() {
			return time.UnixMilli(ms)
		}
	}
	return now
}

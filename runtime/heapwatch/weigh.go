package heapwatch

import (
	"bytes"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"

	"github.com/google/pprof/profile"
)

var collecting sync.Mutex

// Collect runs a collection and returns how many bytes are alive at least. The collector counts what is allocated while
// it marks as alive, and much of that is garbage. Callers that ask at the same time share a collection.
func Collect() uint64 {
	before, cycle := Allocated(), cycles()
	collecting.Lock()
	if cycles() < cycle+2 { // one of two has begun after the question
		runtime.GC()
	}
	collecting.Unlock()
	live, during := Live(), Allocated()-before
	return live - min(live, during)
}

// InUse is how many bytes objects take, garbage that is not collected yet included.
func InUse() uint64 { return metric("/memory/classes/heap/objects:bytes") }

// Allocated is how many bytes the process has allocated since its start.
func Allocated() uint64 { return metric("/gc/heap/allocs:bytes") }

// cycles is how many collections have ended.
func cycles() uint64 { return metric("/gc/cycles/total:gc-cycles") }

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

var weighed struct {
	sync.Mutex // guards all below, and lets one weigh at a time
	cycle      uint64
	weights    Weights
}

// Weigh returns what was alive of each share in the last collection. It takes some milliseconds, once a collection.
func Weigh() (Weights, error) {
	w := &weighed
	w.Lock()
	defer w.Unlock()
	cycle := cycles()
	if w.cycle == cycle && w.weights.of != nil {
		return w.weights, nil
	}
	weights, err := weigh()
	if err == nil {
		w.cycle, w.weights = cycle, weights
	}
	return weights, err
}

func weigh() (Weights, error) {
	if runtime.MemProfileRate <= 0 {
		return Weights{}, nil
	}
	var text bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&text, 0); err != nil {
		return Weights{}, err
	}
	p, err := profile.ParseData(text.Bytes())
	if err != nil {
		return Weights{}, err
	}
	value := 0
	for i, kind := range p.SampleType {
		if kind.Type == "inuse_space" {
			value = i
		}
	}
	of := map[int]uint64{}
	for _, sample := range p.Sample {
		if bytes := sample.Value[value]; bytes > 0 {
			of[number(sample.Location)] += uint64(bytes)
		}
	}
	delete(of, 0)
	return Weights{of}, nil
}

// number returns the number of the share to which a stack belongs, 0 for none.
func number(stack []*profile.Location) (number int) {
	found := 0
	for i := len(stack) - 1; i >= 0 && i >= len(stack)-bottom; i-- {
		for _, line := range stack[i].Line {
			digit, ok := strings.CutPrefix(line.Function.Name, digitPrefix)
			if !ok || len(digit) != 1 {
				continue
			}
			number = number<<digitBits + strings.Index("0123456789ABCDEF", digit)
			if found++; found == places {
				return number
			}
		}
	}
	return 0
}

// bottom is how many frames the digits and the functions between them take at most.
const bottom = 4 * places

const digitPrefix = "eddy/runtime/heapwatch.digit"

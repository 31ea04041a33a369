package engine

import "fmt"

// Limits of what goes into a shard, in bytes.
const (
	MaxValue = 1 << 20
	MaxBatch = 8 << 20
)

// Value is what a key holds, with its place in a chain of values.
type Value struct {
	Data []byte
	// Number is the value's own, which the writer chooses: no two values of a shard should have the same. After is the
	// number of the value under the key before this one which this one continues, 0 if it continues none.
	Number, After int64
}

// Put sets a key.
type Put struct {
	Key Key
	Value
}

// Range is the keys from From up to, but not including, To; an empty To means to the end.
type Range struct{ From, To Key }

// Has tells whether a key lies in the range.
func (r Range) Has(k Key) bool { return k >= r.From && (r.To == "" || k < r.To) }

// Prefix is the range of all keys that begin with a prefix.
func Prefix(p Key) Range {
	b := []byte(p)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return Range{p, Key(b[:i+1])}
		}
	}
	return Range{p, ""}
}

// Batch is a change of a shard. The deletions happen first, then the puts.
type Batch struct {
	Deletes []Range
	Puts    []Put
}

// SizeError says that a key, a value or a batch is larger than the limits.
type SizeError struct {
	What     string
	Size, Of int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, but %d is the most", e.What, e.Size, e.Of)
}

// Size is what a batch counts towards MaxBatch.
func (b Batch) Size() int {
	size := 0
	for _, p := range b.Puts {
		size += len(p.Key) + len(p.Data)
	}
	for _, r := range b.Deletes {
		size += len(r.From) + len(r.To)
	}
	return size
}

// Check returns a *SizeError for what is too large.
func (b Batch) Check() error {
	for _, p := range b.Puts {
		if len(p.Key) > MaxKey {
			return &SizeError{"a key", len(p.Key), MaxKey}
		}
		if len(p.Data) > MaxValue {
			return &SizeError{"the value of " + string(p.Key), len(p.Data), MaxValue}
		}
	}
	if size := b.Size(); size > MaxBatch {
		return &SizeError{"a batch", size, MaxBatch}
	}
	return nil
}

// Add appends a later change, so that both together are one batch with the same meaning. Each key is put once at most
// in what comes out.
func (b *Batch) Add(later Batch) {
	if len(later.Deletes) > 0 {
		kept := b.Puts[:0]
		for _, p := range b.Puts {
			gone := false
			for _, r := range later.Deletes {
				gone = gone || r.Has(p.Key)
			}
			if !gone {
				kept = append(kept, p)
			}
		}
		b.Puts = kept
		b.Deletes = append(b.Deletes, later.Deletes...)
	}
	at := make(map[Key]int, len(b.Puts)+len(later.Puts))
	for i, p := range b.Puts {
		at[p.Key] = i
	}
	for _, p := range later.Puts {
		if i, ok := at[p.Key]; ok {
			b.Puts[i] = p
			continue
		}
		at[p.Key] = len(b.Puts)
		b.Puts = append(b.Puts, p)
	}
}

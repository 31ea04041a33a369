package profile

import (
	"fmt"
	"io"
	"path"
	"strconv"

	"github.com/google/pprof/profile"
)

// WritePprof writes the profile for `go tool pprof`. Each sample has the label worker.
func (p *Profile) WritePprof(w io.Writer) error {
	b := &pprofBuilder{functions: map[Frame]*profile.Function{}, locations: map[Frame]*profile.Location{}}
	b.out.TimeNanos, b.out.DurationNanos = p.Began.UnixNano(), int64(p.Took)
	b.out.Mapping = []*profile.Mapping{{ID: 1, File: "[Workers]", HasFunctions: true, HasFilenames: true,
		HasLineNumbers: true, HasInlineFrames: true}}
	if p.Kind == Heap {
		b.out.SampleType = []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space",
			Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
		b.out.DefaultSampleType = "inuse_space"
		b.out.PeriodType = &profile.ValueType{Type: "space", Unit: "bytes"}
	} else {
		b.out.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
		b.out.PeriodType, b.out.Period = b.out.SampleType[1], int64(p.Interval)
	}
	for i := range p.Samples {
		if s := &p.Samples[i]; s.Stack != nil {
			b.add(p.Kind, s)
		}
	}
	if err := b.out.Compact().Write(w); err != nil { // samples of one stack become one
		return fmt.Errorf("write the profile: %w", err)
	}
	return nil
}

type pprofBuilder struct {
	out       profile.Profile
	functions map[Frame]*profile.Function
	locations map[Frame]*profile.Location
}

func (b *pprofBuilder) add(kind Kind, s *Sample) {
	sample := &profile.Sample{Value: []int64{1, int64(s.Took)}, Label: map[string][]string{"worker": {s.Worker}}}
	if kind == Heap {
		sample.Value = []int64{s.Objects, s.Bytes, s.LiveObjects, s.Live}
	}
	for _, f := range s.Stack {
		sample.Location = append(sample.Location, b.location(f))
	}
	b.out.Sample = append(b.out.Sample, sample)
}

func (b *pprofBuilder) location(f Frame) *profile.Location {
	l := b.locations[f]
	if l == nil {
		l = &profile.Location{ID: uint64(len(b.locations) + 1), Mapping: b.out.Mapping[0],
			Line: []profile.Line{{Function: b.function(f.function()), Line: int64(f.Line)}}}
		b.locations[f] = l
		b.out.Location = append(b.out.Location, l)
	}
	return l
}

func (b *pprofBuilder) function(f Frame) *profile.Function {
	fn := b.functions[f]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(b.functions) + 1), Name: f.String(), SystemName: f.String(),
			Filename: f.Path(), StartLine: int64(f.BeginLine)}
		b.functions[f] = fn
		b.out.Function = append(b.out.Function, fn)
	}
	return fn
}

// String names a function with its place: pprof makes one of functions that have the same name.
func (f Frame) String() string {
	name := f.Function
	if name == "" {
		name = "(anonymous)"
	}
	if f.URL == "" {
		return name
	}
	return name + " " + path.Base(f.URL) + ":" + strconv.Itoa(f.BeginLine)
}

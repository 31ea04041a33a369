package profile

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

var (
	outer = Frame{"Object.fetch", "file:///shop/index.ts", 12, 10, 2}
	inner = Frame{"", "file:///shop/lib.ts", 4, 3, 5}
	deep  = Frame{"", "file:///shop/lib.ts", 5, 3, 5}
	parse = Frame{Function: "JSON.parse"}
)

func example() *Profile {
	ms := time.Millisecond
	return &Profile{Kind: CPU, Began: time.Unix(1_000_000, 0), Took: 10 * ms, Interval: ms, Samples: []Sample{
		{Worker: "shop", At: 0, Took: 2 * ms},
		{Worker: "shop", At: 2 * ms, Took: ms, Stack: []Frame{outer}},
		{Worker: "shop", At: 3 * ms, Took: 3 * ms, Stack: []Frame{inner, outer}},
		{Worker: "shop", At: 6 * ms, Took: 2 * ms, Stack: []Frame{deep, inner, outer}},
		{Worker: "shop/dynamic-1", At: 6 * ms, Took: 2 * ms, Stack: []Frame{parse}},
		{Worker: "mail", At: 7 * ms, Took: 3 * ms, Stack: []Frame{parse}},
	}}
}

// A function that calls itself counts once with what it calls; lines of one function are one.
func TestTop(t *testing.T) {
	p := example().Of("shop")
	if total := time.Duration(p.Total()); total != 8*time.Millisecond {
		t.Errorf("total %s", total)
	}
	ms := int64(time.Millisecond)
	want := []Spent{{inner.function(), 5 * ms, 5 * ms}, {parse, 2 * ms, 2 * ms}, {outer.function(), ms, 6 * ms}}
	if got := p.Top(10); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := p.Top(1); !slices.Equal(got, want[:1]) {
		t.Errorf("%v", got)
	}
}

// What is written is a profile by pprof's own reader: functions with their places, lines, the Worker as a label.
func TestPprof(t *testing.T) {
	var b bytes.Buffer
	if err := example().WritePprof(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		text := s.Label["worker"][0]
		for _, l := range s.Location {
			text += " < " + l.Line[0].Function.Name
		}
		got = append(got, text+" "+time.Duration(s.Value[1]).String())
	}
	slices.Sort(got)
	want := []string{"mail < JSON.parse 3ms", "shop < (anonymous) lib.ts:3 < (anonymous) lib.ts:3 < " +
		"Object.fetch index.ts:10 2ms", "shop < (anonymous) lib.ts:3 < Object.fetch index.ts:10 3ms",
		"shop < Object.fetch index.ts:10 1ms", "shop/dynamic-1 < JSON.parse 2ms"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, f := range p.Function {
		if f.Name == "Object.fetch index.ts:10" && (f.Filename != "/shop/index.ts" || f.StartLine != 10) {
			t.Errorf("%+v", f)
		}
	}
	heap := Profile{Kind: Heap, Samples: []Sample{{Worker: "shop", Stack: []Frame{outer}, Objects: 2, Bytes: 64,
		LiveObjects: 1, Live: 32}}}
	b.Reset()
	if err := heap.WritePprof(&b); err != nil {
		t.Fatal(err)
	}
	if p, err = profile.Parse(&b); err != nil || p.DefaultSampleType != "inuse_space" ||
		!slices.Equal(p.Sample[0].Value, []int64{2, 64, 1, 32}) {
		t.Errorf("%v, %v", p, err)
	}
}

// Chrome's form counts lines and columns of functions from 0, and each sample lasts until the next one.
func TestChrome(t *testing.T) {
	c := example().Of("mail").Chrome(nil)
	if !slices.Equal(c.TimeDeltas, []int64{7000}) || c.EndTime-c.StartTime != 10_000 {
		t.Errorf("%+v", c)
	}
	p := example()
	p.Samples = p.Samples[:4]
	c = p.Chrome(func(string) string { return "7" })
	if !slices.Equal(c.TimeDeltas, []int64{0, 2000, 1000, 3000}) || !slices.Equal(c.Samples, []int{2, 3, 4, 5}) {
		t.Errorf("%v %v", c.TimeDeltas, c.Samples)
	}
	got, err := json.Marshal(c.Nodes[3])
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":4,"callFrame":{"functionName":"","scriptId":"7","url":"file:///shop/lib.ts","lineNumber":2,` +
		`"columnNumber":4},"hitCount":1,"children":[5],"positionTicks":[{"line":4,"ticks":1}]}`; string(got) != want {
		t.Errorf("%s", got)
	}
	heap := Profile{Kind: Heap, Samples: []Sample{{Stack: []Frame{inner, outer}, Bytes: 64, Live: 32},
		{Stack: []Frame{outer}, Bytes: 64}}}
	h := heap.ChromeHeap(nil)
	if n := h.Head.Children[0].Children[0]; n.SelfSize != 32 || n.CallFrame.LineNumber != 2 || len(h.Samples) != 1 {
		t.Errorf("%+v", h.Head.Children[0])
	}
}

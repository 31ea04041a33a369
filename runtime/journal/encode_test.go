package journal

import (
	"bytes"
	"math"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eddy/runtime/cause"
)

// Numbers at the edges of their sizes, lengths and bytes that are no UTF-8 come back as they were.
func TestEncodeEdges(t *testing.T) {
	want := Entry{Kind: Queue, Request: &Request{URL: "http://h/\xff", Header: http.Header{"X-\xfe": {"a\xc3(", ""}}},
		Delivery: &Delivery{Messages: []Message{}}}
	for _, n := range []int64{0, 1, 23, 24, 255, 256, 1<<16 - 1, 1 << 16, 1<<32 - 1, 1 << 32, math.MaxInt64} {
		want.Looks = append(want.Looks, n, -n, ^n)
	}
	want.Looks = append(want.Looks, math.MinInt64)
	for _, n := range []int{1, 23, 24, 255, 256, 1<<16 - 1, 1 << 16} {
		delay := int32(-n)
		want.Delivery.Messages = append(want.Delivery.Messages, Message{ContentType: "bytes", Delay: &delay,
			Body: bytes.Repeat([]byte{0xED, 0xD7}, n)[:n]})
	}
	b, err := appendFrame([]byte("before"), &want)
	if err != nil {
		t.Fatal(err)
	}
	got, used, skipped, err := nextFrame(b[len("before"):])
	if err != nil || got == nil || used != len(b)-len("before") || skipped != 0 {
		t.Fatalf("got %v after %d of %d bytes, %d skipped: %v", got, used, len(b), skipped, err)
	}
	if diff := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(Entry{})); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

// What the library wrote before there was an encoder is read.
func TestLibrarysEntriesAreRead(t *testing.T) {
	want := batch()
	payload, err := encoding.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Entry
	if err := decoding.Unmarshal(payload, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got, cmpopts.IgnoreUnexported(Entry{})); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

// Messages of a batch come back each with its own cause, whether the ones before have the same, another or none.
func TestCausesAreWrittenOnce(t *testing.T) {
	one, two := cause.New().String(), cause.New().String()
	later := "cc" + one[2:] + "-of-a-version-to-come"
	for _, list := range [][]string{
		{one, one, one}, {one, two, one}, {one, "", one, ""}, {"", "", one}, {later, later, one}, {one[:53] + "00"},
		{"", one, "", two, two},
	} {
		e := event(1, "x")
		e.Delivery.Messages = nil
		for _, c := range list {
			e.Delivery.Messages = append(e.Delivery.Messages, Message{Cause: c})
		}
		b, err := appendFrame(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		got, _, _, err := nextFrame(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range got.Delivery.Messages {
			if m.Cause != list[i] {
				t.Errorf("of %q message %d has %q", list, i, m.Cause)
			}
		}
		if bytes.Count(b, []byte(one)) > 0 && list[0] == one {
			t.Errorf("of %q a cause stands as a text", list)
		}
	}
}

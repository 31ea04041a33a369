package otlp

import (
	"fmt"
	"testing"

	"eddy/runtime/journal"
)

// A span that a script has opened becomes a span below its parent; what the script noted on the event itself becomes
// attributes of the event's span.
func TestOpenedSpans(t *testing.T) {
	event, inner := [8]byte{1}, [8]byte{2}
	e := &journal.Entry{Kind: journal.RPC, Trace: [16]byte{9}, Span: event, RPCMethod: "m", Outcome: "ok", Worker: "w",
		Spans: []journal.NamedSpan{
			{ID: inner, Parent: event, Name: "load", At: 5, Took: 7000, Status: "error", Message: "bad",
				Attributes: []journal.SpanAttribute{{Name: "n", Value: "1.5"}, {Name: "s", Value: `"x"`},
					{Name: "b", Value: "true"}, {Name: "damaged", Value: "{"}},
				Exceptions: []journal.Exception{{Name: "TypeError", Message: "no"}}},
			{ID: event, Parent: event, Attributes: []journal.SpanAttribute{{Name: "own", Value: "2"}}},
		}}
	list := (&mapper{}).spans(e)
	if len(list) != 2 {
		t.Fatalf("%d spans, want the event's and the script's", len(list))
	}
	s := list[1]
	got := fmt.Sprint(s.Name, s.Parent.SpanID(), s.SpanContext.SpanID(), s.EndTime.Sub(s.StartTime),
		s.Status.Description, len(s.Attributes), s.Attributes[0].Value.AsFloat64(), s.Attributes[1].Value.AsString(),
		s.Attributes[2].Value.AsBool(), len(s.Events))
	if want := "load0100000000000000 0200000000000000 7µsbad3 1.5xtrue 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	own := list[0].Attributes
	if a := own[len(own)-1]; a.Key != "own" || a.Value.AsFloat64() != 2 {
		t.Errorf("the event's last attribute is %v", a)
	}
}

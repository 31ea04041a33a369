package peer

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"eddy/queues"
)

// What crosses a link arrives as it was.
func TestPacketsRoundTrip(t *testing.T) {
	id := queues.ID{1, 2, 3}
	at := time.UnixMilli(1_775_044_800_123).UTC()
	sends := []queues.Outgoing{{Body: []byte{0, 0xff}, ContentType: queues.ContentBytes},
		{Body: []byte("x"), ContentType: queues.ContentText, Delay: queues.DelaySeconds(0)}}
	msgs := []queues.Message{{ID: id, Timestamp: at, Attempts: 3, ContentType: queues.ContentV8, Body: []byte("v8")}}
	o := queues.Outcome{
		RetryAll: true, RetryAllDelay: queues.DelaySeconds(7), Acks: []queues.ID{id},
		Retries: []queues.Retry{{ID: id, Delay: queues.DelaySeconds(0)}, {ID: id}},
		Failure: &queues.Failure{Reason: "exception", Error: "Error: x", Stack: "at y"},
	}
	through := func(f *packet) *packet {
		t.Helper()
		b, err := encode(f)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(b)
		if err != nil {
			t.Fatal(err)
		}
		return back
	}
	if back := outgoing(through(&packet{Kind: kindSend, Seq: 1,
		Messages: wireOutgoing(sends)}).Messages); !reflect.DeepEqual(back, sends) {
		t.Errorf("sends: %+v", back)
	}
	back, err := delivered(through(&packet{Kind: kindLane, ID: 1, Messages: []message{wireMessage(&msgs[0])}}).Messages)
	if err != nil || !reflect.DeepEqual(back, msgs) {
		t.Errorf("messages: %+v, %v", back, err)
	}
	settled, err := through(&packet{Kind: kindOutcome, ID: 1, Outcome: wireOutcome(o)}).Outcome.outcome()
	if err != nil || !reflect.DeepEqual(settled, o) {
		t.Errorf("outcome: %+v, %v", settled, err)
	}
	refusal := &queues.Error{Code: queues.CodeMessageSize, Cause: "too long", Old: "Old"}
	var got *queues.Error
	if err := through(&packet{Kind: kindAnswer, Seq: 1, Error: failureOf(refusal)}).Error.err(); !errors.As(err,
		&got) ||
		*got != *refusal {
		t.Errorf("refusal: %v", err)
	}
	for _, is := range []error{queues.ErrAbandoned, queues.ErrWallTime, queues.ErrClosed} {
		if err := through(&packet{Kind: kindAnswer, Seq: 1, Error: failureOf(is)}).Error.err(); !errors.Is(err, is) ||
			err.Error() != is.Error() {
			t.Errorf("%v became %v", is, err)
		}
	}
}

// A text of an error that would not fit is cut; anything else that does not fit is refused before it is sent.
func TestPacketLimits(t *testing.T) {
	huge := strings.Repeat("é", maxPacket)
	w := wireOutcome(queues.Outcome{Failure: &queues.Failure{Reason: "exception", Error: huge, Stack: huge}})
	if b, err := encode(&packet{Kind: kindOutcome, ID: 1, Outcome: w}); err != nil || len(b) > 1<<20 {
		t.Errorf("an outcome of %d bytes, %v", len(b), err)
	}
	if _, err := encode(&packet{Kind: kindLaneSend, Seq: 1, Key: huge}); err == nil ||
		!strings.Contains(err.Error(), "are more than sessions that share a state directory exchange at once") {
		t.Errorf("a huge key: %v", err)
	}
	largest := make([]byte, queues.MaxLaneMessageBytes)
	if _, err := encode(&packet{Kind: kindLaneSend, Seq: 1, Key: "k",
		Messages: wireOutgoing([]queues.Outgoing{{Body: largest, ContentType: queues.ContentV8}})}); err != nil {
		t.Errorf("the largest lane message: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{`, "unexpected end"},
		{`{"kind":"nonsense"}`, `unknown kind "nonsense"`},
		{`{"kind":"send","seq":1}`, `incomplete packet of kind "send"`},
		{`{"kind":"send","messages":[{"type":1}]}`, `incomplete packet of kind "send"`},
		{`{"kind":"send","seq":1,"messages":[{"type":9}]}`, "unknown content type 9"},
		{`{"kind":"dead","id":1,"dead":{},"messages":[]}`, `incomplete packet of kind "dead"`},
		{`{"kind":"outcome","id":1}`, `incomplete packet of kind "outcome"`},
		{`{"kind":"answer","seq":-1}`, "cannot unmarshal"},
	} {
		if _, err := decode([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// Whatever the other side sends is a packet that can be used, or an error.
func FuzzDecode(f *testing.F) {
	for k := range need {
		b, err := json.Marshal(packet{
			Kind: k, Seq: 1, ID: 1, Queue: "q", Script: "s", Hello: &hello{}, Session: &Member{},
			Topology: &queues.Topology{}, Lanes: &queues.LaneConfig{},
			Messages: []message{{ID: strings.Repeat("0", 32), Type: 1}}, Metrics: &queues.Metrics{}, Dead: &dead{},
			Outcome: &outcome{Acks: []string{"x"}},
			Error:   &failure{Cause: causeClosed}, Activity: &queues.Activity{},
		})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := decode(b)
		if err != nil {
			return
		}
		if !need[fr.Kind](fr) {
			t.Fatalf("an incomplete packet: %s", b)
		}
		_ = outgoing(fr.Messages)
		if msgs, err := delivered(fr.Messages); err == nil && len(msgs) != len(fr.Messages) {
			t.Fatal("messages are missing")
		}
		if fr.Outcome != nil {
			if o, err := fr.Outcome.outcome(); err == nil && len(o.Acks) != len(fr.Outcome.Acks) {
				t.Fatal("acks are missing")
			}
		}
		if err := fr.Error.err(); fr.Error != nil && err == nil {
			t.Fatal("an error that is none")
		}
	})
}

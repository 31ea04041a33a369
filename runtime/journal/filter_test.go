package journal

import (
	"net/http"
	"testing"
)

// The filters of wrangler tail that look at requests take what it takes.
func TestFilterOfRequests(t *testing.T) {
	e := &Entry{Outcome: "ok", Span: [8]byte{0x40}, Request: &Request{Method: "GET",
		Header: http.Header{"X-Kind": {"a", "b"}, "Cf-Connecting-Ip": {"127.0.0.1"}}}}
	for _, c := range []struct {
		f    Filter
		want bool
	}{
		{Filter{Header: "x-kind"}, true}, {Filter{Header: "X-Kind: B"}, true}, {Filter{Header: "x-kind:c"}, false},
		{Filter{Header: "x-other"}, false}, {Filter{IPs: []string{"self"}}, true},
		{Filter{IPs: []string{"10.0.0.1", "::ffff:127.0.0.1"}}, true}, {Filter{IPs: []string{"10.0.0.1"}}, false},
		{Filter{IPs: []string{"nonsense"}}, false},
		{Filter{Sampling: 0.3}, true}, {Filter{Sampling: 0.2}, false}, {Filter{Sampling: 1}, true},
		{Filter{Methods: []string{"get"}}, true}, {Filter{Methods: []string{"POST"}}, false},
	} {
		if c.f.Match(e) != c.want {
			t.Errorf("%+v: %v", c.f, !c.want)
		}
	}
	if (&Filter{Header: "a"}).Match(&Entry{}) || (&Filter{IPs: []string{"self"}}).Match(&Entry{}) {
		t.Error("an event that is no request was taken")
	}
}

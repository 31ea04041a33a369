package service

import "testing"

// An AbortSignal crosses under the flag enable_abortsignal_rpc, alone or in a Request, as argument and as result; a
// client that stops reading aborts the signal of its request. Without the flag it is refused (RPC10).
func TestSignalsBetweenWorkers(t *testing.T) {
	files := archive(t, "signals")
	for _, c := range []struct {
		flags  []string
		expect string
	}{
		{[]string{"experimental", "enable_abortsignal_rpc", "enable_request_signal"}, files["expect"]},
		{nil, files["expect-without-flag"]},
	} {
		w := newTown(t)
		w.flags = c.flags
		w.start("other", files["other.js"])
		w.expect(w.start("main", files["main.js"], Binding{Key: "SVC", Service: "other", Directory: w}), c.expect)
	}
}

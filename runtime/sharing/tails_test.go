package sharing

import (
	"slices"
	"strconv"
	"testing"

	"eddy/runtime/worker"
)

// Traces go one after the other while their session takes them; what a thousand wait in front of is lost.
func TestTraceOrderAndBound(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	var sent []string
	ts := &tails{send: func(name string, list []*worker.Trace) {
		if sent == nil {
			close(began)
			<-goOn
		}
		for _, trace := range list {
			sent = append(sent, name+trace.Worker)
		}
	}}
	ts.add("w", &worker.Trace{Worker: "0"})
	<-began
	want := []string{"w0"}
	for i := 1; i < maxPendingTraces+10; i++ {
		if i <= maxPendingTraces {
			want = append(want, "w"+strconv.Itoa(i))
		}
		ts.add("w", &worker.Trace{Worker: strconv.Itoa(i)})
	}
	close(goOn)
	ts.sending.Wait()
	if !slices.Equal(sent, want) {
		t.Errorf("sent %d traces: %q", len(sent), sent)
	}
	ts.close()
	ts.add("w", &worker.Trace{})
	ts.sending.Wait()
	if len(sent) != len(want) {
		t.Error("a trace was sent after close")
	}
}

package control

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"eddy/queues/workqueue/telemetry/metrics"
)

// The metrics of work queues have names, labels and texts of a session's own, so that one dashboard shows both.
func TestMetricsOfWorkQueues(t *testing.T) {
	o := newBench(t).api.o
	o.Namespace = "eddy"
	m, err := newMeter(o)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := described{}, described{}
	for _, c := range []prometheus.Collector{m.sent, m.received, m.acked, m.retried, m.dlq, m.duration} {
		ours.MustRegister(c)
	}
	metrics.WithRegisterer(theirs)
	if len(theirs) != len(ours) {
		t.Errorf("a work queue has %d metrics, want %d", len(theirs), len(ours))
	}
	for d := range theirs {
		if !ours[d] {
			t.Errorf("a session has no metric %s; it has %v", d, ours)
		}
	}
}

// described is a Registerer that keeps the descriptions of collectors.
type described map[string]bool

func (d described) Register(c prometheus.Collector) error {
	all := make(chan *prometheus.Desc, 10)
	c.Describe(all)
	close(all)
	for one := range all {
		d[one.String()] = true
	}
	return nil
}

func (d described) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		_ = d.Register(c) // it cannot fail
	}
}

func (d described) Unregister(prometheus.Collector) bool { return false }

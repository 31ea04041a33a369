package control

import "github.com/prometheus/client_golang/prometheus"

// series are what Prometheus counts of one queue. Each is looked up when it is first counted, and kept: several are
// counted for every batch. They belong to the broker's goroutine.
type series struct {
	queue string

	sent, received, acked, retried, dropped, expired prometheus.Counter
	writes, reads, deletes                           prometheus.Counter
	batch, duration                                  prometheus.Observer
}

// add counts n in one of the queue's counters, which is kept at to.
func (s *series) add(to *prometheus.Counter, in *prometheus.CounterVec, n float64) {
	if *to == nil {
		*to = in.WithLabelValues(s.queue)
	}
	(*to).Add(n)
}

// bill counts n operations of an action.
func (s *series) bill(to *prometheus.Counter, in *prometheus.CounterVec, action string, n float64) {
	if *to == nil {
		*to = in.WithLabelValues(s.queue, action)
	}
	(*to).Add(n)
}

// observe takes a value into one of the queue's histograms.
func (s *series) observe(to *prometheus.Observer, in *prometheus.HistogramVec, v float64) {
	if *to == nil {
		*to = in.WithLabelValues(s.queue)
	}
	(*to).Observe(v)
}

package control

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"eddy/queues"
)

// meter counts what the broker does: for Prometheus since the start (Z0-13), and per minute for an hour for the health
// table (Z0-15).
type meter struct {
	o        Options
	registry *prometheus.Registry

	sent, received, acked, retried, dropped, expired *prometheus.CounterVec
	dlq, operations                                  *prometheus.CounterVec
	duration, batch                                  *prometheus.HistogramVec
	series                                           map[string]*series // by queue; the broker's goroutine's

	mu    sync.Mutex
	hours map[string]*hour // by queue; guarded by mu
}

func newMeter(o Options) (*meter, error) {
	m := &meter{o: o, registry: prometheus.NewRegistry(), series: map[string]*series{},
		hours: map[string]*hour{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(
			prometheus.CounterOpts{Namespace: o.Namespace, Subsystem: "queue", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, bounds []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(
			prometheus.HistogramOpts{
				Namespace: o.Namespace, Subsystem: "queue", Name: name, Help: help, Buckets: bounds}, []string{"queue"})
	}
	m.sent = counter("messages_sent_total", "Messages that producers sent.", "queue")
	m.received = counter(
		"messages_received_total", "Messages delivered to consumers and pullers, every attempt counted.", "queue")
	m.acked = counter("messages_acked_total", "Messages acknowledged.", "queue")
	m.retried = counter("messages_retried_total", "Deliveries that ended with a retry.", "queue")
	m.dropped = counter(
		"messages_dropped_total", "Messages deleted after their last retry for want of a dead letter queue.", "queue")
	m.expired = counter("messages_expired_total", "Messages deleted at the end of the retention period.", "queue")
	m.dlq = counter(
		"dlq_total", "Messages moved to a dead letter queue, by the queue they failed in.", "queue", "reason")
	m.operations = counter(
		"operations_total",
		"Operations that production would bill, by action: write, read or delete, one for each 64 KB begun.", "queue",
		"action")
	m.duration = histogram(
		"processing_duration_ms", "Time from a batch's delivery to its settlement, in milliseconds.", durationBounds)
	m.batch = histogram("batch_size", "Messages per delivered batch.", []float64{1, 2, 5, 10, 20, 50, 100})
	var all prometheus.Registerer = m.registry
	if o.Node != "" {
		all = prometheus.WrapRegistererWith(prometheus.Labels{"node": o.Node}, all)
	}
	for _, c := range []prometheus.Collector{
		m.sent, m.received, m.acked, m.retried, m.dropped, m.expired, m.dlq, m.operations, m.duration, m.batch,
		newGauges(m)} {
		if err := all.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *meter) handler() http.Handler {
	all := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.begin(r.Context())
		all.ServeHTTP(w, r)
	})
}

// begin shows the counters of every queue from the first scrape on, at 0: Prometheus sees no increase in a series that
// begins at 1. If the broker cannot be asked, the gauges report that error.
func (m *meter) begin(ctx context.Context) {
	list, _ := m.o.Broker.Queues(ctx)
	for _, q := range list {
		for _, c := range []*prometheus.CounterVec{m.sent, m.received, m.acked, m.retried, m.dropped, m.expired} {
			c.WithLabelValues(q.Name)
		}
	}
}

// lastHour sums up a queue's last 60 minutes.
func (m *meter) lastHour(queue string, now time.Time) (sum counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.hours[queue]
	if h == nil {
		return sum
	}
	at := now.Unix() / 60
	for i := range h.minutes {
		c := &h.minutes[i]
		if c.at <= at-60 || c.at > at {
			continue
		}
		sum.sent += c.sent
		sum.received += c.received
		sum.acked += c.acked
		sum.retried += c.retried
		sum.dead += c.dead
		for j, n := range c.durations {
			sum.durations[j] += n
		}
	}
	return sum
}

// observe runs on the broker's goroutine.
func (m *meter) observe(a queues.Activity) {
	n := float64(a.Count)
	m.mu.Lock()
	h := m.hours[a.Queue]
	if h == nil {
		h = &hour{}
		m.hours[a.Queue] = h
	}
	c := h.minute(a.Time)
	switch a.Kind {
	case queues.ActivitySent:
		c.sent += a.Count
	case queues.ActivityDelivered:
		c.received += a.Count
	case queues.ActivityRetried:
		c.retried += a.Count
	case queues.ActivityDeadLettered, queues.ActivityDropped:
		c.dead += a.Count
	case queues.ActivityAcked:
		c.acked += a.Count
	case queues.ActivityBatch:
		c.duration(float64(a.Duration) / float64(time.Millisecond))
	}
	m.mu.Unlock()
	of := m.seriesOf(a.Queue)
	m.bill(of, a)
	switch a.Kind {
	case queues.ActivitySent:
		of.add(&of.sent, m.sent, n)
	case queues.ActivityDelivered:
		of.add(&of.received, m.received, n)
		of.observe(&of.batch, m.batch, n)
	case queues.ActivityAcked:
		of.add(&of.acked, m.acked, n)
	case queues.ActivityRetried:
		of.add(&of.retried, m.retried, n)
	case queues.ActivityDeadLettered:
		m.dlq.WithLabelValues(a.Queue, a.Reason).Add(n)
	case queues.ActivityDropped:
		of.add(&of.dropped, m.dropped, n)
	case queues.ActivityExpired:
		of.add(&of.expired, m.expired, n)
	case queues.ActivityBatch:
		of.observe(&of.duration, m.duration, float64(a.Duration)/float64(time.Millisecond))
	}
}

// seriesOf are the series of a queue.
func (m *meter) seriesOf(queue string) *series {
	s := m.series[queue]
	if s == nil {
		s = &series{queue: queue}
		m.series[queue] = s
	}
	return s
}

// bill counts operations as production does (D-23): 64 KB are written, read or deleted by one, and every attempt reads.
// Lanes are a Durable Object's on the platform, and cost none.
func (m *meter) bill(of *series, a queues.Activity) {
	if a.Lane != "" {
		return
	}
	begun := 0
	for _, msg := range a.Messages {
		begun += max(1, (msg.Size+operationBytes-1)/operationBytes)
	}
	n := float64(max(begun, a.Count)) // where messages are left out
	switch a.Kind {
	case queues.ActivitySent:
		of.bill(&of.writes, m.operations, "write", n)
	case queues.ActivityDelivered:
		of.bill(&of.reads, m.operations, "read", n)
	case queues.ActivityAcked, queues.ActivityDropped, queues.ActivityExpired, queues.ActivityPurged:
		of.bill(&of.deletes, m.operations, "delete", n)
	case queues.ActivityDeadLettered:
		of.bill(&of.deletes, m.operations, "delete", n)
		to := m.seriesOf(a.DeadLetterQueue)
		to.bill(&to.writes, m.operations, "write", n)
	}
}

// operationBytes is what one operation covers.
const operationBytes = 64_000

// gauges are read from the broker at every scrape.
type gauges struct {
	m                                    *meter
	depth, bytes, lag, dead, retry, ccur *prometheus.Desc
}

func newGauges(m *meter) *gauges {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(m.o.Namespace, "queue", name), help, []string{"queue"}, nil)
	}
	return &gauges{
		m:     m,
		depth: desc("depth", "Messages that are not acknowledged: ready, delayed and in flight."),
		bytes: desc("backlog_bytes", "Bytes of the bodies that are not acknowledged."),
		lag:   desc("lag_seconds", "Age of the oldest message that is not acknowledged, 0 for an empty queue."),
		dead:  desc("dead_letters", "Messages that came here by failing elsewhere."),
		retry: desc("retry_rate", "Retried deliveries of the last hour as a share of all, 0 to 1."),
		ccur:  desc("consumer_concurrency", "Batches in flight to the push consumer."),
	}
}

// Describe implements [prometheus.Collector].
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.depth, g.bytes, g.lag, g.dead, g.retry, g.ccur} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	all, err := g.m.o.Broker.Queues(context.Background())
	if err != nil {
		ch <- prometheus.NewInvalidMetric(g.depth, err)
		return
	}
	now := g.m.o.Clock.Now()
	for _, q := range all {
		set := func(d *prometheus.Desc, v float64) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, q.Name)
		}
		set(g.depth, float64(q.Metrics.BacklogCount))
		set(g.bytes, float64(q.Metrics.BacklogBytes))
		set(g.lag, lag(q, now).Seconds())
		set(g.dead, float64(q.DeadLetters))
		set(g.retry, g.m.lastHour(q.Name, now).retryRate())
		if q.Consumer != nil {
			set(g.ccur, float64(q.Consumer.InFlight))
		}
	}
}

func lag(q queues.QueueInfo, now time.Time) time.Duration {
	if q.Metrics.OldestMessageTimestamp.IsZero() {
		return 0
	}
	return max(0, now.Sub(q.Metrics.OldestMessageTimestamp))
}
